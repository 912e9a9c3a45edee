import assert from 'node:assert/strict';
import { runLanes } from '../../runner/lanes.ts';
import type { Work } from '../../runner/lanes.ts';

interface Recorder {
  readonly order: string[];
  most: number;
}

/** Runs works that take a number of turns of the event loop, and writes down what began and ended. */
async function record(
  works: readonly (Work & { readonly turns: number })[],
  lanes = 2,
): Promise<Recorder & { readonly results: readonly string[] }> {
  const seen: Recorder = { order: [], most: 0 };
  let now = 0;
  const results = await runLanes(works, lanes, async ({ name, turns }) => {
    seen.order.push(`+${name}`);
    seen.most = Math.max(seen.most, ++now);
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    now--;
    seen.order.push(`-${name}`);
    return name.toUpperCase();
  });
  return { order: seen.order, most: seen.most, results };
}

suite('The lanes of the runner', () => {
  test('begin in order, two at a time, and a free lane takes the next', async () => {
    const { order, most, results } = await record([
      { name: 'long', turns: 30 },
      { name: 'a', turns: 3 },
      { name: 'b', turns: 3 },
    ]);
    assert.deepEqual(order, ['+long', '+a', '-a', '+b', '-b', '-long']);
    assert.equal(most, 2);
    assert.deepEqual(results, ['LONG', 'A', 'B']);
  });

  test('are not taken by what runs beside them', async () => {
    const { order, most } = await record([
      { name: 'a', turns: 3 },
      { name: 'b', turns: 9 },
      { name: 'idle', turns: 30, beside: true },
      { name: 'c', turns: 3 },
    ]);
    assert.deepEqual(order, ['+a', '+b', '+idle', '-a', '+c', '-c', '-b', '-idle']);
    assert.equal(most, 3);
  });

  test('leave out for a while what waits for another, and take what comes after it', async () => {
    const { order } = await record([
      { name: 'package', turns: 9 },
      { name: 'ui', turns: 1, after: ['package'] },
      { name: 'unit', turns: 3 },
    ]);
    assert.deepEqual(order, ['+package', '+unit', '-unit', '-package', '+ui', '-ui']);
  });

  test('do not wait for what was not chosen', async () => {
    const { order } = await record([{ name: 'ui', turns: 1, after: ['package'] }]);
    assert.deepEqual(order, ['+ui', '-ui']);
  });

  test('say so when works wait for each other', async () => {
    const circle = [
      { name: 'a', turns: 1, after: ['b'] },
      { name: 'b', turns: 1, after: ['a'] },
    ];
    await assert.rejects(record(circle), /a, b/);
  });
});
