import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processesWithVariable } from '../../../src/node/shell/processes.ts';
import { isRunning, testShell, waitFor, type TestShell } from './support.ts';

/** Runs a command, stops it once it has written `ready`, and gives its end and the time that stopping took. */
async function stopped(test: TestShell, command: string): Promise<{ kind: string; output: string; ms: number }> {
  const abort = new AbortController();
  let output = '';
  let since = 0;
  const result = await test.run(command, {
    signal: abort.signal,
    onData(bytes) {
      output += bytes.toString();
      if (since === 0 && output.includes('ready')) {
        since = Date.now();
        abort.abort();
      }
    },
  });
  return { kind: result.end.kind, output, ms: Date.now() - since };
}

suite('Stopping a command', () => {
  let test_: TestShell;
  setup(() => (test_ = testShell()));
  teardown(() => test_.dispose());

  test('interrupts it, drops the rest of the script and keeps the shell', async () => {
    await test_.run('X=kept');
    const commands = [
      'echo ready; sleep 30; echo AFTER',
      'echo ready; while :; do :; done; echo AFTER',
      'f() { g; echo AFTER; }; g() { echo ready; sleep 30; }; f; echo AFTER',
      'echo ready; sleep 30 | cat; echo AFTER',
      'echo ready; x=$(sleep 30); echo AFTER',
      // A child that takes the interrupt and ends well: bash alone would go on with the script.
      `sh -c 'trap "exit 0" INT; echo ready; sleep 30'; echo AFTER`,
      `echo ready; python3 -c 'import time; time.sleep(30)' 2>/dev/null; echo AFTER`,
    ];
    for (const command of commands) {
      const { kind, output, ms } = await stopped(test_, command);
      assert.equal(kind, 'interrupted', command);
      assert.equal(output.includes('AFTER'), false, command);
      assert.ok(ms < 1_500, `${command}: ${ms} ms`);
      assert.equal(await test_.line('echo $X'), 'kept\n|exit 0', command);
    }
  });

  test('kills a child that ignores the interrupt, and keeps the shell [XD16]', async () => {
    await test_.run('X=kept');
    const { kind, output } = await stopped(
      test_,
      `sh -c 'trap "" INT TERM; echo ready; sleep 30; sleep 30'; echo AFTER`,
    );
    assert.equal(kind, 'interrupted');
    assert.equal(output, 'ready\n');
    assert.equal(await test_.line('echo $X'), 'kept\n|exit 0');
  });

  test('kills the shell itself when it ignores the interrupt', async () => {
    const { kind } = await stopped(test_, `trap '' INT USR1; echo ready; while :; do :; done`);
    assert.equal(kind, 'interrupted');
    assert.equal(await test_.line('echo new'), 'new\n|exit 0');
  });

  test('leaves the background job of an earlier command alone', async () => {
    const { output } = await test_.run('sleep 30 & echo $!; sleep 0.05');
    const pid = Number(output.trim().split('\n').at(-1));
    await stopped(test_, 'echo ready; sleep 30');
    assert.equal(isRunning(pid), true);
  });

  test('can be cancelled before its first byte', async () => {
    const abort = new AbortController();
    const running = test_.run('sleep 30; echo AFTER', { signal: abort.signal, onStart: () => abort.abort() });
    assert.equal((await running).end.kind, 'interrupted');
    assert.equal(await test_.line('echo next'), 'next\n|exit 0');
    assert.equal(test_.background().includes('AFTER'), false);
  });

  test('after the timeout kills everything that it started and gives a new shell in the same directory [C114, XD16]', async () => {
    await test_.run('mkdir sub; cd sub; X=lost');
    const started = Date.now();
    const { end, output } = await test_.run(
      `trap '' INT; setsid sleep 60 & echo $!; nohup sleep 60 >/dev/null 2>&1 & echo $!; (sleep 60 & echo $!); setsid sh -c 'echo $$; trap "" INT TERM HUP; sleep 60; sleep 60'`,
      { timeoutMs: 300 },
    );
    assert.deepEqual(end, { kind: 'timeout', afterMs: 300 });
    assert.ok(Date.now() - started < 4_000);
    const pids = output.match(/^\d+$/gm)?.map(Number) ?? [];
    assert.equal(pids.length, 4, output);
    await waitFor(() => !pids.some(isRunning));
    assert.equal(await test_.line('echo "[$X] $(basename "$PWD")"'), '[] sub\n|exit 0');
  });

  test('does not use a shell again whose command timed out, and does not leave it behind', async () => {
    const { output } = await test_.run('X=lost; echo $$; sleep 30', { timeoutMs: 100 });
    await waitFor(() => !isRunning(Number(output.trim())));
    assert.equal(await test_.line('echo "[$X]"'), '[]\n|exit 0');
  });

  test('takes along what a shell leaves behind when it ends by itself [XD16]', async () => {
    const { output } = await test_.run(
      'setsid sleep 60 & echo $!; nohup sleep 60 >/dev/null 2>&1 & echo $!; sleep 0.05; exit 0',
    );
    const pids = output.match(/^\d+$/gm)?.map(Number) ?? [];
    assert.equal(pids.length, 2);
    await waitFor(() => !pids.some(isRunning));
  });

  test('gives nothing of a command that timed out to the next one', async () => {
    const { output } = await test_.run(`trap 'sleep 0.3; echo LATE' INT; echo early; sleep 30; echo LATE`, {
      timeoutMs: 150,
    });
    assert.match(output, /^early\n/);
    assert.equal(await test_.line('sleep 0.4; echo next'), 'next\n|exit 0');
  });

  test('ends everything when it is disposed, also what left the group and the tree', async () => {
    await test_.run(
      `for n in 1 2 3; do setsid sleep 60 & nohup sleep 60 >/dev/null 2>&1 & sleep 60 & disown; done; (setsid sh -c 'trap "" HUP TERM; sleep 60' &) ; sleep 0.1`,
    );
    const [name = ''] = readdirSync(test_.recordsDir);
    const { mark } = JSON.parse(readFileSync(path.join(test_.recordsDir, name), 'utf8')) as { mark: string };
    const alive = (): number => processesWithVariable(`LOOPDOCK_SHELL=${mark}`).length;
    assert.ok(alive() >= 10);
    test_.shell.dispose();
    await waitFor(() => alive() === 0);
  });
});
