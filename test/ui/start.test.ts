import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
    this.timeout(600_000);
    const { browser } = await sharedEditor();
    const checkout = process.env['CI'] ? cleanClone(join(folder, 'clone')) : ROOT;
    child = spawn(process.execPath, [join(checkout, 'test', 'vscode', 'start.mjs'), '--server'], {
      cwd: tmpdir(),
      env: { ...withoutCredentials(), LOOPDOCK_DEMO_FOLDER: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atExit(() => killTree(child.pid ?? 0));
    url = await printedUrl(child);
    context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce' });
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

  test('walks the demo to its end: the file edited, the test green, the chart and the table attached', async () => {
    const [page] = context.pages();
    assert.ok(page);
    const chat = new Chat(page);
    await chat.button(/^Try this/).click();
    await chat.approve('node test/sum.test.js');
    await chat.approve('sum.js');
    await chat.approve('node test/sum.test.js');
    await chat.row('chart.png').first().waitFor();
    await chat.row('cleaned.csv').first().waitFor();
    await chat.idle();
    assert.match(readFileSync(join(folder, 'workspace', 'src', 'sum.js'), 'utf8'), /return a \+ b/);
    assert.match(await chat.text(), /4 passed, 0 failed/);
    mkdirSync(join(ROOT, 'out', 'screenshots'), { recursive: true });
    await page.screenshot({ path: join(ROOT, 'out', 'screenshots', 'start.png') });
  }).timeout(240_000);

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

/** What a new user has: nothing installed, nothing built. It takes a minute or two, so only CI does it each time. */
function cleanClone(target: string): string {
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', '--depth', '1', pathToFileURL(ROOT).href, target]);
  assert.equal(status, 0, stderr.toString());
  return target;
}

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
