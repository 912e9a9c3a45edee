import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Row } from '../../src/protocol/rows.ts';
import { hostile } from './browser/hostile.ts';
import { ROOT, startHarness, themes } from './browser/page.ts';
import type { Harness, OpenOptions, Theme, View } from './browser/page.ts';
import { scenes } from './browser/scenes.ts';
import { approval, state, text, tool, user } from './support/sample.ts';

const SHOTS = join(ROOT, 'out', 'screenshots', 'webview');

suite('the view in Chromium', () => {
  let harness: Harness;
  let view: View | undefined;
  suiteSetup(async function () {
    this.timeout(60_000);
    mkdirSync(SHOTS, { recursive: true });
    harness = await startHarness();
  });
  suiteTeardown(() => harness.close());
  teardown(async () => {
    await view?.close();
    view = undefined;
  });
  const open = async (options?: OpenOptions): Promise<View> => (view = await harness.open(options));

  test('script and font stay within the budget of 260 KB', () => {
    const { size } = statSync(join(ROOT, 'dist', 'webview.js'));
    assert.ok(size <= 260 * 1024, `webview.js has ${size} bytes`);
  });

  test('nothing that a model writes runs, loads, links elsewhere or hangs', async function () {
    this.timeout(40_000);
    const { page, show, faults } = await open({ width: 400 });
    for (const [name, markdown] of Object.entries(hostile)) {
      const started = Date.now();
      await show({ state: state(), rows: everywhere(name, markdown) });
      // The bound is for a busy machine; alone, each takes less than half a second.
      assert.ok(Date.now() - started < 6_000, `${name} took ${Date.now() - started} ms`);
      assert.deepEqual(await intruders(page), [], name);
      assert.deepEqual(faults, [], name);
    }
  });

  test('a link is handed over and nothing navigates, by click, middle click or key', async () => {
    const { page, show, sent } = await open();
    await show({ state: state(), rows: [text('a1', '[docs](https://example.com/docs)')] });
    const address = page.url();
    const link = page.getByRole('link', { name: 'docs' });
    await link.click();
    await link.click({ button: 'middle' });
    await link.focus();
    await page.keyboard.press('Enter');
    const links = (await sent()).filter(({ type }) => type === 'link/open');
    assert.equal(links.length, 3);
    assert.equal(page.url(), address);
    assert.equal(page.context().pages().length, 1);
  });

  for (const theme of Object.keys(themes) as Theme[]) {
    test(`is accessible and free of faults in the theme ${theme}`, async function () {
      this.timeout(40_000);
      const { page, show, send, faults, sent } = await open({ theme });
      for (const [name, scene] of Object.entries(scenes)) {
        await show(scene);
        await page.screenshot({ path: join(SHOTS, `${name}-${theme}.png`) });
        assert.deepEqual(await violations(page, theme), [], `${name} in ${theme}`);
        const meter = page.getByRole('button', { name: /^Context:/ });
        if ((await meter.count()) === 0) continue;
        await meter.click();
        await page.getByRole('region', { name: 'Usage of this session' }).waitFor();
        await page.screenshot({ path: join(SHOTS, `${name}-usage-${theme}.png`) });
        assert.deepEqual(await violations(page, theme), [], `usage over ${name} in ${theme}`);
        await meter.click();
      }
      await page.getByRole('button', { name: 'Sessions' }).click();
      const updated = '2026-11-30T10:00:00Z';
      await send({
        type: 'sessions',
        sessions: [
          { id: 's1', title: 'Fix the failing test', updated },
          { id: 's2', title: 'Draw a chart of the sales', updated },
        ],
      });
      await page.getByRole('button', { name: /Draw a chart/ }).waitFor();
      await page.screenshot({ path: join(SHOTS, `sessions-${theme}.png`) });
      assert.deepEqual(await violations(page, theme), [], `sessions in ${theme}`);
      assert.deepEqual(faults, []);
      assert.deepEqual(
        (await sent()).filter(({ type }) => type === 'log'),
        [],
      );
    });
  }

  test('fits a side bar of 180 pixels', async () => {
    const { page, show } = await open({ width: 180 });
    for (const [name, scene] of Object.entries(scenes)) {
      await show(scene);
      assert.deepEqual(await page.evaluate(wider), [], name);
      const meter = page.getByRole('button', { name: /^Context:/ });
      if ((await meter.count()) === 0) continue;
      await meter.click();
      assert.deepEqual(await page.evaluate(wider), [], `usage over ${name}`);
      await meter.click();
    }
  });

  test('stays at the end while an answer streams, and stays put for a reader further up', async () => {
    const { page, show, send } = await open({ height: 500 });
    const rows = Array.from({ length: 40 }, (_, index) => text(`a${index}`, `paragraph ${index}\n\nand more`));
    await show({ state: state({ busy: true }), rows: [...rows, text('z', '', { streaming: true })] });
    const scroller = page.locator('.feed-scroller');
    const fromEnd = () => scroller.evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
    let rev = 0;
    const stream = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await send({
          type: 'patch',
          rev: ++rev,
          ops: [{ op: 'append', id: 'z', field: 'text', text: `line ${rev}\n\n` }],
        });
      }
      await page.waitForFunction((last) => document.body.textContent.includes(`line ${last}`), rev);
    };
    await stream();
    assert.ok((await fromEnd()) <= 1);
    await scroller.hover();
    await page.mouse.wheel(0, -600);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    const top = await scroller.evaluate((el) => el.scrollTop);
    await stream();
    assert.ok(Math.abs((await scroller.evaluate((el) => el.scrollTop)) - top) < 5);
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    assert.ok((await fromEnd()) <= 1);
    await stream();
    assert.ok((await fromEnd()) <= 1);
  });

  test('works by keyboard alone: write, decide, stop', async () => {
    const { page, show, send, sent } = await open();
    await show({ state: state(), rows: [user('u1', 'one')] });
    await page.getByRole('textbox', { name: 'Message to Claude' }).focus();
    await page.keyboard.type('first');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    const body = { kind: 'terminal', command: 'npm test', output: '' } as const;
    const card = tool('t1', { status: 'approval', body, approval: approval() });
    await send({
      type: 'patch',
      rev: 1,
      ops: [
        { op: 'put', row: card },
        { op: 'state', state: state({ busy: true, waiting: 1 }) },
      ],
    });
    await page.getByRole('button', { name: 'Allow Once' }).waitFor();
    await page.waitForTimeout(600);
    await page.locator('[role="article"]').last().focus();
    for (let press = 0; press < 8 && !(await focusedText(page)).includes('Allow'); press++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    assert.deepEqual((await sent()).slice(1), [
      { type: 'prompt/submit', text: 'first\nsecond' },
      { type: 'approval/answer', id: 'approval-1', choice: 'allow' },
      { type: 'turn/stop' },
    ]);
  });

  test('has the draft again after a reload of the page', async () => {
    const { page, show } = await open();
    await show({ state: state(), rows: [] });
    await page.getByRole('textbox').fill('unfinished');
    await page.reload();
    await show({ state: state(), rows: [] });
    assert.equal(await page.getByRole('textbox').inputValue(), 'unfinished');
  });

  test('opens 5,000 rows with the last ones only, and streams 40,000 characters in time that grows with their number', async function () {
    this.timeout(60_000);
    const { page, show } = await open();
    const rows = Array.from({ length: 5_000 }, (_, index) => text(`a${index}`, `**row** ${index}`));
    await show({ state: state(), rows: [...rows, text('z', '', { streaming: true })] });
    assert.ok((await page.locator('.row').count()) <= 150);
    const [first = 0, second = 0] = await page.evaluate(streamInPage, { id: 'z', length: 40_000 });
    assert.ok(second < 2.5 * first + 300, `the first half took ${first} ms, the second ${second} ms`);
    assert.ok((await page.locator('.row').last().innerText()).includes('const a = 1;'));
  });
});

