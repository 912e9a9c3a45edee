import { encodingOf } from './encoding.ts';
import type { ByteSource } from './source.ts';
import { MOST_COLUMNS, MOST_ROWS, type TableData } from './tableData.ts';

/** Of the file's beginning, bytes. */
const MOST_BYTES = 4 * 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The first rows of a file of separated values; the first of them names the columns. */
export async function readCsv(source: ByteSource): Promise<TableData> {
  const bytes = await source.read(0, MOST_BYTES);
  const cut = bytes.length < source.size;
  const { rows, complete } = parseCsv(decode(bytes), cut);
  const [header = [], ...body] = rows;
  const width = Math.max(header.length, ...body.slice(0, 1000).map((row) => row.length));
  const columns = Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, index) => header[index] ?? '');
  return { columns, rows: body, complete: complete && !cut, columnCount: width };
}

interface Parsed {
  readonly rows: readonly (readonly string[])[];
  readonly complete: boolean;
}

/** RFC 4180 with any of the usual delimiters and line ends. A row that the cut went through is left out. */
export function parseCsv(text: string, cut = false): Parsed {
  const delimiter = delimiterOf(text);
  const rows: (readonly string[])[] = [];
  let at = 0;
  while (at < text.length && rows.length <= MOST_ROWS) {
    const row = rowAt(text, at, delimiter);
    if (cut && row.end >= text.length) break;
    // An empty line is no row of one empty cell.
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row.cells);
    at = row.end + (text.startsWith('\r\n', row.end) ? 2 : 1);
  }
  return { rows, complete: at >= text.length };
}

function rowAt(text: string, start: number, delimiter: string): { readonly cells: string[]; readonly end: number } {
  const cells: string[] = [];
  for (let at = start; ; at++) {
    const { value, end } = text[at] === '"' ? quoted(text, at, delimiter) : plain(text, at, delimiter);
    cells.push(value);
    at = end;
    if (text[at] !== delimiter) return { cells, end: at };
  }
}

function plain(text: string, start: number, delimiter: string): { readonly value: string; readonly end: number } {
  let end = start;
  for (; end < text.length; end++) {
    const char = text[end];
    if (char === delimiter || char === '\n' || char === '\r') break;
  }
  return { value: text.slice(start, end), end };
}

/** What follows the closing quote belongs to the cell, as other programs take it. */
function quoted(text: string, start: number, delimiter: string): { readonly value: string; readonly end: number } {
  let value = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, quote);
    if (text[quote + 1] !== '"') {
      const rest = plain(text, quote + 1, delimiter);
      return { value: value + rest.value, end: rest.end };
    }
    value += '"';
    at = quote + 2;
  }
}

/** The one that cuts the first lines into the same number of cells, and into most. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
    .slice(0, 20);
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const [first = 0] = counts;
    const same = counts.filter((count) => count === first).length / Math.max(counts.length, 1);
    return first === 0 ? 0 : same * 1000 + first;
  };
  return [...DELIMITERS].sort((a, b) => score(b) - score(a))[0] ?? ',';
}

function decode(bytes: Uint8Array): string {
  const encoding = encodingOf(bytes);
  if (encoding !== 'utf-8') return new TextDecoder(encoding).decode(bytes);
  try {
    // The last character may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
