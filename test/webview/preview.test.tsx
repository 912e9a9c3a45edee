import './support/dom.ts';
import assert from 'node:assert/strict';
import { bootPreview } from '../../media/preview/boot.tsx';
import type { FromPreview, PreviewFile, PreviewStrings, ToPreview } from '../../src/protocol/preview.ts';

/** Each text is its own name, with what is filled in. */
const names: readonly (keyof PreviewStrings)[] = [
  ...([
    'saveAs',
    'addToWorkspace',
    'openOutside',
    'openText',
    'beginning',
    'reveal',
    'loading',
    'missing',
    'failed',
    'pdf',
    'cell',
  ] as const),
  ...(['imageTooLarge', 'allRows', 'firstRows', 'notSpreadsheet', 'table', 'pixels', 'noPreview'] as const),
  ...(['credentials', 'credentialsBy', 'credentialsAt', 'credentialsNote'] as const),
];
const strings = Object.fromEntries(names.map((name) => [name, `${name} {0} {1}`])) as unknown as PreviewStrings;

suite('the preview of a file', () => {
  let sent: FromPreview[] = [];
  let listeners = new Map<string, (event: { readonly data: ToPreview }) => void>();
  let answer: (message: Extract<FromPreview, { type: 'read' }>) => Uint8Array | undefined;

  setup(() => {
    document.body.innerHTML = '<div id="root"></div>';
    sent = [];
    listeners = new Map();
    answer = () => undefined;
    const addEventListener = (type: string, run: (event: { data: ToPreview }) => void) => listeners.set(type, run);
    const page = { document, addEventListener } as unknown as Window & typeof globalThis;
    bootPreview(page, strings, { postMessage: (message) => take(message as FromPreview) });
  });

  function take(message: FromPreview): void {
    sent.push(message);
    if (message.type !== 'read') return;
    const bytes = answer(message);
    const { id } = message;
    setTimeout(() => send(bytes ? { type: 'bytes', id, bytes } : { type: 'bytes', id, failure: 'gone' }));
  }

  function send(data: ToPreview): void {
    listeners.get('message')?.({ data });
  }

  /** Until the page has settled on something to show. */
  async function receive(data: ToPreview): Promise<void> {
    send(data);
    await drawn();
    for (let turn = 0; turn < 500 && root().textContent.includes('loading'); turn++) await drawn();
  }

  const root = (): HTMLElement => document.getElementById('root') ?? document.body;
  const find = (selector: string): HTMLElement => {
    const found = root().querySelector<HTMLElement>(selector);
    assert.ok(found, `no ${selector} in ${root().innerHTML}`);
    return found;
  };

  async function show(file: Partial<PreviewFile>, content = ''): Promise<void> {
    const bytes = Buffer.from(content);
    answer = ({ offset, length }) => new Uint8Array(bytes.subarray(offset, offset + length));
    await receive({ type: 'file', file: { name: 'a.csv', size: bytes.length, kind: 'csv', ...file } });
    await drawn();
  }

  /** Preact draws after the next frame. */
  async function drawn(): Promise<void> {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async function press(key: string, init: KeyboardEventInit = {}): Promise<void> {
    find('[role=grid]').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }));
    await drawn();
  }

  test('draws the rows of a table that are in sight, and says how many there are', async () => {
    await show({}, `id,name\n${Array.from({ length: 5000 }, (_, i) => `${i},name ${i}`).join('\n')}`);
    assert.equal(find('[role=grid]').getAttribute('aria-rowcount'), '5001');
    assert.ok(root().querySelectorAll('[role=row]').length < 80);
    assert.equal(find('[role=columnheader]').textContent, 'id');
    // Above numbers a heading stands where they stand.
    const numeric = [...root().querySelectorAll('[role=columnheader]')].map((cell) => cell.classList.length > 1);
    assert.deepEqual(numeric, [true, false]);
  });

  test('moves through a table by keys, and shows the cell as a whole', async () => {
    await show({}, `id,name\n${Array.from({ length: 300 }, (_, i) => `${i},name ${i}`).join('\n')}`);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await press(key);
    assert.match(find('.table-value').textContent, /name 2$/);
    const active = find('[role=grid]').getAttribute('aria-activedescendant') ?? '';
    assert.equal(document.getElementById(active)?.textContent, 'name 2');
    await press('End', { ctrlKey: true });
    assert.match(find('.table-value').textContent, /name 299$/);
    await press('Home');
    await press('PageUp');
    await press('x');
    assert.doesNotMatch(find('.table-value').textContent, /name/);
  });

  test('draws what cells hold as text, with what hides or reorders it made visible', async () => {
    await show({}, 'a\n<img src=x onerror=alert(1)>\n\u202Egnp\n');
    assert.equal(root().querySelector('img'), null);
    assert.ok(find('[role=grid]').textContent.includes('<img src=x onerror=alert(1)>'));
    assert.ok(find('[role=grid]').textContent.includes('\\u202egnp'));
  });

  test('renders a document safely: no markup, no picture, and links that only the user’s click hands on', async () => {
    const text = [
      '# Report\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n',
      '![chart](https://evil.example/pixel.png) [docs](https://example.com/docs) [run](command:evil) [file](file:///x)\n',
      '```js\nconst a = "<b>";\n```\n',
    ].join('\n');
    await show({ name: 'report.md', kind: 'markdown' }, text);
    const document_ = find('.preview-document');
    assert.equal(document_.querySelector('h1,h2,h3')?.textContent, 'Report');
    assert.equal(document_.querySelector('img,script,[href],[src],[onerror]'), null);
    assert.ok(find('pre.code').textContent.includes('const a = "<b>";'));
    const links = [...document_.querySelectorAll<HTMLElement>('[data-url]')];
    assert.deepEqual(
      links.map((link) => link.getAttribute('data-url')).filter((url) => !url?.includes('evil.example')),
      ['https://example.com/docs'],
    );
    links.find((link) => link.textContent === 'docs')?.click();
    assert.deepEqual(
      sent.filter(({ type }) => type === 'link'),
      [{ type: 'link', url: 'https://example.com/docs' }],
    );
    [...root().querySelectorAll('button')].find((button) => button.textContent.startsWith('openText'))?.click();
    assert.deepEqual(sent.at(-1), { type: 'act', action: 'openText' });
  });

  test('shows the beginning of a long document, and says so', async () => {
    await show({ name: 'long.md', kind: 'markdown' }, `# Long\n\n${'word '.repeat(150_000)}`);
    assert.ok(find('.preview-document').textContent.length < 600_000);
    assert.match(root().textContent, /beginning/);
  });

  test('says why a file can’t be shown', async () => {
    answer = () => undefined;
    await receive({ type: 'file', file: { name: 'a.csv', size: 5, kind: 'csv' } });
    await drawn();
    assert.match(find('[role=alert]').textContent, /gone/);
    await show({ name: 'a.xlsx', kind: 'xlsx' }, 'no zip at all, only words');
    assert.match(find('[role=alert]').textContent, /notSpreadsheet/);
    await receive({ type: 'missing' });
    assert.match(root().textContent, /missing/);
  });

  test('decodes no picture whose dimensions are unbearable or unknown [XT76]', async () => {
    await show({
      name: 'a.png',
      kind: 'image',
      imageType: 'image/png',
      safe: false,
      pixels: { width: 1, height: 1e5 },
    });
    assert.match(root().textContent, /imageTooLarge/);
    assert.equal(root().querySelector('img'), null);
    assert.deepEqual(
      sent.filter(({ type }) => type === 'read'),
      [],
    );
  });

  test('says what a file says about its origin, and that nobody checked it', async () => {
    await show({ kind: 'binary', credentials: { issuer: 'Anthropic\u202E, PBC', at: '2026-11-30T10:00:00Z' } });
    const badge = find('.preview-credentials');
    assert.match(badge.textContent, /credentials.*credentialsBy Anthropic\\u202e, PBC/);
    assert.match(badge.title, /credentialsNote/);
  });

  test('offers what can be done with the file, and leaves it to the host', async () => {
    await show({ name: 'a.pdf', kind: 'pdf' }, '%PDF-');
    for (const button of root().querySelectorAll('button')) button.click();
    const acts = sent.flatMap((message) => (message.type === 'act' ? [message.action] : []));
    assert.deepEqual(acts, ['saveAs', 'addToWorkspace', 'openOutside', 'reveal']);
  });
});
