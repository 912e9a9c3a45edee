import type { ByteSource } from './source.ts';
import { MOST_COLUMNS, MOST_ROWS, type TableData } from './tableData.ts';
import { readDirectory, readEntry, RefusedError, type ZipEntry } from './zip.ts';

export interface Workbook {
  /** Names, in the workbook's order. */
  readonly sheets: readonly string[];
  /** The first rows of a sheet. Throws `RefusedError`. */
  read(sheet: number): Promise<TableData>;
}

/** What is read of one part of the package at most, bytes. */
const LIMITS = { sheet: 12 * 1024 * 1024, strings: 24 * 1024 * 1024, other: 4 * 1024 * 1024 };
const MOST_SHEETS = 200;

/** Opens a workbook: Office Open XML, read as text, with nothing of it executed or unpacked to disk. Throws `RefusedError`. */
export async function openWorkbook(source: ByteSource, limits = LIMITS): Promise<Workbook> {
  const directory = await readDirectory(source);
  const part = async (name: string, most = limits.other) => {
    const entry = directory.get(name);
    return entry && readEntry(source, entry, most);
  };
  const workbook = parse((await part('xl/workbook.xml'))?.text);
  if (!workbook) throw new RefusedError('notSpreadsheet');
  const relations = parse((await part('xl/_rels/workbook.xml.rels'))?.text);
  const sheets = sheetsOf(workbook, relations, directory).slice(0, MOST_SHEETS);
  const epoch1904 = /^(1|true)$/.test(all(workbook, 'workbookPr')[0]?.getAttribute('date1904') ?? '');
  let context: Promise<Context> | undefined;
  const load = async (): Promise<Context> => {
    const strings = await part('xl/sharedStrings.xml', limits.strings);
    const styles = parse((await part('xl/styles.xml'))?.text);
    return { strings: sharedStrings(strings), isDate: dateStyles(styles), epoch1904 };
  };
  return {
    sheets: sheets.map(({ name }) => name),
    async read(index) {
      const entry = sheets[index]?.entry;
      if (!entry) throw new RefusedError('notSpreadsheet');
      const { text, cut } = await readEntry(source, entry, limits.sheet);
      return tableOf(text, cut, await (context ??= load()));
    },
  };
}

interface Context {
  readonly strings: readonly string[];
  /** By style index: the number is a date. */
  readonly isDate: readonly boolean[];
  readonly epoch1904: boolean;
}

