import assert from 'node:assert/strict';
import { NO_WISH } from '../../support/agent.ts';
import { visibleText } from '../../../src/core/base/visibleText.ts';
import { CancelledError, ToolError } from '../../../src/core/errors.ts';
import type { ShellResult } from '../../../src/core/ports.ts';
import { bashTool, type BashInput } from '../../../src/core/tools/bash.ts';
import type { ToolOutcome } from '../../../src/core/tools/tool.ts';
import { fakeTerminal, type FakeTerminal } from '../../support/fakeTerminal.ts';

const signal = new AbortController().signal;

async function call(terminal: FakeTerminal, input: BashInput): Promise<ToolOutcome> {
  const prepared = await bashTool(terminal).prepare(input, signal);
  const outcome = await prepared.invoke({ signal, progress: () => undefined });
  assert.notEqual(outcome, 'stale');
  return outcome as ToolOutcome;
}

/** What the model is told about a command that ended like this. */
async function told(result: Partial<ShellResult>): Promise<{ content: unknown; isError: boolean }> {
  const { content, isError } = await call(fakeTerminal({ x: result }), { command: 'x' });
  return { content, isError };
}

suite('bash', () => {
  test('is declared as the API\u2019s own tool', () => {
    const tool = bashTool(fakeTerminal());
    assert.deepEqual(tool.declare('bash_20250124', NO_WISH), { type: 'bash_20250124', name: 'bash' });
    assert.deepEqual(tool.versions, ['bash_20250124']);
    assert.equal(tool.readOnly({ command: 'ls' }), false);
  });

  test('takes a command or a restart, and nothing else', () => {
    const { input } = bashTool(fakeTerminal());
    for (const good of [
      { command: 'ls' },
      { restart: true },
      { command: 'ls', restart: true },
      { command: 'ls', x: 1 },
    ]) {
      assert.equal(input.safeParse(good).success, true, JSON.stringify(good));
    }
    for (const bad of [
      {},
      { command: '' },
      { command: ' \n' },
      { command: 1 },
      { command: ['ls'] },
      { restart: false },
      { restart: 'yes' },
      null,
      'ls',
    ]) {
      assert.equal(input.safeParse(bad).success, false, JSON.stringify(bad));
    }
  });

  test('asks for exactly the command that it runs, where it runs it', async () => {
    const terminal = fakeTerminal({}, '/ws');
    const command = 'ls -la # \u202e\u2066 nothing\u00a0here \u200b\n\techo "é 界"';
    const prepared = await bashTool(terminal).prepare({ command }, signal);
    assert.deepEqual(prepared.effects, [{ kind: 'execute', command, cwd: '/ws' }]);
    assert.deepEqual(prepared.preview, {
      kind: 'terminal',
      command: 'ls -la # \\u202e\\u2066 nothing\\u00a0here \\u200b\n\techo "é 界"',
      output: '',
      cwd: '/ws',
    });
    assert.deepEqual(terminal.log, []);
    await prepared.invoke({ signal, progress: () => undefined });
    assert.deepEqual(terminal.log, [command]);
  });

  test('asks again when the directory has changed since it asked', async () => {
    const terminal = fakeTerminal();
    const prepared = await bashTool(terminal).prepare({ command: 'rm -rf build' }, signal);
    terminal.moveTo('/elsewhere');
    assert.equal(await prepared.invoke({ signal, progress: () => undefined }), 'stale');
    assert.deepEqual(terminal.log, []);
  });

  test('refuses every control character but line end and tab, and says which', async () => {
    const tool = bashTool(fakeTerminal());
    for (let code = 0; code < 0xa0; code++) {
      const char = String.fromCharCode(code);
      if (!/\p{Cc}/u.test(char) || char === '\n' || char === '\t') continue;
      await assert.rejects(
        async () => tool.prepare({ command: `ls ${char}touch PWNED` }, signal),
        (error: Error) =>
          error instanceof ToolError && error.message.includes(`\\u${code.toString(16).padStart(4, '0')}`),
        `U+${code.toString(16)}`,
      );
    }
  });

  test('tells the model the output and the exit code', async () => {
    assert.deepEqual(await told({ output: 'hello\n\n' }), { content: 'hello', isError: false });
    assert.deepEqual(await told({ output: '' }), { content: '(no output)', isError: false });
    assert.deepEqual(await told({ output: ' \n\t' }), { content: '(no output)', isError: false });
    assert.deepEqual(await told({ output: 'bad\n', end: { kind: 'exit', code: 2 } }), {
      content: 'bad\nexit code 2',
      isError: true,
    });
    assert.deepEqual(await told({ end: { kind: 'exit', code: 1 } }), { content: 'exit code 1', isError: true });
  });

  test('tells the model of every other end, with the output marked as partial', async () => {
    const [output, cwd] = ['half\n', '/ws'];
    const cases: readonly [ShellResult['end'], string][] = [
      [
        { kind: 'timeout', afterMs: 120_000 },
        'Error: command did not finish within 120 seconds\nIt was killed; the next command gets a new shell in /ws.\nPartial output:\nhalf',
      ],
      [
        { kind: 'interrupted' },
        'Error: the user interrupted the command; its exit code is unknown.\nPartial output:\nhalf',
      ],
      [
        { kind: 'terminalClosed' },
        'Error: the user closed the terminal and with it ended the command; its exit code is unknown.\nPartial output:\nhalf',
      ],
      [
        { kind: 'shellEnded', code: 3, signal: null },
        'half\nthe shell ended with code 3; the next command gets a new shell in /ws (variables and functions are lost)',
      ],
      [
        { kind: 'shellEnded', code: null, signal: 'SIGKILL' },
        'half\nthe shell ended by signal SIGKILL; the next command gets a new shell in /ws (variables and functions are lost)',
      ],
    ];
    for (const [end, content] of cases) assert.deepEqual(await told({ end, output, cwd }), { content, isError: true });
    assert.match(String((await told({ end: { kind: 'interrupted' } })).content), /\nIt had written nothing\.$/);
  });

  test('shows the command, its output and its end on the card', async () => {
    const terminal = fakeTerminal({
      x: { output: 'a\n', end: { kind: 'exit', code: 1 }, durationMs: 5, truncated: true, fullOutputPath: '/o/1.txt' },
    });
    const { body } = await call(terminal, { command: 'x' });
    assert.deepEqual(body, {
      kind: 'terminal',
      command: 'x',
      output: 'a\n',
      exitCode: 1,
      durationMs: 5,
      cwd: '/workspace',
      truncated: true,
      note: 'The whole output is in /o/1.txt',
    });
    const timeout = await call(fakeTerminal({ x: { end: { kind: 'timeout', afterMs: 2_000 } } }), { command: 'x' });
    assert.equal(timeout.body.kind === 'terminal' && timeout.body.exitCode, null);
    assert.equal(timeout.body.kind === 'terminal' && timeout.body.note, 'Stopped after 2 seconds.');
  });

  test('restarts, and with a command runs it in the new shell [C115]', async () => {
    const terminal = fakeTerminal();
    const prepared = await bashTool(terminal).prepare({ restart: true }, signal);
    assert.deepEqual(prepared.effects, []);
    const restarted = await call(terminal, { restart: true });
    assert.deepEqual([restarted.content, restarted.isError], ['bash session restarted', false]);
    await call(terminal, { restart: true, command: 'ls' });
    assert.deepEqual(terminal.log, ['restart', 'restart', 'ls']);
  });

  test('passes output on as it comes', async () => {
    const prepared = await bashTool(fakeTerminal({ x: { output: 'live' } })).prepare({ command: 'x' }, signal);
    let live = '';
    await prepared.invoke({ signal, progress: (chunk) => (live += chunk) });
    assert.equal(live, 'live');
  });

  test('passes a cancellation on that came before the command began', async () => {
    const aborted = AbortSignal.abort();
    const prepared = await bashTool(fakeTerminal()).prepare({ command: 'x' }, signal);
    await assert.rejects(prepared.invoke({ signal: aborted, progress: () => undefined }), CancelledError);
  });

  test('has a one-line title for any input', () => {
    const { title } = bashTool(fakeTerminal());
    assert.equal(title({ command: 'npm test\nnpm run lint' }), 'Terminal · npm test');
    assert.equal(title({ command: '\n  ls \u202e' }), 'Terminal · ls \\u202e');
    assert.equal(title({ command: 'x'.repeat(500) }), `Terminal · ${'x'.repeat(120)}…`);
    assert.equal(title({ restart: true }), 'Restart Terminal');
    for (const odd of [undefined, null, 1, [], {}, { command: 1 }]) assert.equal(title(odd), 'Terminal');
  });
});

suite('Text made visible', () => {
  test('leaves what can be seen, and writes out what cannot', () => {
    assert.equal(visibleText('a b\n\té界😀-_'), 'a b\n\té界😀-_');
    assert.equal(
      visibleText('\r\x1b\x00\u202e\u2066\u200b\u00ad\ufeff\u2028\u00a0\u3000\u3164\u{e0041}\x9b'),
      '\\u000d\\u001b\\u0000\\u202e\\u2066\\u200b\\u00ad\\ufeff\\u2028\\u00a0\\u3000\\u3164\\u{e0041}\\u009b',
    );
    assert.equal(visibleText('\ud800x'), '\\ud800x');
  });
});
