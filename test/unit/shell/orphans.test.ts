import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { recordShell, sweepOrphans } from '../../../src/node/shell/orphans.ts';
import { bundled } from '../../support/bundled.ts';
import { isRunning, testShell, waitFor } from './support.ts';

suite('Shells of windows that are gone', () => {
  let scratch: string;
  let records: string;
  setup(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'records-test-'));
    records = path.join(scratch, 'records');
    mkdirSync(records);
  });
  teardown(() => rmSync(scratch, { recursive: true, force: true }));

  test('are ended with all that they started, when their window was killed', async function () {
    this.timeout(10_000);
    // A process of its own stands for the window, and is killed in the middle of a command.
    const script = `
      import { testShell } from ${JSON.stringify(path.resolve('test/unit/shell/support.ts'))};
      const { run } = testShell({ recordsDir: ${JSON.stringify(records)} });
      void run('trap "" HUP INT TERM; setsid sleep 61 & echo $!; sleep 61 & echo $!; echo $$; sleep 61', {
        timeoutMs: 60_000,
        onData: (bytes) => void process.stdout.write(bytes),
      });
    `;
    const program = path.join(scratch, 'window.ts');
    writeFileSync(program, script);
    const window = spawn(process.execPath, [bundled(program, scratch)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    window.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await waitFor(() => (output.match(/^\d+$/gm) ?? []).length === 3, 8_000);
    const pids = (output.match(/^\d+$/gm) ?? []).map(Number);
    const [name = ''] = readdirSync(records);
    const { folder } = JSON.parse(readFileSync(path.join(records, name), 'utf8')) as { folder: string };

    assert.equal(sweepOrphans(records), 0, 'the window lives');
    assert.ok(pids.every(isRunning));
    window.kill('SIGKILL');
    await new Promise((resolve) => window.once('exit', resolve));
    assert.ok(pids.every(isRunning), 'the shell outlives its window');
    assert.equal(sweepOrphans(records), 1);
    await waitFor(() => !pids.some(isRunning));
    assert.equal(existsSync(folder), false);
    assert.deepEqual(readdirSync(records), []);
  });

  test('are left alone while their window lives', async () => {
    const test_ = testShell({ recordsDir: records });
    await test_.run('X=1');
    assert.equal(sweepOrphans(records), 0);
    assert.equal(await test_.line('echo $X'), '1\n|exit 0');
    await test_.dispose();
  });

  test('never cost another process its life that got the pid, nor a folder that is not ours', () => {
    const victim = spawn('sleep', ['30'], { detached: true, stdio: 'ignore' });
    const kept = mkdtempSync(path.join(tmpdir(), 'kept-'));
    recordShell(records, { pid: victim.pid ?? 0, mark: 'a'.repeat(32), folder: kept });
    const file = path.join(records, `${'a'.repeat(32)}.json`);
    const record = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...record, start: '1', ownerStart: '1' }));
    assert.equal(sweepOrphans(records), 1);
    assert.equal(isRunning(victim.pid ?? 0), true);
    assert.equal(existsSync(kept), true);
    process.kill(victim.pid ?? 0, 'SIGKILL');
    rmSync(kept, { recursive: true });
  });

  test('are swept past damaged records', () => {
    for (const [name, text] of [
      ['a.json', '{'],
      ['b.json', 'null'],
      ['c.json', '{"pid":1,"mark":"","folder":"/"}'],
    ] as const) {
      writeFileSync(path.join(records, name), text);
    }
    sweepOrphans(records);
    assert.deepEqual(readdirSync(records), []);
    assert.equal(sweepOrphans(path.join(records, 'nowhere')), 0);
  });
});
