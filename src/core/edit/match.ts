import { countLineEnds, toEol, toLf } from './lineEnds.ts';

export type Match =
  | { readonly kind: 'one'; readonly start: number; readonly end: number }
  /** `lines` are the 1-based lines where the first matches begin, at most `MAX_LISTED`. */
  | { readonly kind: 'many'; readonly count: number; readonly lines: readonly number[] }
  | { readonly kind: 'none' };

const MAX_LISTED = 20;

/**
 * Looks for `needle` in `text`, line ends compared as LF: a model writes LF whatever the file has. Offsets are those of
 * `text` as it is. An empty needle matches nothing. Linear in both lengths.
 */
export function findText(text: string, needle: string): Match {
  if (needle === '') return { kind: 'none' };
  if (!text.includes('\r')) return search(text, toLf(needle));
  const { lf, cr } = countLineEnds(text);
  if (lf === 0 && cr === 0) return search(text, toEol(needle, '\r\n'));
  const found = search(toLf(text), toLf(needle));
  if (found.kind !== 'one') return found;
  return { kind: 'one', start: originalOffset(text, found.start), end: originalOffset(text, found.end) };
}

function search(text: string, needle: string): Match {
  const first = text.indexOf(needle);
  if (first < 0) return { kind: 'none' };
  // Overlapping matches are two places as well.
  const second = text.indexOf(needle, first + 1);
  if (second < 0) return { kind: 'one', start: first, end: first + needle.length };
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let counted = 0;
  for (let at = first; at >= 0; at = text.indexOf(needle, count === 1 ? at + 1 : at + needle.length)) {
    if (lines.length < MAX_LISTED) {
      line += newlines(text, counted, at);
      counted = at;
      if (lines[lines.length - 1] !== line) lines.push(line);
    }
    count++;
  }
  return { kind: 'many', count, lines };
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Maps an offset of the LF text back: every CRLF before it is one unit longer in the original. */
function originalOffset(text: string, lfOffset: number): number {
  let shift = 0;
  for (let at = text.indexOf('\r\n'); at >= 0 && at - shift < lfOffset; at = text.indexOf('\r\n', at + 2)) shift++;
  return lfOffset + shift;
}
