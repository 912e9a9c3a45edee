import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { bundled } from '../../support/bundled.ts';
import { assertChain, logBench, pause, textsOf, type LogBench } from './logSupport.ts';

/** Real kills; `npm run soak` sets more. */
const kills = Number(process.env['LOOPDOCK_KILLS'] ?? 12);

let bench: LogBench;
let script = '';
const children = new Set<ChildProcess>();

interface Window {
  readonly process: ChildProcess;
  /** Lines that it said. */
  readonly said: string[];
  /** Waits for its n-th line. */
  line(n: number): Promise<string>;
  ended(): Promise<void>;
}

function openWindow(session: string, mode: 'append' | 'hold' | 'share'): Window {
  const process_ = spawn(process.execPath, [script, bench.dir, session, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(process_);
  const said: string[] = [];
  let rest = '';
  process_.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    said.push(...lines);
  });
  const closed = once(process_, 'close').then(() => void children.delete(process_));
  return {
    process: process_,
    said,
    async line(n) {
      for (let i = 0; i < 4000 && said.length < n; i++) await pause(5);
      return said[n - 1] ?? assert.fail(`no line ${n}: ${said.join(' ')}`);
    },
    ended: () => closed,
  };
}

suite('session log and processes', function () {
  this.timeout(120_000 + kills * 1000);

  suiteSetup(async () => {
    bench = await logBench();
    script = bundled(require.resolve('./logChild.ts'), bench.dir);
  });
  teardown(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  suiteTeardown(() => bench.end());

  test(`after each of ${kills} kills the session opens with everything that was acknowledged [XD1, I1]`, async () => {
    let session = '';
    let expected: string[] = [];
    let acknowledged = 0;
    for (let round = 0; round < kills; round++) {
      if (round % 10 === 0) {
        session = (await bench.written('seed')).id;
        expected = ['seed'];
      }
      const child = openWindow(session, 'append');
      assert.equal(await child.line(1), 'writer', 'the lock of the killed window was taken over');
      await pause(Math.random() * 60);
      child.process.kill('SIGKILL');
      await child.ended();
      const acked = child.said.slice(1);
      acknowledged += acked.length;
      const log = await bench.store().open(session);
      const found = textsOf(log.entries());
      assert.equal(log.readOnly, false);
      assertChain(log.entries());
      const unique = new Set(found);
      for (const text of [...expected, ...acked]) assert.ok(unique.has(text), `round ${round}: ${text} is lost`);
      assert.deepEqual(found.slice(0, expected.length), expected, 'and nothing from before has changed');
      expected = [...found];
      await bench.close(log);
    }
    assert.ok(acknowledged > kills, `${acknowledged} acknowledged`);
  });

  test('of windows that open one session at once exactly one writes, also when a dead one holds the lock [XD6, I7]', async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await bench.written('seed');
      if (round % 2 === 0) {
        const dead = openWindow(id, 'hold');
        await dead.line(2);
        dead.process.kill('SIGKILL');
        await dead.ended();
        assert.ok(await fs.readFile(`${bench.path(id)}.lock`, 'utf8'), 'its lock is still there');
      }
      const windows = [openWindow(id, 'hold'), openWindow(id, 'hold'), openWindow(id, 'hold')];
      const roles = await Promise.all(windows.map((window) => window.line(1)));
      assert.deepEqual(roles.toSorted(), ['reader', 'reader', 'writer'], `round ${round}`);
      await windows[roles.indexOf('writer')]?.line(2);
      const mine = await bench.store().open(id);
      assert.equal(mine.readOnly, true);
      await bench.close(mine);
      for (const window of windows) window.process.stdin?.end();
      await Promise.all(windows.map((window) => window.ended()));
      const after = await bench.store().open(id);
      assert.equal(after.readOnly, false, 'the lock was given back');
      await bench.close(after);
      const left = (await fs.readdir(bench.dir)).filter((name) => name.includes('.lock'));
      assert.deepEqual(left, []);
    }
  });

  test('of two windows that take turns with one session none of 800 entries is lost [XD6]', async () => {
    const { id } = await bench.written('seed');
    const windows = [openWindow(id, 'share'), openWindow(id, 'share')];
    await Promise.all(windows.map((window) => window.ended()));
    const acknowledged = windows.flatMap(({ said }) => said.filter((line) => line !== ''));
    assert.equal(
      acknowledged.length,
      800,
      acknowledged.find((line) => line.startsWith('error')),
    );
    const log = await bench.store().open(id);
    assertChain(log.entries());
    assert.deepEqual(textsOf(log.entries()).toSorted(), ['seed', ...acknowledged].toSorted());
    const writers = textsOf(log.entries()).map((text) => text.split('-')[0]);
    const changes = writers.filter((writer, index) => writer !== writers[index - 1]).length;
    assert.ok(changes > 2, 'both wrote, in turns');
    await bench.close(log);
  });

  test('a stopped window still holds its session', async function () {
    if (process.platform === 'win32') this.skip();
    const { id } = await bench.written('seed');
    const child = openWindow(id, 'hold');
    await child.line(2);
    child.process.kill('SIGSTOP');
    const log = await bench.store().open(id);
    assert.equal(log.readOnly, true);
    await bench.close(log);
  });
});
