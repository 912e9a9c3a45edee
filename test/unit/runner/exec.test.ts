import assert from 'node:assert/strict';
import { exec } from '../../runner/exec.ts';
import { isRunning } from '../../vscode/processes.ts';

suite('A program that the runner starts', () => {
  async function run(code: string, timeoutMs = 20_000): Promise<{ problem: string | undefined; output: string }> {
    let output = '';
    const problem = await exec(['-e', code], { timeoutMs, onOutput: (text) => (output += text) });
    return { problem, output };
  }

  test('has no problem when it ends with 0', async () => {
    assert.deepEqual(await run('console.log(1); console.error(2)'), { problem: undefined, output: '1\n2\n' });
  });

  test('has one when it ends with anything else, or by a signal', async () => {
    assert.equal((await run('process.exit(3)')).problem, 'ended with 3');
    assert.equal((await run('process.kill(process.pid, "SIGKILL")')).problem, 'ended with SIGKILL');
  });

  test('sees no credential', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'secret';
    try {
      assert.equal((await run('console.log(process.env.ANTHROPIC_API_KEY)')).output, 'undefined\n');
    } finally {
      delete process.env['ANTHROPIC_API_KEY'];
    }
  });

  test('is ended at its timeout, with what it started', async () => {
    const child = `require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => 1, 1e6)'], { stdio: 'ignore' })`;
    const { problem, output } = await run(`console.log(${child}.pid); setInterval(() => 1, 1e6)`, 4000);
    assert.equal(problem, 'no end within 4 s');
    const pid = Number(output);
    assert.ok(pid > 0);
    // The kernel takes a moment to end what was killed.
    for (let left = 100; left > 0 && isRunning(pid); left--) await new Promise((done) => setTimeout(done, 50));
    assert.equal(isRunning(pid), false);
  });
});
