import { CancelledError } from '../errors.ts';
import type { LiveEvent } from '../session/live.ts';
import type { NoticeAction, NoticeRow } from '../../protocol/rows.ts';

/** What the loop asks the user by a card with buttons, apart from approvals of calls. */
export interface Questions {
  /** Shows the card and waits for one of its actions. Rejects with `CancelledError` on abort; the card is gone then. */
  ask(card: Omit<NoticeRow, 'asks'>, signal: AbortSignal): Promise<NoticeAction['id']>;
  /** False when no such card waits, or it has no such action. */
  answer(id: string, action: string): boolean;
  readonly waiting: number;
}

export interface QuestionsDeps {
  emit(event: LiveEvent): void;
  /** The number of waiting cards changed; `asked` is the one that began to wait. */
  changed(asked?: { readonly callId: string; readonly title: string; readonly says: string }): void;
}

interface Waiting {
  readonly actions: readonly NoticeAction[];
  readonly resolve: (action: NoticeAction['id']) => void;
}

export function createQuestions(deps: QuestionsDeps): Questions {
  const waiting = new Map<string, Waiting>();
  return {
    async ask(card, signal) {
      if (signal.aborted) throw new CancelledError();
      const { id, title, detail, actions } = card;
      const says = [title, detail].filter((text) => text !== undefined).join(' ');
      try {
        return await new Promise((resolve, reject) => {
          waiting.set(id, { actions, resolve });
          signal.addEventListener('abort', () => reject(new CancelledError()), { once: true });
          deps.emit({ type: 'card', id, row: { ...card, asks: true } });
          deps.changed({ callId: id, title, says });
        });
      } finally {
        waiting.delete(id);
        deps.emit({ type: 'card', id, row: undefined });
        deps.changed();
      }
    },
    answer(id, action) {
      const found = waiting.get(id)?.actions.find((known) => known.id === action);
      if (found === undefined) return false;
      waiting.get(id)?.resolve(found.id);
      return true;
    },
    get waiting() {
      return waiting.size;
    },
  };
}
