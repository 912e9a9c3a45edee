import type { LogEntry } from '../session/entries.ts';
import type { NewEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';

/** What has to be recorded after a host that ended in the middle of a turn: the open answer and the turn are closed. */
export function closeInterrupted(entries: readonly LogEntry[]): readonly NewEntry[] {
  const started = entries.findLast((entry) => entry.type === 'turnStarted');
  const ended = entries.some((entry) => entry.type === 'turnEnded' && entry.turnId === started?.turnId);
  if (started === undefined || ended) return [];
  const open = foldConversation(entries).pieces.filter((piece) => piece.kind === 'answer' && piece.state === 'open');
  return [
    ...open.map((piece): NewEntry => ({
      type: 'messageInterrupted',
      messageId: piece.kind === 'answer' ? piece.messageId : '',
      reason: 'hostStopped',
    })),
    { type: 'turnEnded', turnId: started.turnId, outcome: 'interrupted' },
  ];
}
