import type { TableData } from './tableData.ts';

export type ColumnKind = 'number' | 'text';

/** Cells of a column that are looked at, from all over the table. */
const SAMPLE = 500;
const NARROWEST = 5;
const WIDEST = 40;

/** In characters. */
export function columnWidths({ columns, rows }: TableData): readonly number[] {
  const sample = sampleOf(rows);
  return columns.map((name, index) => {
    const longest = Math.max(name.length, ...sample.map((row) => row[index]?.length ?? 0));
    return Math.min(Math.max(longest + 3, NARROWEST), WIDEST);
  });
}

/** A column that has numbers only (and gaps) is one of numbers. */
export function columnKinds({ columns, rows }: TableData): readonly ColumnKind[] {
  const sample = sampleOf(rows);
  return columns.map((_, index) => {
    const values = sample.map((row) => row[index] ?? '').filter((value) => value !== '');
    return values.length > 0 && values.every((value) => /^[-+]?[\d.,\s]*\d(e[-+]?\d+)?%?$/i.test(value))
      ? 'number'
      : 'text';
  });
}

/** Every nth row, and the last one, which often is the longest. */
function sampleOf<T>(rows: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(rows.length / SAMPLE));
  return rows.filter((_, index) => index % step === 0 || index === rows.length - 1);
}
