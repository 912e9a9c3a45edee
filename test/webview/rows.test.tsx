import { strict as assert } from 'node:assert';
import { mount } from './support/mount.tsx';
import type { Mounted } from './support/mount.tsx';
import { WINDOW } from '../../media/feed.tsx';
import { tail } from '../../media/rows/terminalView.tsx';
import type { AttachmentRow, NoticeRow, Row } from '../../src/protocol/rows.ts';
import { state, text, tool, user } from './support/sample.ts';

function attachment(changes: Partial<AttachmentRow> = {}): AttachmentRow {
  return {
    kind: 'attachment',
    id: 'f1',
    fileId: 'file_1',
    name: 'chart.png',
    mimeType: 'image/png',
    size: 24_680,
    state: 'stored',
    ...changes,
  };
}

suite('rows', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());
  const focused = () => document.activeElement as HTMLElement;
  const article = (label: string) => view.find(`[role="article"][aria-label="${label}"]`);

  test('a row that cannot be drawn fails alone, is logged, and is tried again when it changes', async () => {
    const broken = { ...tool('t1'), body: { kind: 'diff', path: 'a', hunks: null } } as unknown as Row;
    const unknown = { kind: 'hologram', id: 'x' } as unknown as Row;
    await view.snapshot([user('u1', 'before'), broken, unknown, text('a1', 'after')]);
    assert.equal(view.root.querySelectorAll('.row-failed').length, 2);
    assert.equal(view.find('.user-text').textContent, 'before');
    assert.equal(view.find('.md-block').textContent.trim(), 'after');
    assert.equal(view.sent.filter((message) => message.type === 'log' && message.level === 'error').length, 1);
    await view.patch(1, { op: 'put', row: tool('t1', { title: 'mended' }) });
    assert.equal(view.find('.tool-title').textContent, 'mended');
  });

  test('an answer leads to its request, by a button of its first text and by the context menu of each row', async () => {
    await view.snapshot([
      user('u1', 'Hello'),
      text('b:1:0', 'Hi', { first: true }),
      tool('t:1'),
      text('b:2:0', 'Done'),
    ]);
    const buttons = view.root.querySelectorAll('.row-action');
    assert.equal(buttons.length, 1);
    await view.click(buttons[0] as HTMLElement);
    assert.deepEqual(view.sent.at(-1), { type: 'request/inspect', row: 'b:1:0' });
    const contexts = [...view.root.querySelectorAll('[role="article"]')].map((row) =>
      row.getAttribute('data-vscode-context'),
    );
    assert.deepEqual(
      contexts.map((context) => (context === null ? null : (JSON.parse(context) as unknown))),
      [null, ...['b:1:0', 't:1', 'b:2:0'].map((row) => ({ webviewSection: 'answer', row }))],
    );
  });

  test('a tool says in words where it runs and how it stands', async () => {
    await view.snapshot([tool('t1', { place: 'container', status: 'cancelled' })]);
    assert.equal(view.find('.place').textContent, 'Anthropic container');
    assert.equal(view.find('.status').textContent, 'Cancelled');
    await view.patch(1, { op: 'put', row: tool('t1', { place: 'local', status: 'running' }) });
    assert.equal(view.find('.place').textContent, 'this machine');
    assert.equal(view.find('.status').textContent, 'Running…');
  });

  test('what was only read is one line until it is opened', async () => {
    await view.snapshot([tool('t1', { title: 'Read a.ts', body: { kind: 'text', text: 'secret sauce' } })]);
    const head = view.find('button.tool-head');
    assert.equal(head.getAttribute('aria-expanded'), 'false');
    assert.equal(view.root.querySelector('.tool-body'), null);
    await view.click(head);
    assert.equal(view.find('.tool-body').textContent, 'secret sauce');
  });

  test('a diff shows signs, numbers and how much it changes', async () => {
    const hunks = [{ oldStart: 4, oldLines: 2, newStart: 4, newLines: 2, lines: [' same', '-old', '+new'] }];
    const body = { kind: 'diff', path: 'a.ts', added: 1, removed: 1, hunks } as const;
    await view.snapshot([tool('t1', { body })]);
    const lines = [...view.root.querySelectorAll('.diff-line')].map((line) => line.textContent);
    assert.deepEqual(lines, ['4 same', '5-old', '5+new']);
    assert.equal(view.find('.extent').textContent, '+1 −1');
  });

  test('terminal output grows by appends, and of long output only the end is in the page', async () => {
    const body = { kind: 'terminal', command: 'make', output: 'start\n' } as const;
    await view.snapshot([tool('t1', { status: 'running', body })]);
    await view.patch(1, { op: 'append', id: 't1', field: 'output', text: `${'x'.repeat(79)}\n`.repeat(5_000) });
    await view.patch(2, { op: 'append', id: 't1', field: 'output', text: 'the end' });
    const shown = view.find('.terminal-output').textContent;
    assert.ok(shown.endsWith('the end'));
    assert.ok(shown.length < 25_000);
    assert.match(view.find('.body-note').textContent, /Only the end/);
  });

  test('the end of output is cut at a line where there is one, and never longer than its limits', () => {
    assert.equal(tail('a\nb'), 'a\nb');
    assert.equal(tail(''), '');
    const lines = Array.from({ length: 1_000 }, (_, index) => String(index));
    assert.equal(tail(lines.join('\n')).split('\n')[0], '599');
    assert.equal(tail('y'.repeat(1_000_000)).length, 20_000);
    assert.equal(tail(`${'z'.repeat(30_000)}\nlast`), 'last');
  });

  test('names, output and titles are text, whatever they say', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    await view.snapshot([
      attachment({ name: hostile }),
      tool('t1', { title: hostile, body: { kind: 'terminal', command: hostile, output: hostile } }),
      user('u1', hostile),
    ]);
    assert.equal(view.root.querySelectorAll('img').length, 0);
    assert.equal(view.find('.attachment-name').textContent, hostile);
  });

  test('a picture offers the numbers that were written beside it', async () => {
    await view.snapshot([attachment({ dataFileId: 'file_2' })]);
    await view.click(view.button('Open Data: chart.png'));
    assert.deepEqual(view.sent, [{ type: 'attachment/open', fileId: 'file_2' }]);
  });

  test('an attachment offers what can be done with it, by its file id, in words that name it', async () => {
    await view.snapshot([attachment()]);
    assert.equal(view.find('.attachment-size').textContent, '24 KB');
    for (const name of ['Open', 'Save As…', 'Add to Workspace']) await view.click(view.button(`${name}: chart.png`));
    assert.deepEqual(view.sent, [
      { type: 'attachment/open', fileId: 'file_1' },
      { type: 'attachment/saveAs', fileId: 'file_1' },
      { type: 'attachment/addToWorkspace', fileId: 'file_1' },
    ]);
  });

  test('a failed download says why and can be retried', async () => {
    await view.snapshot([attachment({ state: 'failed', failure: 'connection lost', name: '' })]);
    assert.match(view.find('.attachment').textContent, /Unnamed file.*Download failed: connection lost/);
    await view.click(view.button('Retry: Unnamed file'));
    assert.deepEqual(view.sent, [{ type: 'attachment/retry', fileId: 'file_1' }]);
  });

  test('a deleted file says so, and can be downloaded again while Anthropic keeps it', async () => {
    await view.snapshot([attachment({ state: 'deleted' })]);
    assert.match(view.find('.attachment').textContent, /You deleted this file/);
    await view.click(view.button('Download Again: chart.png'));
    assert.deepEqual(view.sent, [{ type: 'attachment/retry', fileId: 'file_1' }]);
    await view.patch(1, { op: 'put', row: attachment({ state: 'gone' }) });
    assert.equal(view.root.querySelector('.attachment-actions'), null);
  });

  test('only raster thumbnails are drawn', async () => {
    const png = 'data:image/png;base64,iVBORw0KGgo=';
    await view.snapshot([attachment({ thumbnail: png })]);
    assert.equal(view.find('img').getAttribute('src'), png);
    for (const [index, thumbnail] of [
      'data:image/svg+xml;base64,PHN2Zz4=',
      'https://example.com/x.png',
      'data:text/html;base64,PGI+',
    ].entries()) {
      await view.patch(index + 1, { op: 'put', row: attachment({ thumbnail }) });
      assert.equal(view.root.querySelector('img'), null);
    }
  });

  test('a wait shows what it waits for, and for how long once it is long [F1, F8]', async () => {
    const busy = { busy: true, phase: 'Terminal · npm test', phaseSince: 1_000_000 };
    await view.snapshot([], busy);
    assert.equal(view.find('.waiting').textContent, 'Terminal · npm test');
    view.advance(90_000);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(view.find('.waiting-time').textContent, '1 min 30 s');
  });

  test('a notice counts down to the next attempt and carries its actions', async () => {
    const notice: NoticeRow = {
      kind: 'notice',
      id: 'n1',
      severity: 'warning',
      title: 'Overloaded',
      requestId: 'req_1',
      actions: [{ id: 'cancelRetry', label: 'Cancel' }],
      until: 1_012_000,
    };
    await view.snapshot([notice]);
    assert.equal(view.find('.notice-countdown').textContent, 'Trying again in 12 s');
    view.advance(5_000);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.match(view.find('.notice-countdown').textContent, /in 7 s/);
    view.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(view.find('.notice-countdown').textContent, 'Trying again…');
    await view.click(view.button('Cancel'));
    assert.deepEqual(view.sent, [{ type: 'notice/action', id: 'n1', action: 'cancelRetry' }]);
    assert.match(view.find('.notice-title').textContent, /^Warning: /);
  });

  test('what was not sent to Claude is marked', async () => {
    await view.snapshot([text('a1', 'cut off', { notSent: true }), tool('t1', { notSent: true })]);
    assert.equal(view.root.querySelectorAll('.not-sent').length, 2);
  });

  test('a long transcript has its last rows in the page, and earlier ones on demand', async () => {
    const rows = Array.from({ length: 2_000 }, (_, index) => user(`u${index}`, `message ${index}`));
    await view.snapshot(rows);
    assert.equal(view.root.querySelectorAll('.row').length, WINDOW);
    assert.equal(view.find('.row').getAttribute('aria-posinset'), String(2_000 - WINDOW + 1));
    await view.click(view.button(`Show ${WINDOW} earlier`));
    assert.equal(view.root.querySelectorAll('.row').length, 2 * WINDOW);
    assert.equal([...view.root.querySelectorAll('.user-text')].at(-1)?.textContent, 'message 1999');
  });

  test('turns can be reached by Tab and walked by keys', async () => {
    await view.snapshot([user('u1', 'one'), text('a1', 'two'), tool('t1')]);
    const tabbable = () => [...view.root.querySelectorAll('[role="article"][tabindex="0"]')];
    assert.equal(tabbable().length, 1);
    article('Tool call: npm test').focus();
    await view.key(focused(), 'PageUp');
    assert.equal(document.activeElement, article('Claude'));
    await view.key(focused(), 'ArrowUp');
    assert.equal(document.activeElement, article('You'));
    assert.deepEqual(tabbable(), [article('You')]);
    await view.key(focused(), 'End');
    assert.equal(document.activeElement, article('Tool call: npm test'));
  });

  test('links are handed to the host by click and by Enter, and nothing has an address of its own', async () => {
    await view.snapshot([text('a1', '[docs](https://example.com/a?b=1) and [bad](javascript:alert(1))')]);
    const link = view.find('a');
    assert.equal(link.hasAttribute('href'), false);
    await view.click(link);
    await view.key(link, 'Enter');
    assert.deepEqual(view.sent, [
      { type: 'link/open', url: 'https://example.com/a?b=1' },
      { type: 'link/open', url: 'https://example.com/a?b=1' },
    ]);
    assert.equal(view.root.querySelectorAll('a').length, 1);
  });
});

