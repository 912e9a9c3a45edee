import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBash } from '../../../src/node/shell/bashProcess.ts';
import { findBash } from '../../../src/node/shell/findBash.ts';
import { descendants, processesWithVariable, startTime, uptime } from '../../../src/node/shell/processes.ts';
import { scrubEnvironment } from '../../../src/node/shell/scrubEnvironment.ts';
import { waitFor } from './support.ts';

suite('Processes', () => {
  test('below the first process, the kernel, our parent and ourselves are never listed to be ended', () => {
    for (const pid of [0, 1, -1, 1.5, Number.NaN, Infinity, process.pid, process.ppid]) {
      assert.deepEqual(descendants(pid), [], String(pid));
    }
  });

  test('are not found by an empty or shapeless mark', () => {
    for (const mark of ['', '=', 'PATH', 'PATH=', '=x', 'A=b c'])
      assert.deepEqual(processesWithVariable(mark), [], mark);
  });

  test('are listed with their children, by age and by mark', async () => {
    const before = uptime() - 1;
    const env = { ...process.env, TEST_MARK: 'one-of-a-kind' };
    const child = spawn('sh', ['-c', 'sleep 30 & sleep 30'], { env, stdio: 'ignore', detached: true });
    const pid = child.pid ?? 0;
    await waitFor(() => descendants(pid).length === 2);
    const below = descendants(pid, before);
    assert.equal(below.length, 2);
    assert.deepEqual(descendants(pid, uptime() + 1_000), []);
    assert.deepEqual(processesWithVariable('TEST_MARK=one-of-a-kind').sort(), [pid, ...below].sort());
    assert.deepEqual(processesWithVariable('TEST_MARK=one-of'), []);
    assert.match(startTime(pid) ?? '', /^\d+$/);
    process.kill(-pid, 'SIGKILL');
    await waitFor(() => startTime(pid) === undefined);
  });

  test('that could not be started end as such, without a process id that a signal could be sent to', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bash-process-'));
    const bash = await startBash({
      bash: findBash(),
      cwd: path.join(folder, 'nowhere'),
      env: scrubEnvironment(process.env),
      folder,
      onBackground: () => undefined,
    });
    const end = bash.execute('echo', false, () => undefined);
    await bash.exited;
    assert.deepEqual([(await end).kind, bash.alive, descendants(bash.pid)], ['died', false, []]);
    rmSync(folder, { recursive: true });
  });
});