function sheetsOf(workbook: Document, relations: Document | undefined, directory: ReadonlyMap<string, ZipEntry>) {
  const targets = new Map(
    relations
      ? all(relations, 'Relationship').map((one) => [one.getAttribute('Id') ?? '', one.getAttribute('Target') ?? ''])
      : [],
  );
  return all(workbook, 'sheet').flatMap((sheet) => {
    const target = targets.get(sheet.getAttribute('r:id') ?? '') ?? '';
    const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`;
    const entry = directory.get(path);
    return entry ? [{ name: sheet.getAttribute('name') ?? path, entry }] : [];
  });
}

function sharedStrings(part: { readonly text: string; readonly cut: boolean } | undefined): readonly string[] {
  if (!part) return [];
  const document = parse(part.cut ? closeAt(part.text, 'si', ['sst']) : part.text);
  return document ? all(document, 'si').map(textOf) : [];
}

/** Formatted text has its runs in `r`; what is only pronunciation (`rPh`) is left out. */
function textOf(item: Element): string {
  return all(item, 't')
    .filter((text) => text.parentElement?.localName !== 'rPh')
    .map((text) => text.textContent)
    .join('');
}

function dateStyles(styles: Document | undefined): readonly boolean[] {
  if (!styles) return [];
  const own = new Map(
    all(styles, 'numFmt').map((format) => [format.getAttribute('numFmtId'), format.getAttribute('formatCode') ?? '']),
  );
  const formats = all(styles, 'cellXfs')[0];
  return (formats ? all(formats, 'xf') : []).map((format) => {
    const id = format.getAttribute('numFmtId');
    const code = own.get(id)?.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
    return code === undefined ? isBuiltInDate(Number(id)) : /[dmyhs]/i.test(code);
  });
}

function isBuiltInDate(id: number): boolean {
  return (id >= 14 && id <= 22) || (id >= 45 && id <= 47);
}

function tableOf(xml: string, cut: boolean, context: Context): TableData {
  const document = parse(cut ? closeAt(xml, 'row', ['sheetData', 'worksheet']) : xml);
  if (!document) throw new RefusedError('notSpreadsheet');
  const rows: string[][] = [];
  let widest = 0;
  const found = all(document, 'row');
  for (const row of found) {
    const number = numberOf(row) ?? rows.length + 1;
    if (number > MOST_ROWS || rows.length >= MOST_ROWS) break;
    while (rows.length < number - 1) rows.push([]);
    const { cells, width } = cellsOf(row, context);
    widest = Math.max(widest, width);
    rows.push(cells);
  }
  const last = found.at(-1);
  const columns = Array.from({ length: Math.min(widest, MOST_COLUMNS) }, (_, index) => letters(index));
  const complete = !cut && (last ? (numberOf(last) ?? found.length) : 0) <= MOST_ROWS;
  return { columns, rows, complete, columnCount: widest };
}

function numberOf(row: Element): number | undefined {
  const number = row.getAttribute('r');
  return number === null ? undefined : Number(number);
}

/** The cells of a row up to the last column that is shown, and how many columns the row has. */
function cellsOf(row: Element, context: Context): { readonly cells: string[]; readonly width: number } {
  const cells: string[] = [];
  let width = 0;
  for (const cell of children(row, 'c')) {
    const column = columnOf(cell.getAttribute('r')) ?? width;
    width = Math.max(width, column + 1);
    if (column >= MOST_COLUMNS) continue;
    while (cells.length < column) cells.push('');
    cells[column] = valueOf(cell, context);
  }
  return { cells, width };
}

function valueOf(cell: Element, { strings, isDate, epoch1904 }: Context): string {
  const raw = children(cell, 'v')[0]?.textContent ?? '';
  switch (cell.getAttribute('t')) {
    case 's':
      return strings[Number(raw)] ?? '';
    case 'inlineStr':
      return textOf(cell);
    case 'b':
      return raw === '1' ? 'TRUE' : 'FALSE';
    case 'str':
    case 'e':
    case 'd':
      return raw;
    default:
      return raw !== '' && isDate[Number(cell.getAttribute('s') ?? 0)] ? dateOf(Number(raw), epoch1904) : raw;
  }
}

/** Days since 1899-12-30, which makes up for a leap day that 1900 did not have. */
function dateOf(serial: number, epoch1904: boolean): string {
  const days = serial + (epoch1904 ? 1462 : 0);
  const ms = Math.round((days - 25_569) * 86_400) * 1000;
  if (!Number.isFinite(ms) || Math.abs(ms) > 8.64e15) return String(serial);
  const iso = new Date(ms).toISOString();
  if (days < 1) return iso.slice(11, 19);
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}

/** `BC12` → 54. */
function columnOf(reference: string | null): number | undefined {
  const name = /^([A-Z]{1,3})\d+$/.exec(reference ?? '')?.[1];
  return name === undefined
    ? undefined
    : Array.from(name).reduce((sum, char) => sum * 26 + char.charCodeAt(0) - 64, 0) - 1;
}

function letters(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest === 0 ? '' : letters(rest - 1)) + String.fromCharCode(65 + (index % 26));
}

/** A document of our own would expand what it declares: one with declarations is not read. */
function parse(xml: string | undefined): Document | undefined {
  if (xml === undefined || /<!(DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  return all(document, 'parsererror').length > 0 ? undefined : document;
}

function all(within: Document | Element, name: string): readonly Element[] {
  return [...within.getElementsByTagNameNS('*', name)];
}

function children(of: Element, name: string): readonly Element[] {
  return [...of.children].filter(({ localName }) => localName === name);
}

/** A text that was cut somewhere, closed after its last whole element. */
function closeAt(xml: string, element: string, outer: readonly string[]): string {
  const prefix = new RegExp(`<([\\w-]+:)?${element}[ >]`).exec(xml)?.[1] ?? '';
  const close = `</${prefix}${element}>`;
  const end = xml.lastIndexOf(close);
  return xml.slice(0, Math.max(0, end) + close.length) + outer.map((name) => `</${prefix}${name}>`).join('');
}
