/** A replacement of `[start, end)` by `text`. Offsets are UTF-16 units of the text that the edit was computed on. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies edits that are sorted and do not overlap. Throws `RangeError` where they are not, or reach past the text. */
export function applyEdits(text: string, edits: readonly OffsetEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits) {
    if (edit.start < at || edit.end < edit.start || edit.end > text.length) {
      throw new RangeError(`Edit [${String(edit.start)}, ${String(edit.end)}) is out of order or out of range`);
    }
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

/** The edits that turn `applyEdits(text, edits)` back into `text`. */
export function invertEdits(text: string, edits: readonly OffsetEdit[]): OffsetEdit[] {
  let shift = 0;
  return edits.map((edit) => {
    const start = edit.start + shift;
    shift += edit.text.length - (edit.end - edit.start);
    return { start, end: start + edit.text.length, text: text.slice(edit.start, edit.end) };
  });
}

/**
 * The one smallest replacement that turns `before` into `after`; undefined when they are equal. It never cuts a
 * surrogate pair or a CRLF in two: an editor would move such a cut.
 */
export function minimalEdit(before: string, after: string): OffsetEdit | undefined {
  if (before === after) return undefined;
  const start = commonPrefix(before, after);
  const tail = commonSuffix(before, after, Math.min(before.length, after.length) - start);
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

/** The same edit without what it would replace by itself; undefined when it changes nothing. */
export function narrowEdit(text: string, edit: OffsetEdit): OffsetEdit | undefined {
  const inner = minimalEdit(text.slice(edit.start, edit.end), edit.text);
  return inner && { start: edit.start + inner.start, end: edit.start + inner.end, text: inner.text };
}

function commonPrefix(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at > 0 && (joined(a, at) || joined(b, at)) ? at - 1 : at;
}

function commonSuffix(a: string, b: string, limit: number): number {
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length > 0 && (joined(a, a.length - length) || joined(b, b.length - length)) ? length - 1 : length;
}

/** Whether the units on both sides of `at` belong together. */
function joined(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const left = text.charCodeAt(at - 1);
  const right = text.charCodeAt(at);
  if (left === 13 && right === 10) return true;
  return left >= 0xd800 && left <= 0xdbff && right >= 0xdc00 && right <= 0xdfff;
}
