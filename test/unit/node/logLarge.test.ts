import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { logBench, textsOf, type LogBench } from './logSupport.ts';

let bench: LogBench;

/** A session of 467 MB that takes no room: holes between its first entries and its last. */
async function huge(): Promise<string> {
  const { id, entries } = await bench.written('the first message', 'two');
  await fs.truncate(bench.path(id), 467 * 1024 * 1024);
  const last = { ...entries[1], id: 'last', parentId: 'e', at: '2026-01-09T00:00:00.000Z', text: 'the last message' };
  await fs.appendFile(bench.path(id), `\n${JSON.stringify(last)}\n`);
  return id;
}

suite('a large session', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  test('of 467 MB hinders neither the list nor its own first screen [I5]', async () => {
    const id = await huge();
    const before = process.memoryUsage().rss;
    const store = bench.store();
    const listed = await store.list();
    assert.deepEqual(
      listed.map(({ title, updated }) => [title, updated]),
      [['the first message', '2026-01-09T00:00:00.000Z']],
    );
    assert.deepEqual(textsOf(await store.tail(id)), ['the last message']);
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    assert.ok(grown < 64, `${grown.toFixed(0)} MB`);
  });

  test('gives its last entries, whole ones only, however it is cut', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(700 + index)}`);
    const { id, entries } = await bench.written(...texts);
    const tail = await bench.store().tail(id);
    assert.ok(tail.length > 20 && tail.length < entries.length, String(tail.length));
    assert.deepEqual(tail, entries.slice(-tail.length));
    await fs.appendFile(bench.path(id), '{"id":"torn","par');
    assert.deepEqual((await bench.store().tail(id)).at(-1), entries.at(-1));
  });

  test('gives its last entry even where that is larger than what is read at first', async () => {
    const { id } = await bench.written('x'.repeat(400_000), 'x'.repeat(400_000));
    assert.deepEqual((await bench.store().tail(id)).length, 1);
  });

  test('has no tail of its own where it is small, missing, or no session', async () => {
    const { id } = await bench.written('one');
    for (const name of [id, 'nope', '../x', '']) assert.deepEqual(await bench.store().tail(name), [], name);
  });

  test('is looked at again by the list when it has changed, and only then [I2]', async () => {
    const { id } = await bench.written('one');
    const store = bench.store();
    const first = await store.list();
    assert.equal((await store.list())[0], first[0], 'the same summary');
    const log = await bench.store().open(id);
    await log.append({ type: 'titleSet', title: 'Renamed' });
    assert.equal((await store.list())[0]?.title, 'Renamed');
    await bench.close(log);
    await fs.rm(bench.path(id));
    assert.deepEqual(await store.list(), []);
  });
});
