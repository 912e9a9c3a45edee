import { parquetMetadataAsync, parquetRead, parquetSchema } from 'hyparquet';
import type { ByteSource } from './source.ts';
import { MOST_COLUMNS, type TableData } from './tableData.ts';
import { RefusedError } from './zip.ts';

const MOST_ROWS = 1000;
/** Columns are stored as a whole: what is read for the first rows at most, unpacked, bytes. */
const MOST_BYTES = 128 * 1024 * 1024;

/** The first rows of a Parquet file. Only its footer and what these rows need is read. Throws `RefusedError`, and what is wrong with the file. */
export async function readParquet(source: ByteSource): Promise<TableData> {
  const file = {
    byteLength: source.size,
    slice: async (start: number, end = source.size) => {
      const bytes = await source.read(start, end - start);
      return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    },
  };
  const metadata = await parquetMetadataAsync(file);
  const names = parquetSchema(metadata).children.map(({ element }) => element.name);
  const columns = names.slice(0, MOST_COLUMNS);
  const rowCount = Number(metadata.num_rows);
  if (needed(metadata.row_groups) > MOST_BYTES) throw new RefusedError('tableTooLarge');
  let read: readonly (readonly unknown[])[] = [];
  const onComplete = (rows: unknown[][]): void => void (read = rows);
  const rowEnd = Math.min(rowCount, MOST_ROWS);
  if (rowEnd > 0) await parquetRead({ file, metadata, columns, rowEnd, onComplete });
  const rows = read.map((row) => row.map(textOf));
  return { columns, rows, complete: rowCount <= MOST_ROWS, columnCount: names.length, rowCount };
}

function needed(groups: readonly { readonly num_rows: bigint; readonly total_byte_size: bigint }[]): number {
  let [rows, bytes] = [0, 0];
  for (const group of groups) {
    if (rows >= MOST_ROWS) break;
    rows += Number(group.num_rows);
    bytes += Number(group.total_byte_size);
  }
  return bytes;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (value instanceof Uint8Array) return [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return JSON.stringify(value, (_, inner: unknown) => plain(inner));
  }
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
