import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelRequest } from '../ports.ts';
import type {
  LogEntry,
  MessageDiscarded,
  MessageFinished,
  MessageInterrupted,
  RequestFailed,
} from '../session/entries.ts';
import { rowOfBlock } from '../session/transcript.ts';
import { buildRequest } from './request.ts';

/** One request of a session and what came of it, found in its log. */
export interface InspectedRequest {
  /** Our id of the answer. */
  readonly messageId: string;
  /** How many entries there were when it was sent. */
  readonly position: number;
  /** ISO 8601: when its answer began, or failed to. */
  readonly at: string;
  readonly model: string;
  /** Where it is not the epoch's: an answer that was cut in a tool call is asked for again with more room. */
  readonly maxTokens?: number;
  readonly blocks: readonly ContentBlock[];
  readonly finished?: MessageFinished;
  readonly ended?: MessageDiscarded | MessageInterrupted;
  /** It got no answer. */
  readonly failed?: RequestFailed;
}

type Draft = { -readonly [K in keyof Omit<InspectedRequest, 'messageId' | 'blocks'>]: InspectedRequest[K] } & {
  readonly blocks: ContentBlock[];
  /** Rows of the transcript that show it. */
  readonly rows: Set<string>;
};

/** Every request of a log that got at least one block or an end, oldest first. */
export function requestsOf(entries: readonly LogEntry[]): readonly InspectedRequest[] {
  return [...draftsOf(entries)].map(([messageId, { rows: _, ...draft }]) => ({ messageId, ...draft }));
}

/** The request behind a row of the transcript: of the answer that it is a part of, or the one that its card is about. */
export function requestOfRow(entries: readonly LogEntry[], row: string): InspectedRequest | undefined {
  const found = [...draftsOf(entries)].findLast(([, { rows }]) => rows.has(row))?.[0];
  return requestsOf(entries).find(({ messageId }) => messageId === found);
}

function draftsOf(entries: readonly LogEntry[]): ReadonlyMap<string, Draft> {
  const drafts = new Map<string, Draft>();
  let model = '';
  let room: Pick<Draft, 'maxTokens'> = {};
  let last: Draft | undefined;
  entries.forEach((entry, position) => {
    if (entry.type === 'epochStarted') model = entry.model;
    if (entry.type === 'turnStarted') [last, room] = [undefined, {}];
    // The card that ends a turn is about its last request.
    if (entry.type === 'turnEnded') last?.rows.add(`n:${entry.id}`);
    if (!('messageId' in entry)) return;
    const known = drafts.get(entry.messageId);
    last = known ?? { position, at: entry.at, model, ...room, blocks: [], rows: new Set() };
    if (known === undefined) drafts.set(entry.messageId, last);
    take(last, entry);
    if (entry.type === 'messageFinished' || entry.type === 'messageInterrupted') room = {};
    else if (entry.type === 'messageDiscarded' && entry.repeatMaxTokens !== undefined)
      room = { maxTokens: entry.repeatMaxTokens };
  });
  return drafts;
}

function take(draft: Draft, entry: Extract<LogEntry, { messageId: string }>): void {
  switch (entry.type) {
    case 'assistantBlock': {
      draft.blocks.push(entry.block);
      const row = rowOfBlock(entry.messageId, entry.index, entry.block);
      if (row !== undefined) draft.rows.add(row);
      return;
    }
    case 'messageFinished':
      draft.finished = entry;
      return;
    case 'requestFailed':
      draft.failed = entry;
      return;
    case 'messageInterrupted':
      draft.rows.add(`i:${entry.messageId}`);
      draft.ended = entry;
      return;
    case 'messageDiscarded':
      draft.ended = entry;
  }
}

/**
 * A request, projected again from the log of its session: requests are not stored. Undefined where the log has nothing
 * to make it of.
 */
export function requestAt(
  entries: readonly LogEntry[],
  { position, maxTokens }: Pick<InspectedRequest, 'position' | 'maxTokens'>,
  baseUrl: string,
): ModelRequest | undefined {
  const before = entries.slice(0, position);
  const [first, ...rest] = before;
  if (first === undefined || !before.some((entry) => entry.type === 'epochStarted')) return undefined;
  // Projections remember how far they came with a log by its first entry: this one must not disturb the loop's.
  return buildRequest([{ ...first }, ...rest], baseUrl, maxTokens);
}
