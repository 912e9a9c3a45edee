import * as l10n from '@vscode/l10n';
import type { Ids, SessionLog } from '../ports.ts';
import { UNKNOWN_RESULT } from '../session/toMessages.ts';
import type { LogEntry, NewEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import type { AnyTool } from '../tools/tool.ts';
import { filesIn } from './downloads.ts';
import { fatesOf, type Fate } from './fate.ts';
import { presenterOf } from './presenter.ts';

/**
 * What has to be recorded after a host that ended in the middle of a turn: files that were not fetched can be fetched
 * again, calls that had begun are said to be of unknown fate, the open answers and the turn are closed.
 */
export function closeInterrupted(
  entries: readonly LogEntry[],
  tools: readonly AnyTool[],
  fates: ReadonlyMap<string, Fate> = new Map(),
): readonly NewEntry[] {
  const turnId = openTurn(entries);
  if (turnId === undefined) return [];
  const { pieces } = foldConversation(entries);
  const open = pieces.flatMap((piece) => (piece.kind === 'answer' && piece.state === 'open' ? [piece.messageId] : []));
  return [
    ...lostFiles(entries, tools),
    ...lostCalls(entries, tools, fates),
    ...open.map((messageId): NewEntry => ({ type: 'messageInterrupted', messageId, reason: 'hostStopped' })),
    { type: 'turnEnded', turnId, outcome: 'interrupted' },
  ];
}

/** Records the end of a turn that its host did not live to see. Returns what kept it from being recorded. */
export async function closeTurn(log: SessionLog, tools: readonly AnyTool[], ids: Ids): Promise<unknown> {
  if (log.readOnly) return undefined;
  try {
    const fates = await fatesOf(log.entries(), tools, ids);
    const fresh = log.header.origin !== undefined && log.header.origin.entry === log.entries().at(-1)?.id;
    for (const entry of closeInterrupted(log.entries(), tools, fates))
      // Of a branch nothing was interrupted: it begins as a copy up to a request in the middle of a turn.
      await log.append(fresh && entry.type === 'turnEnded' ? { ...entry, branched: true } : entry);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The turn that has no end. A message that no turn began on counts as one, by its own id. */
function openTurn(entries: readonly LogEntry[]): string | undefined {
  const last = entries.findLast(({ type }) => type === 'userMessage' || type === 'turnStarted' || type === 'turnEnded');
  if (last === undefined || last.type === 'turnEnded') return undefined;
  return last.type === 'turnStarted' ? last.turnId : last.id;
}

function lostFiles(entries: readonly LogEntry[], tools: readonly AnyTool[]): readonly NewEntry[] {
  const known = new Set(entries.flatMap((entry) => (entry.type === 'attachmentStored' ? [entry.fileId] : [])));
  return entries.flatMap((entry): NewEntry[] => {
    if (entry.type !== 'assistantBlock') return [];
    const lost = filesIn(entry.block, tools).filter(({ fileId }) => !known.has(fileId));
    lost.forEach(({ fileId }) => known.add(fileId));
    const failure = l10n.t('It was not fetched before the window or the extension host ended.');
    return lost.map((file) => ({
      ...{ type: 'attachmentStored', ...file, name: '', mimeType: 'application/octet-stream', size: 0, failure },
    }));
  });
}

/** What Claude and the user are told of a call that began and has no result. */
function fateOf(fate: Fate | undefined): {
  readonly content: string;
  readonly text: string;
  readonly isError: boolean;
} {
  switch (fate) {
    case 'applied':
      return {
        content: 'The edit was applied; the extension was interrupted before it could say so. Do not repeat it.',
        text: l10n.t('The window or the extension host ended after this edit. The file has it.'),
        isError: false,
      };
    case 'unchanged':
      return {
        content: 'Not executed: interrupted before the edit was applied. The file is unchanged.',
        text: l10n.t('The window or the extension host ended before this edit. The file is unchanged.'),
        isError: true,
      };
    case undefined:
      return {
        content: UNKNOWN_RESULT,
        text: l10n.t('The window or the extension host ended while this ran. It may have taken effect: please check.'),
        isError: true,
      };
  }
}

function lostCalls(
  entries: readonly LogEntry[],
  tools: readonly AnyTool[],
  fates: ReadonlyMap<string, Fate>,
): readonly NewEntry[] {
  const { results, begun, pieces } = foldConversation(entries);
  const { clientTitle } = presenterOf(tools);
  const blocks = pieces.flatMap((piece) => (piece.kind === 'answer' ? piece.blocks : []));
  return blocks.flatMap((block): NewEntry[] => {
    if (block.type !== 'tool_use' || results.has(block.id) || !begun.has(block.id)) return [];
    const { content, text, isError } = fateOf(fates.get(block.id));
    return [
      {
        type: 'toolFinished',
        callId: block.id,
        content,
        isError,
        status: isError ? 'cancelled' : 'done',
        title: clientTitle(block.name, block.input),
        body: { kind: 'text', text },
      },
    ];
  });
}
