import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { nodeFs, type LogFs } from '../../../src/node/log/logFs.ts';
import { lifeOf, ownIdentity } from '../../../src/node/log/processIdentity.ts';
import { takeLock, type WriterLock } from '../../../src/node/log/writerLock.ts';
import { fakeClock, settle } from '../../support/fakes.ts';
import { isThere, logBench, pause, said, textsOf, type LogBench } from './logSupport.ts';

let bench: LogBench;
let path = '';
const held: WriterLock[] = [];

async function take(
  options: { fs?: LogFs; clock?: ReturnType<typeof createClock> } = {},
): Promise<WriterLock | undefined> {
  const lock = await takeLock(path, { fs: nodeFs, clock: createClock(), ids: createIds(), ...options });
  if (lock) held.push(lock);
  return lock;
}

const holder = (change: object): string => JSON.stringify({ ...ownIdentity(), nonce: 'dead', ...change });
const noProcess = 2 ** 22 + 1; // above the highest pid of Linux

suite('writer lock', () => {
  setup(async () => {
    bench = await logBench();
    path = join(bench.dir, 'x.lock');
  });
  teardown(async () => {
    for (const lock of held.splice(0)) await lock.release();
    await bench.end();
  });

  test('is given to one, also within one process, and to the next after its release', async () => {
    const first = await take();
    assert.ok(first && (await first.held()));
    assert.equal(await take(), undefined);
    await first.release();
    assert.equal(await isThere(path), false);
    assert.ok(await take());
  });

  for (const [name, change] of [
    ['is gone', { pid: noProcess }],
    ['has another start time: its number was given away', { start: 'other:1' }],
    ['has an impossible number', { pid: -1 }],
  ] as const) {
    test(`is taken over when the holder ${name}`, async () => {
      await fs.writeFile(path, holder(change));
      assert.ok(await take());
      assert.deepEqual(await fs.readdir(bench.dir), ['x.lock'], 'nothing else is left');
    });
  }

  test('of another machine is taken over only after a long silence', async () => {
    const clock = fakeClock({ start: Date.now() });
    await fs.writeFile(path, holder({ space: 'elsewhere', pid: noProcess }));
    assert.equal(await take({ clock }), undefined);
    clock.jump(61_000);
    assert.ok(await take({ clock }));
  });

  test('shows by a heartbeat that it is alive', async () => {
    const clock = fakeClock({ start: Date.now() });
    assert.ok(await take({ clock }));
    for (let i = 0; i < 20; i++) {
      await clock.advance(15_000);
      await pause(2);
    }
    const { mtimeMs } = await fs.stat(path);
    assert.ok(clock.now() - mtimeMs < 61_000, `${clock.now() - mtimeMs}`);
    for (const lock of held) await lock.release();
    await settle();
    assert.equal(clock.waiting, 0, 'and stops when it is released');
  });

  test('that can not be read counts as being written for a moment, then as left behind', async () => {
    for (const text of ['', '{', 'null', '{"pid":1}', JSON.stringify({ ...ownIdentity(), nonce: '../../x' })]) {
      const clock = fakeClock({ start: Date.now() });
      await fs.writeFile(path, text);
      assert.equal(await take({ clock }), undefined, text);
      clock.jump(6_000);
      const lock = await take({ clock });
      assert.ok(lock, text);
      await lock.release();
    }
  });

  test('left behind goes to exactly one of many that want it at once', async () => {
    for (let round = 0; round < 40; round++) {
      await fs.writeFile(path, holder({ pid: noProcess, nonce: `dead${round}` }));
      const locks = await Promise.all(Array.from({ length: 6 }, () => take()));
      const winners = locks.filter((lock) => lock !== undefined);
      assert.equal(winners.length, 1, `round ${round}`);
      assert.equal(await winners[0]?.held(), true);
      await winners[0]?.release();
      assert.deepEqual(await fs.readdir(bench.dir), []);
    }
  });

  test('left behind in the middle of a takeover is taken over too', async () => {
    await fs.writeFile(path, holder({ pid: noProcess }));
    await fs.writeFile(`${path}.dead`, holder({ pid: noProcess, nonce: 'dead2' }));
    assert.ok(await take());
    assert.deepEqual(await fs.readdir(bench.dir), ['x.lock']);
  });

  test('left behind, but taken over by another one a moment before, is left to that one', async () => {
    await fs.writeFile(path, holder({ pid: noProcess }));
    const link: LogFs['link'] = async (from, to) => {
      if (String(to).endsWith('.dead')) await fs.writeFile(path, holder({ nonce: 'quicker' }));
      return nodeFs.link(from, to);
    };
    assert.equal(await take({ fs: { ...nodeFs, link } }), undefined);
    assert.match(await fs.readFile(path, 'utf8'), /quicker/);
    assert.deepEqual(await fs.readdir(bench.dir), ['x.lock']);
  });

  test('works on a file system without hard links', async () => {
    const link = (): Promise<never> => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' }));
    const noLinks: LogFs = { ...nodeFs, link };
    assert.ok(await take({ fs: noLinks }));
    assert.equal(await take({ fs: noLinks }), undefined);
  });

  test('a holder that lost it does not remove the new one', async () => {
    const clock = fakeClock({ start: Date.now() });
    const lost = await take({ clock });
    assert.equal(await lost?.held(), true);
    await fs.writeFile(path, holder({ nonce: 'new' }));
    clock.jump(5_000);
    assert.equal(await lost?.held(), false);
    clock.jump(-60_000);
    assert.equal(await lost?.held(), false, 'also when the clock went back');
    await lost?.release();
    assert.equal(await isThere(path), true);
  });
});