suite('what comes from the web', () => {
  test('sources stand under the text by the numbers of its marks, and what is no page is no link', async () => {
    const view = mount();
    const sources = [
      { number: 2, title: 'Tea', url: 'https://a.example.com/', cited: 'Tea is green.' },
      { number: 3, title: 'A file', cited: '' },
    ];
    await view.snapshot([{ ...text('a1', 'Green [\\[2\\]](<https://a.example.com/> "Tea is green.")'), sources }]);
    assert.equal(view.find('a').title, 'https://a.example.com/\nTea is green.');
    const items = [...view.find('.sources').querySelectorAll('li')];
    assert.deepEqual(
      items.map((item) => [item.value, item.textContent, item.querySelector('a')?.title ?? '']),
      [
        [2, 'Tea', 'https://a.example.com/\nTea is green.'],
        [3, 'A file', ''],
      ],
    );
  });

  test('a page is shown behind its link, with what it is', async () => {
    const view = mount();
    const links = [{ title: 'A', url: 'https://a.example.com/', note: 'May 1' }];
    const body = { kind: 'links', links, text: '<b>as it is</b>', note: 'Text from the web.' } as const;
    await view.snapshot([tool('t1', { status: 'error', body, nested: true })]);
    const shown = view.find('.tool-nested .tool-body').textContent;
    assert.match(shown, /A May 1.*<b>as it is<\/b>.*Text from the web\./s);
  });
});

suite('sessions', () => {
  test('are listed on demand, opened by a click, and make room for the session that was opened', async () => {
    const view = mount();
    await view.snapshot([user('u1', 'hello')]);
    await view.click(view.button('Sessions'));
    assert.deepEqual(view.sent, [{ type: 'session/list' }]);
    assert.match(view.find('.sessions').textContent, /Loading/);
    const sessions = [
      { id: 's1', title: 'This one', updated: '2026-11-30T10:00:00Z' },
      { id: 's2', title: '', updated: '2026-11-29T10:00:00Z' },
    ];
    await view.receive({ type: 'sessions', sessions });
    const [first, second] = [...view.root.querySelectorAll<HTMLButtonElement>('.session')];
    assert.equal(first?.getAttribute('aria-current'), 'true');
    await view.click(second as HTMLButtonElement);
    assert.deepEqual(view.sent.at(-1), { type: 'session/open', id: 's2' });
    await view.snapshot([user('u9', 'old one')], state({ sessionId: 's2' }), 3);
    assert.equal(view.root.querySelector('.sessions'), null);
    assert.equal(view.find('.user-text').textContent, 'old one');
    view.unmount();
  });
});
