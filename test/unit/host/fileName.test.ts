import assert from 'node:assert/strict';
import fc from 'fast-check';
import { numberedName, safeFileName } from '../../../src/host/attachments/fileName.ts';

suite('safeFileName', () => {
  const cases: readonly (readonly [given: string, safe: string])[] = [
    ['chart.png', 'chart.png'],
    ['Ergebnis März 2026.csv', 'Ergebnis März 2026.csv'],
    ['../../x', 'x'],
    ['..\\..\\x.png', 'x.png'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Windows\\system.ini', 'system.ini'],
    ['', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['a/', 'file'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['com1', '_com1'],
    ['aux .png', '_aux.png'],
    ['a.ts:stream', 'a.ts_stream'],
    ['.bashrc', 'bashrc'],
    ['...hidden', 'hidden'],
    ['trailing. . ', 'trailing'],
    ['GIT~1', 'GIT_1'],
    ['a\u0000b.png', 'a_b.png'],
    ['invoice\u202Egnp.exe', 'invoice_gnp.exe'],
    ['zero\u200Bwidth', 'zero_width'],
    ['half\uD800.png', 'half_.png'],
    ['line\nbreak.csv', 'line_break.csv'],
    ['$(touch x).sh', '_(touch x).sh'],
  ];
  for (const [given, safe] of cases) {
    test(`${JSON.stringify(given)} becomes ${safe}`, () => assert.equal(safeFileName(given), safe));
  }

  test('a long name keeps its extension and whole characters', () => {
    const safe = safeFileName(`${'ü'.repeat(300)}.png`);
    assert.ok(Buffer.byteLength(safe) <= 180);
    assert.match(safe, /^ü+\.png$/);
  });

  test('whatever comes in, one visible, relative, printable name comes out', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.constantFrom('..', '/', '\\', '.', ':', 'CON', 'nul', ' ', '\0', '~', 'a', '\u202e'))
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, (given) => {
        const safe = safeFileName(given);
        assert.ok(safe.length > 0 && Buffer.byteLength(safe) <= 180);
        assert.doesNotMatch(safe, /[\\/:*?"<>|\p{C}]/u);
        assert.doesNotMatch(safe, /^[.\s]|[.\s]$/u);
        assert.doesNotMatch(safe, /^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i);
        assert.equal(safeFileName(safe), safe, 'a safe name stays as it is');
      }),
      { numRuns: 2000 },
    );
  });
});

suite('numberedName', () => {
  test('puts the number before the extension', () => {
    assert.equal(numberedName('chart.png', 2), 'chart-2.png');
    assert.equal(numberedName('Makefile', 3), 'Makefile-3');
  });
});
