import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { existsInAnyCase, sanitizeFileName, uniqueName } from '../../../src/node/attachments/fileName.ts';

const table: readonly (readonly [string, string])[] = [
  // What is clean stays.
  ['chart.png', 'chart.png'],
  ['cleaned data (2).csv', 'cleaned data (2).csv'],
  ['日本語.txt', '日本語.txt'],
  ['a.tar.gz', 'a.tar.gz'],
  ['package.json', 'package.json'],
  ['__proto__', '__proto__'],
  ['café.md', 'café.md'],
  // Paths.
  ['../../x', 'x'],
  ['..\\..\\x', 'x'],
  ['/etc/passwd', 'passwd'],
  ['C:\\Windows\\x.dll', 'x.dll'],
  ['C:x', 'C_x'],
  ['\\\\server\\share\\x', 'x'],
  ['\\\\?\\C:\\x', 'x'],
  ['a/b/', 'b'],
  ['a/..', 'a'],
  ['..', 'file'],
  ['.', 'file'],
  ['...', 'file'],
  ['', 'file'],
  ['/', 'file'],
  ['   ', 'file'],
  ['%2e%2e%2fx', '_2e_2e_2fx'],
  ['a\u2215b', 'b'],
  ['a\uFF0Fb', 'b'],
  ['a\u2044b', 'b'],
  // Names that mean something.
  ['CON', '_CON'],
  ['con.txt', '_con.txt'],
  ['aux.ts', '_aux.ts'],
  ['NUL .txt', '_NUL .txt'],
  ['COM1', '_COM1'],
  ['LPT9.tar.gz', '_LPT9.tar.gz'],
  ['COM\u00B9', '_COM\u00B9'],
  ['CONIN$', 'CONIN_'],
  ['CON\u200B', '_CON'],
  ['CONSOLE', 'CONSOLE'],
  ['.bashrc', 'bashrc'],
  ['.git', 'git'],
  ['-rf', 'rf'],
  ['--help.txt', 'help.txt'],
  ['a.txt:evil.exe', 'a.txt_evil.exe'],
  ['a.txt::$DATA', 'a.txt___DATA'],
  ['a.txt.', 'a.txt'],
  ['a.txt ', 'a.txt'],
  ['a.txt. . .', 'a.txt'],
  [' a.txt', 'a.txt'],
  ['~/x', 'x'],
  ['~x', '_x'],
  // What hides or reorders.
  ['a\0.png', 'a.png'],
  ['a\r\nb\t.png', 'ab.png'],
  ['a\u001B[31m.png', 'a[31m.png'],
  ['annex\u202Efdp.exe', 'annexfdp.exe'],
  ['a\u200B\u200D\uFEFFb.txt', 'ab.txt'],
  ['a\u2028b', 'ab'],
  ['a\u00A0b', 'a b'],
  ['a\ud800b\udc00.txt', 'ab.txt'],
  ['\u3164', 'file'],
  ['\u115F\uFE0F', 'file'],
  // What a shell, a page or a URI would read.
  ['$(touch x).png', '_(touch x).png'],
  ['`id`.txt', '_id_.txt'],
  ['a;b&c|d.txt', 'a_b_c_d.txt'],
  ['"a" \'b\'.txt', '_a_ _b_.txt'],
  ['<img src=x onerror=1>.png', '_img src=x onerror=1_.png'],
  ['a*?.txt', 'a__.txt'],
  ['{a,b}!.txt', '_a,b__.txt'],
];

suite('file names from elsewhere', () => {
  for (const [given, clean] of table) {
    test(`${JSON.stringify(given)} becomes ${JSON.stringify(clean)}`, () =>
      assert.equal(sanitizeFileName(given), clean));
  }

  test('are cut to 200 bytes by whole characters, and keep the extension', () => {
    for (const char of ['x', 'ü', '漢', '😀']) {
      const name = sanitizeFileName(`${char.repeat(300)}.csv`);
      assert.ok(Buffer.byteLength(name) <= 200 && Buffer.byteLength(name) > 190, name);
      assert.ok(name.endsWith(`${char}.csv`));
    }
    assert.ok(Buffer.byteLength(sanitizeFileName(`a.${'x'.repeat(400)}`)) <= 200);
  });

  test('become one clean segment, whatever they are, and stay as they are from then on', () => {
    const nasty = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      ':',
      'CON',
      'nul',
      ' ',
      '-',
      '\0',
      '\u202E',
      '\u0301',
      'e\u200D\u0301',
      '%',
      '😀',
      '漢',
    );
    const name = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'binary' }), fc.string()), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(name, (given) => {
        const clean = sanitizeFileName(given);
        assert.equal(sanitizeFileName(clean), clean, 'stable');
        assert.equal(basename(join('/dir', clean)), clean, 'one segment');
        assert.match(clean, /^[^-. ]/);
        assert.match(clean, /[^. ]$/);
        assert.doesNotMatch(clean, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|%$`;&]/u);
        assert.doesNotMatch(clean, /^(con|prn|aux|nul|com\d|lpt\d)( *\.| *$)/i);
        assert.ok(Buffer.byteLength(clean) <= 200);
      }),
      { numRuns: 5000 },
    );
  });
});

suite('unique names', () => {
  let dir = '';
  setup(async () => (dir = await fs.mkdtemp(join(tmpdir(), 'loopdock-names-'))));
  teardown(() => fs.rm(dir, { recursive: true, force: true }));

  test('number what is there already, before the extension', async () => {
    const taken = new Set(['a.csv', 'a (2).csv', 'b'].map((name) => join('/d', name)));
    const exists = (path: string): Promise<boolean> => Promise.resolve(taken.has(path));
    assert.equal(await uniqueName('/d', 'c.csv', exists), 'c.csv');
    assert.equal(await uniqueName('/d', 'a.csv', exists), 'a (3).csv');
    assert.equal(await uniqueName('/d', 'b', exists), 'b (2)');
  });

  test('take names that differ in case or Unicode form for the same', async () => {
    for (const name of ['Chart.PNG', 'cafe\u0301.txt', 'stra\u00DFe.md']) await fs.writeFile(join(dir, name), '');
    assert.equal(await uniqueName(dir, 'chart.png'), 'chart (2).png');
    assert.equal(await uniqueName(dir, 'caf\u00E9.txt'), 'caf\u00E9 (2).txt');
    assert.equal(await uniqueName(dir, 'STRASSE.md'), 'STRASSE (2).md');
    assert.equal(await existsInAnyCase(join(dir, 'other')), false);
  });

  test('stay clean', async () => {
    const first = sanitizeFileName(`${'漢'.repeat(200)}.csv`);
    await fs.writeFile(join(dir, first), '');
    const second = await uniqueName(dir, first);
    assert.ok(Buffer.byteLength(second) <= 255);
    await fs.writeFile(join(dir, second), '', { flag: 'wx' });
  });
});
