import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { insertLines, replaceText, replaceWhole } from '../../../src/core/edit/commands.ts';
import { countLineEnds, dominantEol, splitLines, toEol, toLf } from '../../../src/core/edit/lineEnds.ts';
import { findText } from '../../../src/core/edit/match.ts';
import { applyEdits } from '../../../src/core/edit/offsetEdit.ts';

const lf = (text: string) => ({ text, eol: '\n' as const });
const crlf = (text: string) => ({ text, eol: '\r\n' as const });
const messy = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', '\r\n', '\uFEFF'), maxLength: 30 });

suite('finding the text to replace', () => {
  test('finds text that stands once, at its offsets', () => {
    assert.deepEqual(findText('one\ntwo\n', 'two'), { kind: 'one', start: 4, end: 7 });
  });

  test('an LF needle matches a CRLF text', () => {
    assert.deepEqual(findText('a\r\none\r\ntwo\r\n', 'one\ntwo'), { kind: 'one', start: 3, end: 11 });
  });

  test('a CRLF needle matches an LF text', () => {
    assert.deepEqual(findText('one\ntwo\n', 'one\r\ntwo'), { kind: 'one', start: 0, end: 7 });
  });

  test('a needle that begins or ends with a line end takes the whole CRLF', () => {
    assert.deepEqual(findText('a\r\nb\r\n', '\nb\n'), { kind: 'one', start: 1, end: 6 });
  });

  test('matches across mixed line ends at the offsets of the original', () => {
    assert.deepEqual(findText('x\r\ny\nz\r\nw', 'y\nz\n'), { kind: 'one', start: 3, end: 8 });
  });

  test('reports the lines of all matches', () => {
    assert.deepEqual(findText('x = 1\ny\nx = 1\n', 'x = 1'), { kind: 'many', count: 2, lines: [1, 3] });
  });

  test('overlapping matches are two', () => {
    assert.deepEqual(findText('aaa', 'aa'), { kind: 'many', count: 2, lines: [1] });
  });

  test('an empty needle matches nothing', () => {
    assert.deepEqual(findText('abc', ''), { kind: 'none' });
  });

  test('a needle that ends inside a line matches as plain text', () => {
    const text = '// Build tree spheres with time\n';
    assert.equal(findText(text, '// Build tree spheres').kind, 'one');
  });

  test('agrees with a search in the LF text, and its range has the needle in it', () => {
    fc.assert(
      fc.property(
        messy,
        fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n'), minLength: 1, maxLength: 4 }),
        (text, needle) => {
          const found = findText(text, needle);
          const plain = toLf(text);
          const wanted = toLf(needle);
          const first = plain.indexOf(wanted);
          const expected = first < 0 ? 'none' : plain.indexOf(wanted, first + 1) < 0 ? 'one' : 'many';
          assert.equal(found.kind, expected);
          if (found.kind === 'one') assert.equal(toLf(text.slice(found.start, found.end)), wanted);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('very many matches are counted without listing them all', () => {
    const found = findText('a\n'.repeat(200_000), 'a');
    assert.ok(found.kind === 'many' && found.count === 200_000 && found.lines.length === 20);
  });
});

suite('str_replace as edits', () => {
  test('inserted text takes the line ends of the document', () => {
    const document = crlf('one\r\ntwo\r\nthree\r\n');
    const result = replaceText(document, 'two', '2\n2b');
    assert.ok(result.kind === 'edits');
    assert.equal(applyEdits(document.text, result.edits), 'one\r\n2\r\n2b\r\nthree\r\n');
  });

  test('the edit is no wider than what changes', () => {
    const result = replaceText(lf('const a = 1;\nconst b = 2;\n'), 'const b = 2;', 'const b = 3;');
    assert.deepEqual(result, { kind: 'edits', edits: [{ start: 23, end: 24, text: '3' }] });
  });

  test('the same text in other line ends is no change', () => {
    assert.deepEqual(replaceText(lf('a\nb\n'), 'a\nb', 'a\r\nb'), { kind: 'unchanged' });
  });

  test('bytes outside the match never change [XD13]', () => {
    fc.assert(
      fc.property(messy, messy, messy, messy, (head, tail, oldText, newText) => {
        const eol = '\r\n';
        const text = toEol(`${head}<${oldText}>${tail}`, eol);
        const result = replaceText({ text, eol }, `<${oldText}>`, `<${newText}>`);
        if (result.kind !== 'edits') return;
        const after = applyEdits(text, result.edits);
        assert.ok(after.startsWith(`${toEol(head, eol)}<`));
        assert.ok(after.endsWith(`>${toEol(tail, eol)}`));
        assert.deepEqual({ ...countLineEnds(after), crlf: 0 }, { crlf: 0, lf: 0, cr: 0 });
      }),
    );
  });
});

suite('insert as an edit', () => {
  const inserted = (document: { text: string; eol: '\n' | '\r\n' }, line: number, text: string) => {
    const edit = insertLines(document, line, text);
    return 'lineCount' in edit ? edit : applyEdits(document.text, [edit]);
  };

  test('line 0 is before the first line', () => assert.equal(inserted(lf('a\nb\n'), 0, 'x\n'), 'x\na\nb\n'));
  test('adds the line end that the text lacks', () => assert.equal(inserted(lf('a\nb\n'), 1, 'x'), 'a\nx\nb\n'));
  test('does not double a line end', () => assert.equal(inserted(lf('a\nb\n'), 1, 'x\n'), 'a\nx\nb\n'));
  test('after the last line', () => assert.equal(inserted(lf('a\nb\n'), 2, 'x'), 'a\nb\nx\n'));
  test('after a last line without a line end', () => assert.equal(inserted(lf('a\nb'), 2, 'x'), 'a\nb\nx'));
  test('into an empty file', () => assert.equal(inserted(lf(''), 0, 'x'), 'x'));
  test('keeps CRLF', () => assert.equal(inserted(crlf('a\r\nb\r\n'), 1, 'x\ny\n'), 'a\r\nx\r\ny\r\nb\r\n'));
  test('tells how many lines there are when there is no such line', () => {
    assert.deepEqual(inserted(lf('a\nb'), 3, 'x'), { lineCount: 2 });
    assert.deepEqual(inserted(lf('a\nb\n'), 4, 'x'), { lineCount: 2 });
  });
});

suite('create over an existing file as an edit', () => {
  test('keeps the line ends of the document', () => {
    const document = crlf('a\r\nb\r\n');
    const edit = replaceWhole(document, 'a\nc\n');
    assert.deepEqual(edit, { start: 3, end: 4, text: 'c' });
  });

  test('a byte order mark in the new text is left to the encoding', () => {
    assert.equal(replaceWhole(lf('a\n'), '\uFEFFa\n'), undefined);
  });
});

suite('line ends', () => {
  test('lines are numbered as an editor numbers them', () => {
    assert.deepEqual(splitLines('a\r\nb\rc\n\u2028d'), ['a', 'b', 'c', '\u2028d']);
    assert.deepEqual(splitLines(''), []);
    assert.deepEqual(splitLines('\n'), ['']);
  });

  test('the majority wins, and a tie is LF', () => {
    assert.equal(dominantEol('a\r\nb\r\nc\n'), '\r\n');
    assert.equal(dominantEol('a\r\nb\n'), '\n');
    assert.equal(dominantEol('a'), undefined);
  });
});
