import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Field {
  readonly current: HTMLTextAreaElement | null;
}

/** Preact's event of a field that was typed into. */
export type FieldInput = InputEvent & { readonly currentTarget: HTMLTextAreaElement };

/** Whether an `@` was typed that begins a word: others belong to addresses and packages. */
export function isMention({ data, currentTarget: { value, selectionStart } }: FieldInput): boolean {
  return data === '@' && /(?:^|\s)@$/.test(value.slice(0, selectionStart));
}

/** Puts what the host hands over at the cursor, once. */
export function useInsert(
  insert: { readonly seq: number; readonly text: string },
  field: Field,
  change: (text: string) => void,
): void {
  const taken = useRef(0);
  useLayoutEffect(() => {
    const { current } = field;
    if (insert.seq === taken.current || !current) return;
    taken.current = insert.seq;
    current.setRangeText(insert.text, current.selectionStart, current.selectionEnd, 'end');
    change(current.value);
  }, [insert.seq]);
}
