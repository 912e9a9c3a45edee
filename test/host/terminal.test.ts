import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { createTerminalPort } from '../../src/host/terminal/terminalPort.ts';
import { report } from '../runner/record.ts';
import { fakeLogger } from '../support/fakes.ts';

const never = new AbortController().signal;
const KEY = 'sk-host-test-0123456789';

suite('The terminal', () => {
  let folder: string;
  let port: ReturnType<typeof createTerminalPort>;
  let timeoutMs = 20_000;

  setup(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-test-')));
    timeoutMs = 20_000;
    process.env['ANTHROPIC_API_KEY'] = KEY;
    process.env['SOME_OTHER_NAME'] = KEY;
    port = createTerminalPort({
      sessionId: 'test',
      cwd: folder,
      storageDir: join(folder, '.storage'),
      timeoutMs: () => timeoutMs,
      credentials: () => [KEY],
      logger: fakeLogger(),
    });
  });

  teardown(async () => {
    port.dispose();
    delete process.env['ANTHROPIC_API_KEY'];
    delete process.env['SOME_OTHER_NAME'];
    await until('the terminal is gone', () => terminals().length === 0);
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (command: string, onOutput: (chunk: string) => void = () => undefined) =>
    port.run(command, never, onOutput);
  const terminals = () => vscode.window.terminals.filter(({ name }) => name === 'Loopdock');
  const terminal = (): vscode.Terminal => {
    const [found] = terminals();
    assert.ok(found, 'there is no terminal');
    return found;
  };

  test('appears with the first command, once, and does not take the focus', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'text' });
    await vscode.window.showTextDocument(document);
    assert.deepEqual(terminals(), []);
    const { end, output } = await run('echo hello; (exit 3)');
    assert.deepEqual([end, output], [{ kind: 'exit', code: 3 }, 'hello\n']);
    await run('true');
    assert.equal(terminals().length, 1);
    assert.equal(vscode.window.activeTextEditor?.document, document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('shows the command, its output and its end', async () => {
    await run('echo "out$((1 + 1))"; echo \u202ehidden >/dev/null');
    port.show();
    const text = await screen((shown) => shown.includes('out2'));
    assert.match(text, /\$ echo "out\$\(\(1 \+ 1\)\)"; echo \\u202ehidden >\/dev\/null/);
    assert.match(text, /^out2\s*$/m);
    assert.match(text, /✓ 0/);
  });

  test('delivers output while the command runs', async () => {
    let live = '';
    const running = run('echo first; sleep 1; echo second', (chunk) => (live += chunk));
    await until('the first line is there', () => live.includes('first'));
    assert.equal(live.includes('second'), false);
    assert.equal((await running).output, 'first\nsecond\n');
  });

  test('gives no credential to a command, from wherever it comes [XN13]', async () => {
    const settings = vscode.workspace.getConfiguration('terminal.integrated');
    const ours = {
      FROM_SETTING: 'yes',
      HOME: null,
      LEAKED: KEY,
      ANTHROPIC_AUTH_TOKEN: 'x',
      BY_NAME: '[${env:ANTHROPIC_API_KEY}]',
    };
    await settings.update('env.linux', ours, vscode.ConfigurationTarget.Global);
    try {
      const { output } = await run('env; echo "home=[${HOME-none}]"');
      assert.equal(output.includes(KEY), false);
      assert.equal(/^(ANTHROPIC|CLAUDE|VSCODE|ELECTRON)_/m.test(output), false, output);
      assert.match(output, /^FROM_SETTING=yes$/m);
      assert.match(output, /^LOOPDOCK_ACTIVE=1$/m);
      assert.match(output, /^BY_NAME=\[\]$/m);
      assert.match(output, /home=\[none\]/);
    } finally {
      await settings.update('env.linux', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  test('interrupts the running command with ^C typed into it, and keeps the shell', async () => {
    let live = '';
    await run('X=kept');
    const running = run('echo ready; sleep 60', (chunk) => (live += chunk));
    await until('the command runs', () => live.includes('ready'));
    const since = Date.now();
    terminal().sendText('\x03', false);
    assert.deepEqual((await running).end, { kind: 'interrupted' });
    report(`^C ended a command after ${Date.now() - since} ms`);
    assert.equal((await run('echo $X')).output, 'kept\n');
  });

  test('runs what the user types, in the same shell', async () => {
    await run('X=1');
    terminal().sendText('Y="typed-$X"; cd /', true);
    await until('the directory changed', () => port.cwd() === '/');
    assert.equal((await run('echo $Y')).output, 'typed-1\n');
  });

  test('closed while a command runs, ends that command and comes back for the next [XD15]', async () => {
    let live = '';
    const running = run('echo $BASHPID; sleep 60', (chunk) => (live += chunk));
    await until('the command runs', () => live.includes('\n'));
    terminal().dispose();
    const { end, output } = await running;
    assert.deepEqual([end, output], [{ kind: 'terminalClosed' }, live]);
    assert.equal((await run('echo next')).output, 'next\n');
    assert.equal(terminals().length, 1);
  });

  test('closed before it was even open ends its command too', async () => {
    const ended = run('echo begun; sleep 60', () => terminals()[0]?.dispose());
    const { end } = await ended;
    assert.equal(end.kind, 'terminalClosed');
    assert.deepEqual((await run('echo back')).end, { kind: 'exit', code: 0 });
  });

  test('shows a part of a flood, keeps the whole and does not hold the host up', async () => {
    const lags: number[] = [];
    let last = Date.now();
    const timer = setInterval(() => {
      lags.push(Date.now() - last - 20);
      last = Date.now();
    }, 20);
    const { totalBytes, truncated, output, durationMs } = await run(
      "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end",
    );
    clearInterval(timer);
    report(`20 MB took ${durationMs} ms, longest pause of the host ${Math.max(...lags)} ms`);
    assert.equal(totalBytes, 20_000_005);
    assert.equal(truncated, true);
    assert.match(output, /x\nend\n$/);
    assert.ok(Math.max(...lags) < 1_000);
  });

  test('says after a timeout what it was, and goes on', async () => {
    timeoutMs = 500;
    const { end } = await run("trap '' INT; sleep 60");
    assert.deepEqual(end, { kind: 'timeout', afterMs: 500 });
    timeoutMs = 20_000;
    assert.equal((await run('echo new')).output, 'new\n');
  });
});

async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 15_000; !done();) {
    if (Date.now() > deadline) throw new Error(`Waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The text in the terminal, by way of the clipboard: there is no API that reads it. */
async function screen(enough: (shown: string) => boolean): Promise<string> {
  for (const deadline = Date.now() + 15_000; ;) {
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const shown = await vscode.env.clipboard.readText();
    if (enough(shown) || Date.now() > deadline) return shown;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
