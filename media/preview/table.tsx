import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { format } from '../../src/protocol/format.ts';
import { number } from '../format.ts';
import { visible } from '../visible.ts';
import { usePage } from './page.ts';
import { columnKinds, columnWidths, type ColumnKind } from './tableLayout.ts';
import type { TableData } from './tableData.ts';

const ROW_HEIGHT = 24;
/** Rows that are drawn beyond what is seen. */
const MARGIN = 12;
const LONGEST_CELL = 500;

interface Position {
  readonly row: number;
  readonly column: number;
}

/**
 * The beginning of a table. Only the rows in sight are drawn. One cell has the focus: arrows, Home, End, Page Up and
 * Page Down move it, and what it holds is shown whole below the table.
 */
export function Table({ data, label }: { readonly data: TableData; readonly label: string }) {
  const { strings, language } = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const height = useHeight(scroller);
  const [at, setAt] = useState<Position>({ row: 0, column: 0 });
  const widths = useMemo(() => columnWidths(data), [data]);
  const kinds = useMemo(() => columnKinds(data), [data]);
  if (data.rows.length === 0 && data.columns.length === 0) return <p class="preview-note">{strings.emptyTable}</p>;

  const move = (next: Position): void => {
    setAt(next);
    reveal(scroller.current, next, widths);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
    const next = moved(event, at, { rows: data.rows.length, columns: data.columns.length, page });
    if (!next) return;
    event.preventDefault();
    move(next);
  };
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - MARGIN);
  const last = Math.min(data.rows.length, Math.ceil((top + height) / ROW_HEIGHT) + MARGIN);
  const value = data.rows[at.row]?.[at.column] ?? '';
  return (
    <div class="table">
      <div
        ref={scroller}
        class="table-scroller"
        role="grid"
        aria-label={label}
        aria-rowcount={(data.rowCount ?? (data.complete ? data.rows.length : -2)) + 1}
        aria-colcount={data.columnCount}
        aria-readonly
        aria-activedescendant={`c-${at.row}-${at.column}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <Header columns={data.columns} {...{ widths, kinds }} />
        <div class="table-body" role="rowgroup" style={{ height: `${data.rows.length * ROW_HEIGHT}px` }}>
          {data.rows.slice(first, last).map((row, index) => (
            <Row
              key={first + index}
              {...{ row, widths, kinds, language }}
              index={first + index}
              current={at.row === first + index ? at.column : undefined}
              onPick={(column) => setAt({ row: first + index, column })}
            />
          ))}
        </div>
      </div>
      <p class="table-value" aria-live="polite">
        {format(strings.cell, visible(data.columns[at.column] ?? ''), number(at.row + 1, language))}{' '}
        <bdi>{visible(value)}</bdi>
      </p>
      <p class="preview-note">{extent(data, strings, language)}</p>
    </div>
  );
}

/** Of what is in sight, pixels. */
function useHeight(element: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const measure = (): void => setHeight(element.current?.clientHeight || 600);
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, []);
  return height;
}

interface HeaderProps {
  readonly columns: readonly string[];
  readonly widths: readonly number[];
  readonly kinds: readonly ColumnKind[];
}

function Header({ columns, widths, kinds }: HeaderProps) {
  return (
    <div class="table-header" role="rowgroup">
      <div class="table-row" role="row" aria-rowindex={1}>
        <span class="table-number" aria-hidden="true" />
        {columns.map((name, index) => (
          <span
            key={index}
            class={`table-cell${kindClass(kinds[index])}`}
            role="columnheader"
            aria-colindex={index + 1}
            title={visible(name)}
            style={{ width: `${widths[index] ?? 8}ch` }}
          >
            {visible(name)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** A heading stands where what is below it stands. */
function kindClass(kind: ColumnKind | undefined): string {
  return kind === 'number' ? ' table-cell-number' : '';
}

interface RowProps {
  readonly row: readonly string[];
  readonly index: number;
  readonly widths: readonly number[];
  readonly kinds: readonly ColumnKind[];
  readonly language: string;
  /** The column of the cell that has the focus, when it is in this row. */
  readonly current: number | undefined;
  onPick(column: number): void;
}

function Row({ row, index, widths, kinds, language, current, onPick }: RowProps) {
  return (
    <div class="table-row" role="row" aria-rowindex={index + 2} style={{ top: `${index * ROW_HEIGHT}px` }}>
      <span class="table-number" aria-hidden="true">
        {number(index + 1, language)}
      </span>
      {widths.map((width, column) => {
        const text = row[column] ?? '';
        const kind = kindClass(kinds[column]);
        return (
          <span
            key={column}
            id={`c-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 1}
            aria-selected={current === column}
            class={`table-cell${kind}${current === column ? ' table-cell-current' : ''}`}
            style={{ width: `${width}ch` }}
            onClick={() => onPick(column)}
          >
            {visible(text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text)}
          </span>
        );
      })}
    </div>
  );
}

interface Extent {
  readonly rows: number;
  readonly columns: number;
  /** Rows of a page. */
  readonly page: number;
}

/** Where a key moves the focus; undefined when it is none of ours. */
function moved({ key, ctrlKey, metaKey }: KeyboardEvent, at: Position, extent: Extent): Position | undefined {
  const ends = ctrlKey || metaKey;
  const step: Readonly<Record<string, Position>> = {
    ArrowUp: { row: ends ? 0 : at.row - 1, column: at.column },
    ArrowDown: { row: ends ? Infinity : at.row + 1, column: at.column },
    ArrowLeft: { row: at.row, column: ends ? 0 : at.column - 1 },
    ArrowRight: { row: at.row, column: ends ? Infinity : at.column + 1 },
    PageUp: { row: at.row - extent.page, column: at.column },
    PageDown: { row: at.row + extent.page, column: at.column },
    Home: { row: ends ? 0 : at.row, column: 0 },
    End: { row: ends ? Infinity : at.row, column: Infinity },
  };
  const next = Object.hasOwn(step, key) ? step[key] : undefined;
  if (!next) return undefined;
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), Math.max(most - 1, 0));
  return { row: within(next.row, extent.rows), column: within(next.column, extent.columns) };
}

/** Scrolls as little as needed. The header covers one row's height of the top. */
function reveal(scroller: HTMLElement | null, { row, column }: Position, widths: readonly number[]): void {
  if (!scroller) return;
  const top = row * ROW_HEIGHT;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + 2 * ROW_HEIGHT;
  if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
  const header = scroller.querySelectorAll<HTMLElement>('.table-header .table-cell')[column];
  if (!header || widths.length === 0) return;
  if (header.offsetLeft < scroller.scrollLeft) scroller.scrollLeft = header.offsetLeft;
  const right = header.offsetLeft + header.offsetWidth;
  if (right > scroller.scrollLeft + scroller.clientWidth) scroller.scrollLeft = right - scroller.clientWidth;
}

function extent(data: TableData, strings: ReturnType<typeof usePage>['strings'], language: string): string {
  const shown = number(data.rows.length, language);
  const total = data.rowCount === undefined ? '' : number(data.rowCount, language);
  const rows = data.complete ? format(strings.allRows, shown) : format(strings.firstRows, shown, total || '?');
  const hidden = data.columnCount - data.columns.length;
  return hidden > 0 ? `${rows} ${format(strings.moreColumns, number(hidden, language))}` : rows;
}
