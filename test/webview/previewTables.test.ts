import './support/dom.ts';
import assert from 'node:assert/strict';
import { parseCsv, readCsv } from '../../media/preview/csv.ts';
import { readParquet } from '../../media/preview/parquet.ts';
import type { ByteSource } from '../../media/preview/source.ts';
import { openWorkbook } from '../../media/preview/xlsx.ts';
import { readDirectory, readEntry, RefusedError } from '../../media/preview/zip.ts';
import { workbookOf, zipOf } from '../support/zip.ts';

interface Counted extends ByteSource {
  /** Bytes that were asked for. */
  asked: number;
}

function sourceOf(bytes: Uint8Array | string): Counted {
  const content = Buffer.from(bytes as string);
  const source: Counted = {
    size: content.length,
    asked: 0,
    read: (offset, length) => {
      const piece = content.subarray(offset, offset + length);
      source.asked += piece.length;
      return Promise.resolve(piece);
    },
  };
  return source;
}

const refusal = (reason: string) => (error: unknown) => error instanceof RefusedError && error.reason === reason;

suite('a table of separated values', () => {
  test('is read as RFC 4180 says, with any line end', () => {
    const text = 'a,b,c\r\n1,"x, ""y""\nz",3\n,,\n"open';
    assert.deepEqual(parseCsv(text).rows, [['a', 'b', 'c'], ['1', 'x, "y"\nz', '3'], ['', '', ''], ['open']]);
    assert.deepEqual(parseCsv('a;b\n1,5;2\n').rows, [
      ['a', 'b'],
      ['1,5', '2'],
    ]);
    assert.deepEqual(parseCsv('a\tb\n1\t').rows, [
      ['a', 'b'],
      ['1', ''],
    ]);
    assert.deepEqual(parseCsv('').rows, []);
  });

  test('of any size is read at its beginning only, without the row that is cut', async () => {
    const source = sourceOf(`name,value\n${'some name,12345\n'.repeat(600_000)}`);
    const { columns, rows, complete } = await readCsv(source);
    assert.deepEqual([columns, rows.length, complete], [['name', 'value'], 10_000, false]);
    assert.ok(source.asked <= 4 * 1024 * 1024);
    assert.deepEqual(parseCsv('a,b\n1,2\n3,45', true).rows, [
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  test('may have rows of any length, a byte order mark, and another encoding', async () => {
    const { columns, rows, columnCount } = await readCsv(sourceOf('\uFEFFa,b\n1\n1,2,3\n'));
    assert.deepEqual([columns, rows, columnCount], [['a', 'b', ''], [['1'], ['1', '2', '3']], 3]);
    assert.deepEqual((await readCsv(sourceOf(Buffer.from('gr\u00fc\u00dfe,b\n', 'latin1')))).columns, ['grüße', 'b']);
    assert.deepEqual((await readCsv(sourceOf(Buffer.from('\uFEFFa,b\n', 'utf16le')))).columns, ['a', 'b']);
    const wide = await readCsv(sourceOf(`${'x,'.repeat(3000)}\n`));
    assert.deepEqual([wide.columns.length, wide.columnCount], [256, 3001]);
  });
});

suite('a workbook', () => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]yyyy&quot;m&quot;"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>';
  const strings = '<sst><si><t>plain</t></si><si><r><t>two </t></r><r><t>runs</t></r><rPh><t>no</t></rPh></si></sst>';
  const more = [
    { name: 'xl/sharedStrings.xml', content: strings },
    { name: 'xl/styles.xml', content: styles, plain: true },
  ];

  test('shows texts, numbers, dates and gaps of each of its sheets', async () => {
    const first =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
      '<row r="3"><c r="A3"><v>1.5</v></c><c r="B3" s="1"><v>45292</v></c><c r="C3" s="2"><v>45292.75</v></c>' +
      '<c r="D3" s="3"><v>7</v></c><c r="E3" t="b"><v>1</v></c><c r="F3" t="inlineStr"><is><t>in</t></is></c></row>';
    const book = await openWorkbook(sourceOf(workbookOf({ First: first, 'A &amp; B': '' }, more)));
    assert.deepEqual(book.sheets, ['First', 'A & B']);
    const table = await book.read(0);
    assert.deepEqual(table.columns, ['A', 'B', 'C', 'D', 'E', 'F']);
    assert.deepEqual(table.rows, [
      ['plain', '', 'two runs'],
      [],
      ['1.5', '2024-01-01', '2024-01-01 18:00:00', '7', 'TRUE', 'in'],
    ]);
    assert.deepEqual((await book.read(1)).rows, []);
  });

  test('that is far larger than what is shown is read at its beginning', async () => {
    const row = (number: number): string => `<row r="${number}"><c r="A${number}"><v>${number}</v></c></row>`;
    const tall = await openWorkbook(sourceOf(workbookOf({ Tall: [1, 10_000, 10_001].map(row).join('') })));
    const { rows, complete } = await tall.read(0);
    assert.deepEqual([rows.length, rows[9999], complete], [10_000, ['10000'], false]);
    const limits = { sheet: 120, strings: 1000, other: 1000 };
    const heavy = await openWorkbook(sourceOf(workbookOf({ Heavy: [1, 2, 3, 4].map(row).join('') })), limits);
    const beginning = await heavy.read(0);
    assert.deepEqual([beginning.rows, beginning.complete], [[['1'], ['2']], false], 'up to the last whole row');
  });

  test('that unfolds a thousand times is not read any further [XT73]', async () => {
    const bomb = workbookOf({ Bomb: `<row r="1"><c r="A1"><v>${'0'.repeat(14_000_000)}</v></c></row>` });
    assert.ok(bomb.length < 20_000);
    const book = await openWorkbook(sourceOf(bomb));
    await assert.rejects(book.read(0), refusal('zipBomb'));
  });

  test('with too many parts, a password, or nothing of a workbook in it is refused [XT73]', async () => {
    const many = zipOf({ name: 'x', content: '' });
    many.writeUInt16LE(60_000, many.length - 12);
    await assert.rejects(readDirectory(sourceOf(many)), refusal('zipTooMany'));
    const locked = zipOf({ name: 'xl/workbook.xml', content: '<workbook/>', flags: 1 });
    await assert.rejects(openWorkbook(sourceOf(locked)), refusal('zipEncrypted'));
    for (const bytes of ['', 'PK\u0003\u0004 and no more', zipOf({ name: '../../x', content: 'x' })]) {
      await assert.rejects(openWorkbook(sourceOf(bytes)), refusal('notSpreadsheet'));
    }
  });

  test('cut at any byte, or with any byte changed, is refused or shown, and never hangs [XT71]', async () => {
    const whole = workbookOf({ One: '<row r="1"><c r="A1" t="s"><v>0</v></c></row>' }, more);
    for (let at = 0; at < whole.length; at += 41) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      for (const bytes of [whole.subarray(0, at), changed]) {
        await openWorkbook(sourceOf(bytes))
          .then((book) => book.read(0))
          .catch((error: unknown) => assert.ok(error instanceof RefusedError, String(error)));
      }
    }
  });

  test('that declares entities is not parsed', async () => {
    const laughs = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><workbook>&b;</workbook>';
    await assert.rejects(
      openWorkbook(sourceOf(zipOf({ name: 'xl/workbook.xml', content: laughs }))),
      refusal('notSpreadsheet'),
    );
  });

  test('is read in small pieces: what one piece unfolds to is bounded', async () => {
    const package_ = zipOf({
      name: 'a',
      content: Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 31) % 251)),
    });
    const source = sourceOf(package_);
    const entry = (await readDirectory(source)).get('a');
    assert.ok(entry);
    const { text, cut } = await readEntry(source, entry, 1000);
    assert.deepEqual([text.length <= 1000, cut], [true, true]);
  });
});

