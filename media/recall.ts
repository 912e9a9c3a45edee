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
  const messages = (): string[] => rows.flatMap((row) => (row.kind === 'user' ? [row.text] : []));
  return {
    handles(event) {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return false;
      if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
      const earlier = messages();
      // Text that was changed after its recall is the user's own.
      if (text === '' || text !== earlier.at(-place.current)) place.current = 0;
      if (place.current === 0 && text !== '') return false;
      const next = place.current + (event.key === 'ArrowUp' ? 1 : -1);
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
