import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelRequest } from '../ports.ts';
import type { LogEntry, MessageDiscarded, MessageFinished, MessageInterrupted } from '../session/entries.ts';
import { buildRequest } from './request.ts';

/** One request of a session and what came of it, found in its log. */
export interface InspectedRequest {
  /** Our id of the answer. */
  readonly messageId: string;
  /** How many entries there were when it was sent. */
  readonly position: number;
  /** ISO 8601: when its answer began. */
  readonly at: string;
  readonly model: string;
  readonly blocks: readonly ContentBlock[];
  readonly finished?: MessageFinished;
  readonly ended?: MessageDiscarded | MessageInterrupted;
}

interface Draft {
  readonly position: number;
  readonly at: string;
  readonly model: string;
  readonly blocks: ContentBlock[];
  finished?: MessageFinished;
  ended?: MessageDiscarded | MessageInterrupted;
}

/** Every request of a log that got at least one block or an end, oldest first. */
export function requestsOf(entries: readonly LogEntry[]): readonly InspectedRequest[] {
  const drafts = new Map<string, Draft>();
  let model = '';
  entries.forEach((entry, position) => {
    if (entry.type === 'epochStarted') model = entry.model;
    if (!('messageId' in entry)) return;
    const draft = drafts.get(entry.messageId) ?? { position, at: entry.at, model, blocks: [] };
    drafts.set(entry.messageId, draft);
    if (entry.type === 'assistantBlock') draft.blocks.push(entry.block);
    else if (entry.type === 'messageFinished') draft.finished = entry;
    else draft.ended = entry;
  });
  return [...drafts].map(([messageId, draft]) => ({ messageId, ...draft }));
}

/** The request at that place of the log, projected again: requests are not stored. Undefined before the first epoch. */
export function requestAt(entries: readonly LogEntry[], position: number, baseUrl: string): ModelRequest | undefined {
  const before = entries.slice(0, position);
  const [first, ...rest] = before;
  if (first === undefined || !before.some((entry) => entry.type === 'epochStarted')) return undefined;
  // Projections remember how far they came with a log by its first entry: this one must not disturb the loop's.
  return buildRequest([{ ...first }, ...rest], baseUrl);
}
