import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancelledError } from '../../../src/core/errors.ts';
import type { ShellResult } from '../../../src/core/ports.ts';
import { findBash } from '../../../src/node/shell/findBash.ts';
import { scrubEnvironment } from '../../../src/node/shell/scrubEnvironment.ts';
import { createTerminalSession, type TerminalSession } from '../../../src/node/shell/terminalSession.ts';
import { fakeLogger } from '../../support/fakes.ts';
import { pause, waitFor } from './support.ts';

suite('The session\u2019s terminal', () => {
  let folder: string;
  let session: TerminalSession;
  let screen: string;
  let open: boolean;
  let opened: number;
  let timeoutMs: number;
  const signal = new AbortController().signal;

  setup(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'session-test-'));
    [screen, open, opened, timeoutMs] = ['', false, 0, 10_000];
    session = createTerminalSession({
      shell: {
        bash: () => findBash(),
        cwd: folder,
        env: () => scrubEnvironment(process.env),
        recordsDir: path.join(folder, '.records'),
        logger: fakeLogger(),
      },
      outputDir: path.join(folder, '.outputs'),
      timeoutMs: () => timeoutMs,
      screen: {
        open() {
          if (open) return false;
          opened += 1;
          return (open = true);
        },
        write: (text) => void (screen += open ? text : ''),
      },
      logger: fakeLogger(),
    });
  });
  teardown(async () => {
    session.dispose();
    await pause(20);
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (command: string): Promise<ShellResult> => session.run(command, signal, () => undefined);
  // eslint-disable-next-line no-control-regex -- what is left is what a reader sees
  const seen = (): string => screen.replace(/\x1b\[[\d;]*[mK]/g, '').replaceAll('\r\n', '\n');

  test('exists only from the first command on', async () => {
    assert.equal(session.cwd(), folder);
    assert.equal(opened, 0);
    await run('true');
    await run('true');
    assert.equal(opened, 1);
  });

  test('shows each command, its output and how it ended', async () => {
    let live = '';
    const { end, output, cwd, totalBytes, truncated } = await session.run(
      'echo out; echo err >&2; (exit 3)',
      signal,
      (chunk) => (live += chunk),
    );
    assert.deepEqual(
      { end, output, cwd, totalBytes, truncated, live },
      {
        end: { kind: 'exit', code: 3 },
        output: 'out\nerr\n',
        cwd: folder,
        totalBytes: 8,
        truncated: false,
        live: 'out\nerr\n',
      },
    );
    assert.match(seen(), /\$ echo out; echo err >&2; \(exit 3\)\nout\nerr\n✗ 3 \d+\.\d s\n.*\$ $/s);
  });

  test('delivers output while the command runs', async () => {
    let live = '';
    const running = session.run('echo first; sleep 0.3; echo second', signal, (chunk) => (live += chunk));
    await waitFor(() => live === 'first\n' && seen().endsWith('first\n'));
    await running;
    assert.equal(live, 'first\nsecond\n');
  });

  test('writes a command with hidden characters out, as the card does', async () => {
    await run('echo a # \u202etxt.exe\u200b');
    assert.match(seen(), /\$ echo a # \\u202etxt\.exe\\u200b\na\n/);
  });

  test('cannot be made to show another command by a command\u2019s output', async () => {
    await run(`printf '\\033[2J\\033[H\\033[5A\\033]0;x\\007fake\\n'`);
    assert.match(screen, /printf/);
    assert.equal(/\x1b\[(2J|H|5A)|\x1b\]/.test(screen), false); // eslint-disable-line no-control-regex -- that is the point
  });

  test('runs what the user types in the same shell', async () => {
    await run('X=1');
    session.input('echo "typed $X"; cd /\r');
    await waitFor(() => seen().includes('typed 1\n✓ 0'));
    assert.equal(session.cwd(), '/');
    const { output } = await run('pwd');
    assert.equal(output, '/\n');
  });

  test('gives what is typed to a command that the user started, and ends its input with ^D', async () => {
    session.show();
    session.input('read a; echo "a=$a"; cat\r');
    session.input('one\r');
    await waitFor(() => seen().includes('a=one'));
    session.input('two\r\x04');
    await waitFor(() => /two\ntwo\n✓ 0/.test(seen()));
  });

  test('gives nothing that is typed to a command of the model', async () => {
    let live = '';
    const command = 'read a; echo "[$a]"; until [ -e done ]; do sleep 0.02; done';
    const running = session.run(command, signal, (chunk) => (live += chunk));
    await waitFor(() => live.includes('[]'));
    session.input('typed\r');
    await pause(50);
    writeFileSync(path.join(folder, 'done'), '');
    assert.equal((await running).output, '[]\n');
    await pause(30);
    assert.equal(seen().includes('typed'), false);
  });

  test('lets the model\u2019s command wait for the user\u2019s, and says so', async () => {
    let live = '';
    session.input('sleep 0.2; echo typed\r');
    const { output } = await session.run('echo model', signal, (chunk) => (live += chunk));
    assert.equal(output, 'model\n');
    assert.match(live, /Waiting for the command that was typed/);
    assert.match(seen(), /typed\n.*model\n/s);
  });

  test('keeps a half-typed line when a command of the model comes between', async () => {
    session.show();
    session.input('half');
    await run('echo model');
    assert.match(seen(), /\$ half$/);
    session.input('\x15echo whole\r');
    await waitFor(() => seen().includes('\nwhole\n'));
  });

  test('interrupts the running command with ^C', async () => {
    const running = run('echo go; sleep 30');
    await waitFor(() => seen().endsWith('\ngo\n'));
    session.input('\x03');
    assert.deepEqual((await running).end, { kind: 'interrupted' });
    assert.match(seen(), /\^C\n✗ interrupted/);
  });

  test('ends the command when the terminal is closed, and the next one gets a new terminal and the same shell', async () => {
    await run('X=kept');
    const running = run('echo go; sleep 30');
    await waitFor(() => seen().endsWith('\ngo\n'));
    open = false;
    session.closed();
    assert.deepEqual((await running).end, { kind: 'terminalClosed' });
    assert.equal((await run('echo $X')).output, 'kept\n');
    assert.equal(opened, 2);
  });

  test('keeps the shell when the terminal is closed while nothing runs', async () => {
    await run('X=kept');
    open = false;
    session.closed();
    assert.equal((await run('echo $X')).output, 'kept\n');
  });

  test('reads the timeout for each command', async () => {
    timeoutMs = 100;
    assert.deepEqual((await run('echo a; sleep 30')).end, { kind: 'timeout', afterMs: 100 });
    timeoutMs = 10_000;
    assert.deepEqual((await run('sleep 0.2')).end, { kind: 'exit', code: 0 });
  });

  test('shows late output of a background job apart, and gives it to no command', async () => {
    await run('(sleep 0.1; printf LATE) &');
    await waitFor(() => seen().includes('LATE\n'));
    assert.equal((await run('echo next')).output, 'next\n');
    assert.match(seen(), /LATE\n.*\$ /s);
  });

  test('starts in the first directory again after a restart', async () => {
    mkdirSync(path.join(folder, 'sub'));
    await run('cd sub; X=1');
    await session.restart(signal);
    assert.equal((await run('echo "[$X]"; pwd')).output, `[]\n${folder}\n`);
  });

  test('runs nothing that was cancelled before', async () => {
    const abort = new AbortController();
    abort.abort();
    await assert.rejects(
      session.run('touch ran', abort.signal, () => undefined),
      CancelledError,
    );
    await assert.rejects(session.restart(abort.signal), CancelledError);
    assert.equal(opened, 0);
  });
});
