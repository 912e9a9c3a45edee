import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { LogFs } from '../../../src/node/log/logFs.ts';
import { logBench, said, type LogBench } from './logSupport.ts';

let bench: LogBench;

/** Sessions as files, without the syncs of a log. */
async function sessions(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const header = { type: 'session', v: 1, id: `s${i}`, created: '2026-01-01T00:00:00.000Z', folders: [] };
    const entry = { id: 'e', parentId: null, at: new Date(1000 + 1000 * i).toISOString(), ...said(`title ${i}`) };
    await fs.writeFile(bench.path(`s${i}`), `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
  }
}

/** A file system that writes down which files are opened. */
function watched(opened: string[]): LogFs {
  const open = (...args: Parameters<LogFs['open']>): ReturnType<LogFs['open']> => {
    opened.push(basename(String(args[0])));
    return fs.open(...args);
  };
  return { ...fs, open: open };
}

const memory = (): string => join(bench.dir, 'sessions.cache');

suite('the list of sessions in a new window', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  test('opens only the files that have changed since another window listed them', async () => {
    await sessions(20);
    const listed = await bench.store().list();
    assert.equal(listed.length, 20);
    await fs.appendFile(bench.path('s3'), `${JSON.stringify({ id: 'f', type: 'titleSet', title: 'Renamed' })}\n`);
    await fs.rm(bench.path('s4'));
    const opened: string[] = [];
    const again = await bench.store({ fs: watched(opened) }).list();
    assert.deepEqual(opened.slice(0, 2), ['sessions.cache', 's3.jsonl']);
    assert.deepEqual(
      opened.filter((name) => name.endsWith('.jsonl')),
      ['s3.jsonl'],
    );
    const expected = listed
      .filter(({ id }) => id !== 's4')
      .map((s) => (s.id === 's3' ? { ...s, title: 'Renamed' } : s));
    assert.deepEqual(again, expected);
  });

  test('reads all where what was kept is cut, changed or no list at all, and says the same', async () => {
    await sessions(20);
    const listed = await bench.store().list();
    const kept = await fs.readFile(memory(), 'utf8');
    const broken = ['', '{', 'null\n7\n', kept.slice(0, 500), kept.replaceAll('"stamp":"', '"stamp":"1'), '\0\ufffd'];
    for (const text of broken) {
      await fs.writeFile(memory(), text);
      assert.deepEqual(await bench.store().list(), listed, JSON.stringify(text.slice(0, 40)));
    }
    assert.equal(await fs.readFile(memory(), 'utf8').then((text) => text.split('\n').length), 20, 'kept anew');
  });

  test('is whole where nothing can be kept', async () => {
    await sessions(20);
    await fs.mkdir(memory());
    assert.equal((await bench.store().list()).length, 20);
    assert.deepEqual(
      (await fs.readdir(bench.dir)).filter((name) => name.startsWith('sessions.cache.')),
      [],
    );
  });

  test('is forgotten for sessions that are gone, once it is kept again', async () => {
    await sessions(20);
    await bench.store().list();
    for (let i = 0; i < 20; i++) await fs.rm(bench.path(`s${i}`));
    assert.deepEqual(await bench.store().list(), []);
    assert.doesNotMatch(await fs.readFile(memory(), 'utf8'), /title/, 'no title outlives its session');
  });
});
