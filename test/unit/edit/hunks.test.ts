import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { diffTexts, formatHunks, type TextDiff } from '../../../src/core/edit/hunks.ts';
import { pairLines } from '../../../src/core/edit/lineDiff.ts';
import { splitLines } from '../../../src/core/edit/lineEnds.ts';

const NO_LIMITS = { maxLines: 1e9, maxCharacters: 1e9, maxLineLength: 1e9 };

/** Plays the hunks on the old lines. */
function patch(before: string, { hunks }: TextDiff): string[] {
  const old = splitLines(before);
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.oldLines > 0 ? hunk.oldStart - 1 : hunk.oldStart;
    out.push(...old.slice(at, start));
    assert.equal(hunk.newLines > 0 ? hunk.newStart - 1 : hunk.newStart, out.length);
    at = start;
    for (const line of hunk.lines) {
      if (line.startsWith('+')) out.push(line.slice(1));
      else {
        assert.equal(line.slice(1), old[at]);
        if (line.startsWith(' ')) out.push(line.slice(1));
        at++;
      }
    }
    assert.equal(at - start, hunk.oldLines);
  }
  return [...out, ...old.slice(at)];
}

function numbers(count: number, next: (index: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => next(index));
}

/** A small linear congruential generator: the same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

suite('line diff', function () {
  this.timeout(30_000);
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '}', ''), { maxLength: 40 });

  test('the hunks turn the old lines into the new ones', () => {
    fc.assert(
      fc.property(lines, lines, fc.boolean(), (a, b, open) => {
        const before = a.join('\n') + (open ? '' : '\n');
        const after = `${b.join('\n')}\n`;
        const diff = diffTexts(before, after, NO_LIMITS);
        assert.deepEqual(patch(before, diff), splitLines(after));
      }),
      { numRuns: 1000 },
    );
  });

  test('pairs only equal lines and rises on both sides, also with no work allowed', () => {
    const small = fc.array(fc.nat(6), { maxLength: 60 });
    fc.assert(
      fc.property(small, small, fc.constantFrom(0, 50, 1e6), (a, b, work) => {
        let last = -1;
        pairLines(a, b, work).forEach((j, i) => {
          if (j < 0) return;
          assert.ok(j > last);
          assert.equal(a[i], b[j]);
          last = j;
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('one changed line is one hunk with three lines of context', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    const diff = diffTexts(before, before.replace('e', 'E'));
    assert.deepEqual(diff, {
      hunks: [
        { oldStart: 2, oldLines: 7, newStart: 2, newLines: 7, lines: [' b', ' c', ' d', '-e', '+E', ' f', ' g', ' h'] },
      ],
      added: 1,
      removed: 1,
      truncated: false,
    });
  });

  test('a new file is all additions', () => {
    const diff = diffTexts('', 'a\nb\n');
    assert.deepEqual(diff.hunks, [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 2, lines: ['+a', '+b'] }]);
  });

  test('a line end that the last line gains or loses is a change, one in every line is none', () => {
    assert.equal(diffTexts('a', 'a\n').added, 1);
    assert.deepEqual(diffTexts('a\r\nb\r\n', 'a\nb\n').hunks, []);
  });

  test('cuts what is shown but counts everything', () => {
    const after = Array.from({ length: 5000 }, (_, i) => `line ${String(i)}`).join('\n');
    const diff = diffTexts('', after);
    assert.equal(diff.added, 5000);
    assert.ok(diff.truncated);
    assert.equal(
      diff.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0),
      400,
    );
    assert.ok(diffTexts('', 'x'.repeat(5_000_000)).truncated);
  });

  test('is written as a unified diff', () => {
    assert.equal(formatHunks(diffTexts('a\nb\n', 'a\nc\n').hunks), '@@ -1,2 +1,2 @@\n a\n-b\n+c');
  });

  const random = seeded(7);
  const base = numbers(20_000, (i) => i);
  const hostile: Record<string, [number[], number[]]> = {
    'all lines different': [base, numbers(20_000, (i) => i + 50_000)],
    'halves swapped': [base, [...base.slice(10_000), ...base.slice(0, 10_000)]],
    'half of the lines changed': [base, base.map((line) => (line % 2 ? line : line + 50_000))],
    'five distinct lines at random': [
      numbers(20_000, () => Math.floor(random() * 5)),
      numbers(20_000, () => Math.floor(random() * 5)),
    ],
    reversed: [base, [...base].reverse()],
    'every line twice, shuffled': [
      numbers(20_000, (i) => i >> 1),
      numbers(20_000, () => Math.floor(random() * 10_000)),
    ],
  };
  for (const [name, [a, b]] of Object.entries(hostile)) {
    test(`never takes long on 20,000 lines: ${name}`, () => {
      const start = performance.now();
      const pairs = pairLines(a, b);
      assert.ok(performance.now() - start < 8000);
      if (name === 'half of the lines changed') assert.equal(pairs.filter((j) => j >= 0).length, 10_000);
      if (name === 'halves swapped') assert.equal(pairs.filter((j) => j >= 0).length, 10_000);
      if (name === 'five distinct lines at random') assert.ok(pairs.filter((j) => j >= 0).length > 8_000);
    });
  }
});
