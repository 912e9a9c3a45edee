import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundled } from '../../support/bundled.ts';
import { request } from './harness.ts';

suite('the simulator as a process', () => {
  let child: ChildProcessWithoutNullStreams;
  let directory: string;
  let programs: string;
  let program: string;
  suiteSetup(async () => {
    programs = await mkdtemp(path.join(tmpdir(), 'simulator-program-'));
    program = bundled('src/simulator/main.ts', programs);
  });
  suiteTeardown(() => rm(programs, { recursive: true, force: true }));
  setup(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'simulator-main-'));
  });
  teardown(async () => {
    child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  async function start(...extra: readonly string[]): Promise<{ readonly url: string; readonly key: string }> {
    const root = path.join(directory, 'sandbox');
    const given = ['--delay', '0', '--sandbox-root', root, ...extra];
    child = spawn(process.execPath, [program, ...given]);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding('utf8').once('data', resolve);
      child.once('exit', () => reject(new Error(stderr)));
    });
    return JSON.parse(line) as { url: string; key: string };
  }

  async function ask({ url, key }: { readonly url: string; readonly key: string }, content: string): Promise<string> {
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'anthropic-version': '2026-10-21' },
      body: JSON.stringify(request({ messages: [{ role: 'user', content }] })),
    });
    return response.text();
  }

  test('prints its address and key in one line, and plays the demo unless it is told otherwise', async () => {
    const answer = await ask(await start(), 'Hello');
    assert.match(answer, /Simulated answers, no model/);
  }).timeout(20_000);

  test('ends when its stdin closes, with its parent that is, and leaves nothing behind', async () => {
    await start('--scenario', 'scripted');
    child.stdin.end();
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    assert.deepEqual(await readdir(path.join(directory, 'sandbox')), []);
  }).timeout(20_000);

  test('ends on SIGTERM', async function () {
    if (process.platform === 'win32') return this.skip();
    await start('--scenario', 'scripted');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    assert.equal(code, 0);
    return undefined;
  }).timeout(20_000);

  test('plays a scenario from a file', async () => {
    const file = path.join(directory, 'own.json');
    const rules = [{ when: { prompt: 'hello' }, reply: { steps: [{ type: 'text', text: 'from a file' }] } }];
    await writeFile(file, JSON.stringify({ name: 'own', rules }));
    assert.match(await ask(await start('--scenario', file), 'Hello'), /from a file/);
  }).timeout(20_000);

  test('says what is wrong with a scenario and ends', async () => {
    await assert.rejects(start('--scenario', path.join(directory, 'none.json')), /ENOENT/);
    assert.ok(!existsSync(path.join(directory, 'sandbox')));
  }).timeout(20_000);
});