/** Three rows of an integer, a text with a gap, a large integer and a time. */
const PARQUET =
  'UEFSMRUGFRwVIFwVBhUAFQYVABUEFQAAAAMHDCwBAAAAAgAAAAMAAAAVBhUaFR5cFQYVAhUGFQAVBBUAAAADAwsoAQAAAGECAAAAw7wVBhU0' +
  'FSxcFQYVABUGFQAVBBUAAAADBxgEAQAJAQACCQcgAAEAAAAAACAAFQYVNBUsXBUGFQAVBhUAFQQVAAAAAwcYGIiMqXybAQAVARzoAwAAAAAA' +
  'ABUEGVxIBHJvb3QVCAAVAiUCGAJpZAAVDCUCGARuYW1lJQAAFQQlAhgDYmlnABUEJQIYAmF0JRIAFgYZHBlMJggcFQIZFQAZGAJpZBUCFgYW' +
  'RhZKJgg8NgAoBAMAAAAYBAEAAAAAGRwVBhUAFQIAAAAmUhwVDBkVABkYBG5hbWUVAhYGFkQWSCZSPDYCKALDvBgBYQAZHBUGFQAVAgAAACaa' +
  'ARwVBBkVABkYA2JpZxUCFgYWXhZWJpoBPDYAKAgBAAAAAAAgABgIAQAAAAAAAAAAGRwVBhUAFQIAAAAm8AEcFQQZFQAZGAJhdBUCFgYWXhZW' +
  'JvABPDYAKAiIjKl8mwEAABgIAAAAAAAAAAAAGRwVBhUAFQIAAAAWxgIWBja+AgAoCWh5cGFycXVldBlMHAAAHAAAHAAAHAAAADsBAABQQVIx';

suite('a Parquet file', () => {
  test('shows its columns and first rows, numbers to the last digit', async () => {
    const table = await readParquet(sourceOf(Buffer.from(PARQUET, 'base64')));
    assert.deepEqual(table, {
      columns: ['id', 'name', 'big', 'at'],
      rows: [
        ['1', 'a', '1', '2026-01-02T03:04:05.000Z'],
        ['2', 'ü', '2', '1970-01-01T00:00:00.000Z'],
        ['3', '', '9007199254740993', '1970-01-01T00:00:01.000Z'],
      ],
      ...{ complete: true, columnCount: 4, rowCount: 3 },
    });
  });

  test('cut at any byte fails [XT71]', async () => {
    const whole = Buffer.from(PARQUET, 'base64');
    for (let at = 0; at < whole.length; at += 3) {
      await assert.rejects(readParquet(sourceOf(whole.subarray(0, at))), Error, String(at));
    }
  });
});
