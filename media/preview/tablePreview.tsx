import { useState } from 'preact/hooks';
import type { PreviewFile, PreviewStrings } from '../../src/protocol/preview.ts';
import { format } from '../../src/protocol/format.ts';
import { label } from '../visible.ts';
import { readCsv } from './csv.ts';
import { readParquet } from './parquet.ts';
import { usePage } from './page.ts';
import type { ByteSource } from './source.ts';
import { Table } from './table.tsx';
import type { TableData } from './tableData.ts';
import { useLoaded } from './useLoaded.ts';
import { openWorkbook } from './xlsx.ts';
import { RefusedError } from './zip.ts';

interface Book {
  readonly sheets: readonly string[];
  read(sheet: number): Promise<TableData>;
}

/** The beginning of a table file; of a workbook one sheet at a time. */
export function TablePreview({ file, source }: { readonly file: PreviewFile; readonly source: ByteSource }) {
  const { strings } = usePage();
  const book = useLoaded(() => openBook(file, source), [source]);
  if (book.state === 'loading') return <p class="preview-note">{strings.loading}</p>;
  if (book.state === 'failed') return <Failure error={book.error} />;
  return <Sheets book={book.value} name={file.name} />;
}

async function openBook(file: PreviewFile, source: ByteSource): Promise<Book> {
  if (file.kind === 'xlsx') return openWorkbook(source);
  return { sheets: [], read: () => (file.kind === 'parquet' ? readParquet(source) : readCsv(source)) };
}

function Sheets({ book, name }: { readonly book: Book; readonly name: string }) {
  const { strings } = usePage();
  const [sheet, setSheet] = useState(0);
  const data = useLoaded(() => book.read(sheet), [book, sheet]);
  return (
    <>
      {book.sheets.length > 1 && (
        <label class="preview-sheet">
          {strings.sheet}{' '}
          <select value={sheet} onChange={(event) => setSheet(Number(event.currentTarget.value))}>
            {book.sheets.map((title, index) => (
              <option key={index} value={index}>
                {label(title)}
              </option>
            ))}
          </select>
        </label>
      )}
      {data.state === 'loading' && <p class="preview-note">{strings.loading}</p>}
      {data.state === 'failed' && <Failure error={data.error} />}
      {data.state === 'ready' && <Table key={sheet} data={data.value} label={format(strings.table, label(name))} />}
    </>
  );
}

export function Failure({ error }: { readonly error: unknown }) {
  const { strings } = usePage();
  return (
    <p class="preview-note preview-failure" role="alert">
      {reasonOf(error, strings)}
    </p>
  );
}

function reasonOf(error: unknown, strings: PreviewStrings): string {
  if (error instanceof RefusedError) return strings[error.reason];
  return format(strings.failed, error instanceof Error ? error.message : String(error));
}
