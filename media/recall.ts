import { useRef } from 'preact/hooks';
import type { Row } from '../src/protocol/rows.ts';

interface Recall {
  /** Takes ↑ in an empty field, and ↑ and ↓ while what is in it was recalled. Returns whether the key was taken. */
  handles(event: KeyboardEvent): boolean;
  forget(): void;
}

/** Walks through the user's earlier messages of the session, newest first. */
export function useRecall(rows: readonly Row[], text: string, change: (text: string) => void): Recall {
  /** How far back; 0 is the field itself. */
  const place = useRef(0);
  return {
    handles(event) {
      const step = stepOf(event);
      if (step === 0) return false;
      const earlier = rows.flatMap((row) => (row.kind === 'user' ? [row.text] : []));
      // Text that was changed after its recall is the user's own.
      const recalled = place.current > 0 && text === earlier.at(-place.current);
      if (!recalled && text !== '') return false;
      const next = (recalled ? place.current : 0) + step;
      if (next < 0 || next > earlier.length) return false;
      place.current = next;
      change(next === 0 ? '' : (earlier.at(-next) ?? ''));
      return true;
    },
    forget() {
      place.current = 0;
    },
  };
}

function stepOf(event: KeyboardEvent): -1 | 0 | 1 {
  if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return 0;
  if (event.key === 'ArrowUp') return 1;
  return event.key === 'ArrowDown' ? -1 : 0;
}
