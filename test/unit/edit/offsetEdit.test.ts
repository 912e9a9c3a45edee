import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  applyEdits,
  invertEdits,
  minimalEdit,
  narrowEdit,
  type OffsetEdit,
} from '../../../src/core/edit/offsetEdit.ts';

/** Text rich in what breaks editors: CR, LF, surrogate halves of both kinds, BOM, combining marks. */
export const anyText = fc.string({
  unit: fc.constantFrom('a', 'b', '\n', '\r', '\r\n', '\u{1F600}', '\uD83D', '\uDE00', '\uFEFF', '\u0301', '\u2028'),
  maxLength: 40,
});

/** A text and sorted edits of it that do not overlap. */
const textAndEdits = anyText.chain((text) =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(text.length), anyText), { maxLength: 5 })
    .map((raw): { text: string; edits: OffsetEdit[] } => {
      const cuts = raw.flatMap(([a, b]) => [a, b]).sort((a, b) => a - b);
      const edits = raw.map(([, , inserted], i) => ({
        start: cuts[2 * i] as number,
        end: cuts[2 * i + 1] as number,
        text: inserted,
      }));
      return { text, edits };
    }),
);

suite('offset edits', () => {
  test('applying and then applying the inverse gives the text back', () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const after = applyEdits(text, edits);
        assert.equal(applyEdits(after, invertEdits(text, edits)), text);
      }),
    );
  });

  test('text before the first and after the last edit is untouched', () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const after = applyEdits(text, edits);
        const first = edits[0]?.start ?? text.length;
        const tail = text.slice(edits.at(-1)?.end ?? 0);
        assert.equal(after.slice(0, first), text.slice(0, first));
        assert.ok(after.endsWith(tail));
      }),
    );
  });

  test('refuses edits that overlap or reach past the end', () => {
    assert.throws(() => applyEdits('abc', [{ start: 0, end: 4, text: '' }]), RangeError);
    const overlapping = [
      { start: 0, end: 2, text: '' },
      { start: 1, end: 3, text: '' },
    ];
    assert.throws(() => applyEdits('abc', overlapping), RangeError);
  });

  test('the minimal edit gives the new text, and is undefined only for equal texts', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const edit = minimalEdit(before, after);
        assert.equal(edit === undefined, before === after);
        if (edit) assert.equal(applyEdits(before, [edit]), after);
      }),
    );
  });

  test('the minimal edit never cuts a CRLF or a surrogate pair', () => {
    const cuts = (text: string, at: number) =>
      /^(\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(at - 1, at + 1));
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const edit = minimalEdit(before, after);
        if (!edit) return;
        assert.ok(!cuts(before, edit.start) && !cuts(before, edit.end));
        assert.ok(!cuts(after, edit.start) && !cuts(after, edit.start + edit.text.length));
      }),
      { numRuns: 2000 },
    );
  });

  test('the minimal edit of one changed word is that word', () => {
    assert.deepEqual(minimalEdit('one two three', 'one 2 three'), { start: 4, end: 7, text: '2' });
  });

  test('narrowing an edit keeps its effect', () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        const [edit] = edits;
        if (!edit) return;
        const narrow = narrowEdit(text, edit);
        assert.equal(applyEdits(text, narrow ? [narrow] : []), applyEdits(text, [edit]));
      }),
    );
  });
});
