import type { SourceView } from '../../protocol/rows.ts';

/**
 * Neighbouring text blocks of an answer that are one text to the reader: the API begins a new block wherever what is cited
 * changes.
 */
export interface TextRun {
  /** Row of the run: the one of its first block. */
  readonly row: string;
  /** Index of its last block. */
  last: number;
  /** Markdown of the blocks before the last, and what they cite. */
  text: string;
  sources: readonly SourceView[];
  /** Its last block may cite. */
  cites: boolean;
}

/** The run that a text block belongs to: it goes on where the block before was one of it, and one of both may cite. */
export function runOf(
  runs: Map<string, TextRun>,
  messageId: string,
  { index, row, cites }: { readonly index: number; readonly row: string; readonly cites: boolean },
): TextRun {
  const known = runs.get(messageId);
  if (known?.last === index) return known;
  if (known !== undefined && known.last === index - 1 && (known.cites || cites)) {
    known.last = index;
    known.cites = cites;
    return known;
  }
  const begun = { row, last: index, text: '', sources: [], cites };
  runs.set(messageId, begun);
  return begun;
}
