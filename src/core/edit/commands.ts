import { toEol, toLf, type Eol } from './lineEnds.ts';
import { findText, type Match } from './match.ts';
import { minimalEdit, narrowEdit, type OffsetEdit } from './offsetEdit.ts';

export type Replacement =
  | { readonly kind: 'edits'; readonly edits: readonly OffsetEdit[] }
  | { readonly kind: 'unchanged' }
  | Exclude<Match, { readonly kind: 'one' }>;

/** Replaces the one place where `oldText` stands. The inserted text takes the document's line ends. */
export function replaceText(
  document: { readonly text: string; readonly eol: Eol },
  oldText: string,
  newText: string,
): Replacement {
  const match = findText(document.text, oldText);
  if (match.kind !== 'one') return match;
  const edit = { start: match.start, end: match.end, text: toEol(newText, document.eol) };
  const narrow = toLf(oldText) === toLf(newText) ? undefined : narrowEdit(document.text, edit);
  return narrow ? { kind: 'edits', edits: [narrow] } : { kind: 'unchanged' };
}

/**
 * Inserts whole lines after line `line` (0 = before the first). The text gets the line end that it lacks, and a last
 * line without one keeps lacking it. Returns the number of lines instead when there is no such line.
 */
export function insertLines(
  document: { readonly text: string; readonly eol: Eol },
  line: number,
  inserted: string,
): OffsetEdit | { readonly lineCount: number } {
  const { text, eol } = document;
  const starts = lineStarts(text);
  const open = text !== '' && !/[\r\n]$/.test(text);
  const lineCount = starts.length - 1 + (open ? 1 : 0);
  // The empty last line that editors show counts as one that text can follow.
  if (line < 0 || line > Math.max(lineCount, starts.length)) return { lineCount };
  const body = toEol(inserted, eol);
  if (text === '') return { start: 0, end: 0, text: body };
  const start = line < starts.length ? (starts[line] as number) : text.length;
  if (start < text.length) return { start, end: start, text: endWith(body, eol) };
  return { start, end: start, text: open ? eol + body : endWith(body, eol) };
}

/** Replaces the whole text by the smallest edit. A byte order mark belongs to the encoding and not to the text. */
export function replaceWhole(
  document: { readonly text: string; readonly eol: Eol },
  newText: string,
): OffsetEdit | undefined {
  const bare = newText.startsWith('\uFEFF') ? newText.slice(1) : newText;
  return minimalEdit(document.text, toEol(bare, document.eol));
}

function endWith(text: string, eol: Eol): string {
  return text.endsWith('\n') ? text : text + eol;
}

/** Offsets where lines begin; the last is the text's end when the text ends with a line end. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return starts;
}