suite('process identity', () => {
  test('a process is alive itself, and gone with another start time or number', () => {
    assert.equal(lifeOf(ownIdentity()), process.platform === 'linux' ? 'alive' : 'unknown');
    assert.equal(lifeOf({ ...ownIdentity(), start: 'other' }), 'gone');
    assert.equal(lifeOf({ ...ownIdentity(), pid: noProcess }), 'gone');
  });

  test('of another machine, or without a start time, nothing can be said', () => {
    assert.equal(lifeOf({ ...ownIdentity(), space: 'elsewhere' }), 'unknown');
    assert.equal(lifeOf({ ...ownIdentity(), start: '' }), 'unknown');
    assert.equal(lifeOf({ ...ownIdentity(), start: '', pid: noProcess }), 'gone');
  });

  test('a process that was killed and not yet reaped is gone', async function () {
    if (process.platform !== 'linux') this.skip();
    // `sleep 30` inherits a child that it never waits for.
    const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(output.toString());
      const stat = async (): Promise<string[]> =>
        (await fs.readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      const ticks = (await stat())[19];
      const start = ownIdentity().start.replace(/\d+$/, ticks ?? '');
      for (let i = 0; i < 500 && (await stat())[0] !== 'Z'; i++) await pause(10);
      assert.equal((await stat())[0], 'Z');
      assert.equal(lifeOf({ ...ownIdentity(), pid, start }), 'gone');
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

suite('one writer per session', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  test('opening a session twice gives one writer and one reader, in one store or in two', async () => {
    const { id } = await bench.written('one');
    const store = bench.store();
    const logs = [await store.open(id), await store.open(id), await bench.store().open(id)];
    assert.deepEqual(
      logs.map(({ readOnly }) => readOnly),
      [false, true, true],
    );
    await assert.rejects(logs[1]?.append(said('x')) ?? Promise.resolve(), UserError);
    assert.deepEqual(logs[1]?.repairs, []);
  });

  test('of many that open it at once exactly one writes [I7]', async () => {
    const { id } = await bench.written('one');
    const store = bench.store();
    const logs = await Promise.all(Array.from({ length: 8 }, (_, i) => (i % 2 === 0 ? store : bench.store()).open(id)));
    assert.equal(logs.filter(({ readOnly }) => !readOnly).length, 1);
  });

  test('a session that was just disposed can be opened for writing at once', async () => {
    const store = bench.store();
    let log = await store.create([]);
    for (let i = 0; i < 10; i++) {
      void log.append(said(`${i}`));
      log.dispose();
      log = await store.open(log.header.id);
      assert.equal(log.readOnly, false);
    }
    assert.deepEqual(textsOf(log.entries()).length, 10);
  });

  test('whoever lost the lock only reads from then on, and the other one’s entries stay [XD6, I7]', async () => {
    const clock = fakeClock({ start: Date.now() });
    const log = await bench.store({ clock }).create([]);
    const { id } = log.header;
    await log.append(said('mine'));
    const lockPath = `${bench.path(id)}.lock`;
    // As it looks to a window on another machine when this one slept for a long time.
    await fs.writeFile(
      lockPath,
      (await fs.readFile(lockPath, 'utf8')).replace(/"space":"[^"]*"/, '"space":"elsewhere"'),
    );
    clock.jump(120_000);
    const other = await bench.store({ clock }).open(id);
    assert.equal(other.readOnly, false);
    await other.append(said('theirs'));
    await assert.rejects(log.append(said('mine again')), UserError);
    assert.equal(log.readOnly, true);
    await other.append(said('theirs again'));
    assert.deepEqual(textsOf(other.entries()), ['mine', 'theirs', 'theirs again']);
  });

  test('a reader of a session that is being written does not report the unfinished line', async () => {
    const { id } = await bench.written('one');
    const writer = await bench.store().open(id);
    await fs.appendFile(bench.path(id), '{"id":"half');
    const reader = await bench.store().open(id);
    assert.deepEqual([reader.readOnly, reader.repairs, textsOf(reader.entries())], [true, [], ['one']]);
    assert.equal(writer.readOnly, false);
  });
});
