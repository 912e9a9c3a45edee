/** Rows of a table with their column names. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads CSV as RFC 4180 has it: quoted fields may hold separators, quotes (doubled) and line ends. The first row names the
 * columns. The separator is the one of `,` `;` and tab that the first line has most of. Blank lines are left out; a row that
 * is too short is filled up.
 */
export function readCsv(text: string): Table {
  const source = text.replace(/^\uFEFF/, '');
  const records = readRecords(source, separatorOf(source)).filter((row) => row.some((cell) => cell.trim() !== ''));
  const [head = [], ...rows] = records;
  const columns = head.map((name, index) => name.trim() || `column ${String(index + 1)}`);
  return { columns, rows: rows.map((row) => columns.map((_, index) => row[index] ?? '')) };
}

function separatorOf(text: string): string {
  const end = text.search(/\r|\n/);
  const line = end < 0 ? text : text.slice(0, end);
  const count = (mark: string): number => line.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function readRecords(text: string, separator: string): string[][] {
  const records: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const field = text[at] === '"' ? quoted(text, at) : bare(text, at, separator);
    row.push(field.value);
    at = field.end;
    if (text[at] === separator) {
      at += 1;
      // A separator at the very end opens an empty field.
      if (at === text.length) row.push('');
      continue;
    }
    records.push(row);
    row = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  if (row.length > 0) records.push(row);
  return records;
}

interface Field {
  readonly value: string;
  readonly end: number;
}

function bare(text: string, start: number, separator: string): Field {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { value: text.slice(start, end), end };
}

/** A quote that is never closed runs to the end of the text. What stands between a closing quote and the separator is kept. */
function quoted(text: string, start: number): Field {
  let value = '';
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return { value: value + text.slice(at), end: text.length };
    value += text.slice(at, close);
    at = close + 1;
    if (text[at] !== '"') return { value, end: at };
    value += '"';
    at += 1;
  }
}

/** The prompt with `{{column}}` filled in; where it names no column, the row follows it, column by column. */
export function fillRow(prompt: string, { columns }: Pick<Table, 'columns'>, row: readonly string[]): string {
  const find = (name: string): number =>
    columns.findIndex((column) => column.toLowerCase() === name.trim().toLowerCase());
  const filled = prompt.replace(/\{\{([^{}]{1,200})\}\}/g, (whole, name: string) => row[find(name)] ?? whole);
  if (namesColumn(prompt, find)) return filled;
  return `${prompt}\n\n${columns.map((column, index) => `${column}: ${row[index] ?? ''}`).join('\n')}`;
}

function namesColumn(prompt: string, find: (name: string) => number): boolean {
  return [...prompt.matchAll(/\{\{([^{}]{1,200})\}\}/g)].some(([, name = '']) => find(name) >= 0);
}