/** The text in every place where the model or a server can put one. */
function everywhere(name: string, markdown: string): Row[] {
  return [
    user('u1', markdown),
    text('a1', markdown, { first: true, model: markdown.slice(0, 200) }),
    text('a2', markdown, { streaming: true }),
    { kind: 'thinking', id: 'k1', text: markdown, streaming: false } as const,
    tool('t1', { title: markdown, body: { kind: 'terminal', command: markdown, output: markdown, exitCode: 0 } }),
    tool('t2', { title: name, status: 'error', body: { kind: 'text', text: markdown, language: 'html' } }),
    tool('t3', { status: 'error', body: { kind: 'links', links: [{ title: markdown, url: linkIn(markdown) }] } }),
    attachment(markdown),
    { kind: 'notice', id: 'n1', severity: 'error', title: name, detail: markdown, actions: [] } as const,
  ];
}

function attachment(words: string): Row {
  const file = { fileId: 'f', name: words, mimeType: words.slice(0, 99), size: 1 };
  return { kind: 'attachment', id: 'f1', ...file, state: 'failed', failure: words };
}

function linkIn(markdown: string): string {
  return /\(<?\s*([^)>]+)/.exec(markdown)?.[1] ?? markdown;
}

/** Elements and attributes in the page that no answer may bring in, links to other schemes, and traces of script. */
function intruders(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const forbidden =
      'script,iframe,img,form,input,meta,link,base,style,object,embed,video,audio,svg,math,[style],[href],[src],[id]';
    const found = [...document.querySelectorAll(`#root :is(${forbidden})`)].map((element) =>
      element.outerHTML.slice(0, 200),
    );
    for (const element of document.querySelectorAll('#root *')) {
      const handlers = element.getAttributeNames().filter((name) => name.startsWith('on'));
      if (handlers.length > 0) found.push(element.outerHTML.slice(0, 200));
    }
    for (const link of document.querySelectorAll('[data-url]')) {
      const url = link.getAttribute('data-url') ?? '';
      if (!/^(https?:\/\/|mailto:)/.test(url) || url.includes('@elsewhere')) found.push(url);
    }
    if ('PWNED' in window) found.push('script ran');
    return found;
  });
}

