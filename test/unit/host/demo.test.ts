import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import { copySample, isSample } from '../../../src/host/demo/demoWorkspace.ts';
import { startSimulator, type RunningSimulator } from '../../../src/host/demo/simulatorProcess.ts';

let folder = '';
setup(() => (folder = mkdtempSync(join(tmpdir(), 'loopdock-demo-'))));
teardown(() => rmSync(folder, { recursive: true, force: true }));

suite('The sample project', () => {
  test('is copied into a new folder each time, so that nothing is overwritten', async () => {
    const sample = join(folder, 'sample');
    mkdirSync(join(sample, 'data'), { recursive: true });
    writeFileSync(join(sample, 'data', 'sales.csv'), 'a,1\n');
    const parent = join(folder, 'some', 'where');
    const first = await copySample(sample, parent);
    writeFileSync(join(first, 'data', 'sales.csv'), 'mine');
    const second = await copySample(sample, parent);
    assert.deepEqual([first, second], [join(parent, 'loopdock-demo'), join(parent, 'loopdock-demo-2')]);
    assert.equal(readFileSync(join(first, 'data', 'sales.csv'), 'utf8'), 'mine');
    assert.equal(readFileSync(join(second, 'data', 'sales.csv'), 'utf8'), 'a,1\n');
  });

  test('is recognised by its files, in a copy with more beside them too', async () => {
    const sample = 'media/demo/workspace';
    const copy = await copySample(sample, folder);
    writeFileSync(join(copy, 'more.txt'), '');
    assert.equal(await isSample(sample, copy), true);
    rmSync(join(copy, 'data'), { recursive: true });
    assert.equal(await isSample(sample, copy), false);
    assert.equal(await isSample(sample, join(folder, 'missing')), false);
  });
});

suite('The simulator of the offline demo', () => {
  const running: RunningSimulator[] = [];
  teardown(() => running.splice(0).forEach((simulator) => simulator.dispose()));

  /** Starts a script instead of the simulator: what is tested is how it is started, read and ended. */
  function start(script: string, onExit: (code: number | null) => void = () => undefined): Promise<RunningSimulator> {
    const path = join(folder, 'simulator.js');
    writeFileSync(path, script);
    const started = startSimulator({ script: path, environment: { SEEN: 'yes' }, onExit, onOutput: () => undefined });
    return started.then((simulator) => {
      running.push(simulator);
      return simulator;
    });
  }

  const address = `JSON.stringify({ url: 'http://127.0.0.1:1', key: process.argv.slice(2).join(' ') })`;
  const alive = `process.stdin.resume(); process.stdin.on('end', () => process.exit(7));`;

  test('is started for the demo scenario on a free port, and says where it is', async () => {
    const { url, key } = await start(`console.log(${address}); ${alive}`);
    assert.deepEqual({ url, key }, { url: 'http://127.0.0.1:1', key: '--scenario demo --port 0' });
  });

  test('gets the given environment and nothing else', async () => {
    const { key } = await start(
      `console.log(JSON.stringify({ url: '', key: [process.env.SEEN, process.env.HOME, process.env.PATH].join() })); ${alive}`,
    );
    assert.equal(key, 'yes,,');
  });

  test('ends when it is disposed', async () => {
    let exit: () => void = () => undefined;
    const exited = new Promise<void>((resolve) => (exit = resolve));
    const simulator = await start(`console.log(${address}); ${alive}`, () => exit());
    simulator.dispose();
    await exited;
  });

  for (const [what, script] of [
    ['ends before it is ready', 'process.exit(3)'],
    ['says something else', `console.log('hello'); ${alive}`],
    ['says too much', `process.stdout.write('x'.repeat(10000)); ${alive}`],
  ] as const) {
    test(`is an error the user is told about when it ${what}`, async () => {
      await assert.rejects(start(script), UserError);
    });
  }
});
