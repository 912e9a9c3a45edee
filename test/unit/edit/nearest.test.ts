import assert from 'node:assert/strict';
import { nearestText } from '../../../src/core/edit/nearest.ts';

const file = `import { sum } from './sum';

/**
 * Adds all.
 */
export function total(items: Item[]) {
  return sum(items.map((item) => item.price));
}

/**
 * Counts all.
 */
export function count(items: Item[]) {
  return items.length;
}
`;

suite('the nearest text of a failed replacement', () => {
  test('names the block of which one line is wrong', () => {
    const needle = '/**\n * Counts everything.\n */\nexport function count(items: Item[]) {\n  return items.length;\n}';
    assert.equal(nearestText(file, needle)?.line, 10);
  });

  test('finds a single line with a typing mistake', () => {
    const near = nearestText(file, '  return sum(items.map((items) => item.prize));');
    assert.deepEqual(near, { line: 7, lines: ['  return sum(items.map((item) => item.price));'] });
  });

  test('says when only white space differs', () => {
    const near = nearestText(file, 'export function count(items: Item[]) {\n\treturn items.length;\n}');
    assert.deepEqual({ line: near?.line, reason: near?.reason }, { line: 13, reason: 'whitespace' });
  });

  test('says when the needle has the line numbers of a view in it', () => {
    const near = nearestText(file, '13: export function count(items: Item[]) {\n14:   return items.length;');
    assert.deepEqual({ line: near?.line, reason: near?.reason }, { line: 13, reason: 'lineNumbers' });
  });

  test('is silent when nothing is near', () => {
    assert.equal(nearestText(file, 'zzzz qqqq wwww'), undefined);
    assert.equal(nearestText('', 'a'), undefined);
    assert.equal(nearestText(file, '\n\n'), undefined);
  });

  test('names the right line in 95 of 100 mutated blocks', () => {
    const lines = Array.from(
      { length: 3000 },
      (_, i) => `  value${String((i * 7919) % 3001)} = compute(${String(i)}, ${String(i * i)});`,
    );
    let right = 0;
    for (let n = 0; n < 100; n++) {
      const start = (n * 977) % 2900;
      const block = lines.slice(start, start + 1 + (n % 12));
      block[n % block.length] = (block[n % block.length] as string).replace('compute', 'computed');
      if (nearestText(lines.join('\n'), block.join('\n'))?.line === start + 1) right++;
    }
    assert.ok(right >= 95, `${String(right)} of 100`);
  });

  test('stays linear: five megabytes of equal lines and a needle of equal lines', () => {
    const start = performance.now();
    nearestText('x = 1;\n'.repeat(700_000), 'x = 1;\n'.repeat(2000) + 'y');
    assert.ok(performance.now() - start < 8000);
  });
});