/** Themes change colours and nothing else: in all but the first one the rules about colours are what can fail. */
async function violations(page: Page, theme: Theme): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
  const some = theme === 'dark' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] };
  return page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { axe: { run(options: object): Promise<{ violations: AxeViolation[] }> } };
      const { violations: found } = await axe.run(options);
      return found.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
      );
    },
    { resultTypes: ['violations'], ...some },
  );
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Elements that stick out of the page, and are not in a scroller of their own. */
function wider(): string[] {
  const clipped =
    '.diff, .code, .md-block table, .visually-hidden, [class*="title"], [class*="name"], .queue-text, .waiting-text';
  return [...document.querySelectorAll('#root *')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(clipped))
    .map((element) => element.outerHTML.slice(0, 120));
}

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLButtonElement ? document.activeElement.innerText : '',
  );
}

/** Streams an answer in deltas of 20 characters, 40 per frame, and returns the milliseconds for each half of it. */
async function streamInPage({ id, length }: { id: string; length: number }): Promise<number[]> {
  const paragraph =
    'Some **words** with `code` and a [link](https://example.com/).\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n';
  const answer = paragraph.repeat(Math.ceil(length / paragraph.length)).slice(0, length);
  const times = [];
  let rev = 0;
  let at = 0;
  for (const end of [length / 2, length]) {
    const started = performance.now();
    while (at < end) {
      for (let delta = 0; delta < 40; delta++, at += 20) {
        const ops = [{ op: 'append', id, field: 'text', text: answer.slice(at, at + 20) }];
        window.dispatchEvent(new MessageEvent('message', { data: { type: 'patch', rev: ++rev, ops } }));
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
    }
    times.push(Math.round(performance.now() - started));
  }
  return times;
}
