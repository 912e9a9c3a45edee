import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ROOT } from '../vscode/bootstrap.mjs';
import { withoutCredentials } from '../vscode/environment.ts';
import { atExit, descendants, isRunning, killTree } from '../vscode/processes.ts';
import { Chat } from './support/chat.ts';
import { sharedEditor } from './support/editor.ts';

suite('npm start, where there is no desktop VS Code and no key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopdock-start-'));
  let child: ChildProcess;
  let url: URL;
  let context: BrowserContext;

  suiteSetup(async function () {
    this.timeout(240_000);
    const { browser } = await sharedEditor();
    child = spawn(process.execPath, [join(ROOT, 'test', 'vscode', 'start.mjs'), '--server'], {
      cwd: tmpdir(),
      env: { ...withoutCredentials(), LOOPDOCK_DEMO_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atExit(() => killTree(child.pid ?? 0));
    url = await printedUrl(child);
    context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  });

  suiteTeardown(async () => {
    await context.close();
    if (child.exitCode === null) killTree(child.pid ?? 0);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  test('serves nothing without the secret of its address', async () => {
    const response = await fetch(url.origin);
    assert.equal(response.status, 403);
  });

  test('opens the demo project with the extension, and says that answers are simulated', async () => {
    const page = await context.newPage();
    await page.goto(url.href);
    await page.locator('.activitybar [aria-label^="Loopdock"]').first().click({ timeout: 60_000 });
    const chat = new Chat(page);
    await chat.ready();
    await chat.root.getByText('Simulated answers, no model').first().waitFor();
    await chat.button(/^Try this/).waitFor();
    assert.match(readFileSync(join(folder, 'workspace', 'package.json'), 'utf8'), /"test"/);
  });

  test('keeps secrets over a reload, for who has opened the editor only', async () => {
    const mint = new URL('/mint-key', url);
    const stranger = await fetch(mint, { method: 'POST' });
    assert.equal(stranger.status, 403);
    const keys = [await context.request.post(mint.href), await context.request.post(mint.href)];
    const [first, second] = await Promise.all(keys.map((key) => key.body()));
    assert.equal(first?.length, 32);
    assert.deepEqual(first, second);
  });

  test('ends everything it started on Ctrl-C', async () => {
    const started = descendants(child.pid ?? 0);
    assert.ok(started.some(({ command }) => command.includes('server-main.js')));
    assert.ok(started.some(({ command }) => command.includes('simulator.js')));
    child.kill('SIGINT');
    await once(child, 'exit');
    const running = (): string[] => started.filter(({ pid }) => isRunning(pid)).map(({ command }) => command);
    for (let left = 50; left > 0 && running().length > 0; left--) await new Promise((done) => setTimeout(done, 100));
    assert.deepEqual(running(), []);
  });
});

function printedUrl(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /^Open (http:\S+)$/m.exec(output)?.[1];
      if (found) resolve(new URL(found));
    });
  });
}
