import type { TableData } from './tableData.ts';

export type ColumnKind = 'number' | 'text';

const SAMPLE = 200;
const NARROWEST = 5;
const WIDEST = 40;

/** In characters, by what the first rows hold. */
export function columnWidths({ columns, rows }: TableData): readonly number[] {
  const sample = rows.slice(0, SAMPLE);
  return columns.map((name, index) => {
    const longest = Math.max(name.length, ...sample.map((row) => row[index]?.length ?? 0));
    return Math.min(Math.max(longest + 2, NARROWEST), WIDEST);
  });
}

/** A column whose first rows are numbers (or empty) is one of numbers. */
export function columnKinds({ columns, rows }: TableData): readonly ColumnKind[] {
  const sample = rows.slice(0, SAMPLE);
  return columns.map((_, index) => {
    const values = sample.map((row) => row[index] ?? '').filter((value) => value !== '');
    return values.length > 0 && values.every((value) => /^[-+]?[\d.,\s]*\d(e[-+]?\d+)?%?$/i.test(value))
      ? 'number'
      : 'text';
  });
}
