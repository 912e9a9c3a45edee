import { strict as assert } from 'node:assert';

import { mount } from './support/mount.tsx';
import type { Mounted } from './support/mount.tsx';
import { state, user } from './support/sample.ts';
import type { PieceOfFile } from '../../src/protocol/inputs.ts';

suite('composer', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());
  const field = () => view.field('.composer-input');

  test('sends with Enter and is empty then', async () => {
    await view.snapshot([]);
    await view.type('Fix it');
    const event = await view.key(field(), 'Enter');
    assert.equal(event.defaultPrevented, true);
    assert.deepEqual(view.sent, [{ type: 'prompt/submit', text: 'Fix it' }]);
    assert.equal(field().value, '');
    assert.equal(view.saved.draft, '');
  });

  test('leaves Shift+Enter to the field, which breaks the line', async () => {
    await view.snapshot([]);
    await view.type('one');
    const event = await view.key(field(), 'Enter', { shiftKey: true });
    assert.equal(event.defaultPrevented, false);
    assert.deepEqual(view.sent, []);
  });

  test('does not send while an input method composes', async () => {
    await view.snapshot([]);
    await view.type('にほん');
    await view.key(field(), 'Enter', { isComposing: true });
    assert.deepEqual(view.sent, []);
    assert.equal(field().value, 'にほん');
  });

  test('sends nothing that is blank', async () => {
    await view.snapshot([]);
    await view.type(' \n ');
    await view.key(field(), 'Enter');
    assert.equal(view.button('Send').disabled, true);
    assert.deepEqual(view.sent, []);
  });

  test('keeps the draft at every key and through snapshots, and has it again after a reload', async () => {
    await view.snapshot([]);
    await view.type('half a thou');
    await view.snapshot([user('u1', 'other')], {}, 5);
    assert.equal(field().value, 'half a thou');
    view.unmount();
    view = mount({ draft: view.saved.draft });
    await view.snapshot([]);
    assert.equal(field().value, 'half a thou');
  });

  test('stops the turn with Escape while one runs, and only then', async () => {
    await view.snapshot([]);
    await view.key(field(), 'Escape');
    assert.deepEqual(view.sent, []);
    await view.patch(1, { op: 'state', state: state({ busy: true }) });
    await view.key(field(), 'Escape');
    assert.deepEqual(view.sent, [{ type: 'turn/stop' }]);
  });

  test('recalls earlier messages with the arrows, only from an empty field', async () => {
    await view.snapshot([user('u1', 'first'), user('u2', 'second')]);
    await view.key(field(), 'ArrowUp');
    assert.equal(field().value, 'second');
    await view.key(field(), 'ArrowUp');
    assert.equal(field().value, 'first');
    await view.key(field(), 'ArrowUp');
    assert.equal(field().value, 'first');
    await view.key(field(), 'ArrowDown');
    await view.key(field(), 'ArrowDown');
    assert.equal(field().value, '');
    await view.type('my own');
    const event = await view.key(field(), 'ArrowUp');
    assert.equal(event.defaultPrevented, false);
    assert.equal(field().value, 'my own');
  });

  test('lists queued messages; each can be dropped, or taken back into the field [F7]', async () => {
    await view.snapshot([], {
      busy: true,
      queued: [
        { text: 'one', files: [] },
        { text: 'two', files: ['a.csv'] },
      ],
    });
    const [, second] = [...view.root.querySelectorAll<HTMLButtonElement>('[aria-label="Remove queued message"]')];
    await view.click(second as HTMLButtonElement);
    assert.deepEqual(view.sent, [{ type: 'prompt/unqueue', index: 1 }]);
    await view.type('typed');
    await view.click(view.button('Edit queued message'));
    assert.deepEqual(view.sent.at(-1), { type: 'prompt/unqueue', index: 0, edit: true });
    assert.equal(field().value, 'one\n\ntyped');
  });

  test('shows what goes with the next message, how big and where to, and lets the keyboard change it', async () => {
    const file = { id: 'i1', name: 'sales.csv', path: 'data/sales.csv', size: 2048 };
    const hidden = {
      id: 'i2',
      name: '.env',
      path: '.env',
      size: 10,
      use: 'text',
      uses: ['text'],
      caution: 'secret',
    } as const;
    const inputs = [{ ...file, use: 'container', uses: ['container', 'text'] }, hidden] as const;
    await view.snapshot([], { inputs });
    const [first, second] = [...view.root.querySelectorAll('.chip')].map((chip) => chip.textContent);
    assert.match(first ?? '', /sales\.csv2 KB/);
    assert.match(second ?? '', /holds secrets.*\.env10 Bin message/);
    const select = view.find('select') as HTMLSelectElement;
    assert.equal(select.getAttribute('aria-label'), 'How sales.csv is sent');
    select.value = 'text';
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await view.click(view.button('Remove .env'));
    await view.click(view.button('Attach files'));
    assert.deepEqual(view.sent, [
      { type: 'input/use', id: 'i1', use: 'text' },
      { type: 'input/remove', id: 'i2' },
      { type: 'input/pick' },
    ]);
  });

  test('sends a file without a word', async () => {
    const input = { id: 'i1', name: 'a.csv', path: 'a.csv', size: 1, use: 'container', uses: ['container'] } as const;
    await view.snapshot([], { inputs: [input] });
    await view.key(field(), 'Enter');
    assert.deepEqual(view.sent, [{ type: 'prompt/submit', text: '' }]);
  });

  const drop = (list: string, files: readonly File[]): void => {
    const event = new Event('drop', { bubbles: true, cancelable: true });
    const getData = (type: string): string => (type === 'text/uri-list' ? list : '');
    Object.assign(event, { dataTransfer: { getData, files } });
    view.root.dispatchEvent(event);
    assert.equal(event.defaultPrevented, true);
  };

  test('files of the editor can be dropped anywhere onto the view', async () => {
    await view.snapshot([]);
    drop('# two\r\nfile:///w/a.csv\r\nfile:///w/b.csv', []);
    assert.deepEqual(view.sent, [{ type: 'input/drop', uris: ['file:///w/a.csv', 'file:///w/b.csv'] }]);
  });

  test('a file from elsewhere that is dropped is handed over piece by piece, as the host asks for it', async () => {
    await view.snapshot([]);
    const MB = 1024 * 1024;
    drop('', [new File([new Uint8Array(MB).fill(1), 'end'], 'a.csv')]);
    const [offer] = view.sent.splice(0);
    assert.ok(offer?.type === 'input/dropFiles');
    const [file] = offer.files;
    assert.deepEqual({ ...file, id: '' }, { id: '', name: 'a.csv', size: MB + 3 });
    const id = file?.id ?? '';
    const piece = async (at: number): Promise<PieceOfFile | undefined> => {
      await view.receive({ type: 'dropWanted', id, at });
      const [answer] = view.sent.splice(0);
      return answer?.type === 'input/dropPiece' && answer.id === id && answer.at === at ? answer.data : undefined;
    };
    assert.equal((await piece(0))?.length, MB);
    assert.equal(Buffer.from((await piece(MB)) ?? '').toString(), 'end');
    // It was handed over whole, so the view has let go of it.
    assert.equal(await piece(0), 'unreadable');
  });

  test('what is dropped and can’t be read, such as a folder, is answered with nothing', async () => {
    await view.snapshot([]);
    const folder = new File(['x'], 'folder');
    folder.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('NotFoundError')) }) as unknown as Blob;
    drop('', [folder]);
    const [offer] = view.sent.splice(0);
    const id = offer?.type === 'input/dropFiles' ? (offer.files[0]?.id ?? '') : '';
    await view.receive({ type: 'dropWanted', id, at: 0 });
    assert.deepEqual(view.sent, [{ type: 'input/dropPiece', id, at: 0, data: 'unreadable' }]);
  });

  test('queues while a turn runs: send and stop are both there', async () => {
    await view.snapshot([], { busy: true });
    assert.equal(view.root.querySelector('.send'), null);
    await view.type('next');
    await view.click(view.button('Send after this turn'));
    await view.click(view.button('Stop'));
    assert.deepEqual(view.sent, [{ type: 'prompt/submit', text: 'next' }, { type: 'turn/stop' }]);
  });

  test('takes a draft of the host, without losing what was typed', async () => {
    await view.snapshot([]);
    await view.type('typed');
    await view.receive({ type: 'draft', text: 'Explain this' });
    assert.equal(field().value, 'Explain this\n\ntyped');
    assert.equal(document.activeElement, field());
    await view.receive({ type: 'draft', text: 'Run it', submit: true });
    assert.deepEqual(view.sent, [{ type: 'prompt/submit', text: 'Run it' }]);
  });

  test('writes nothing into a session that another window writes', async () => {
    await view.snapshot([], { readOnly: true, suggestedPrompt: 'Demo' });
    assert.equal(field().readOnly, true);
    assert.equal(view.root.querySelector('.suggestion'), null);
    assert.match(view.find('.banner').textContent, /Another window/);
  });

  test('submits the offered prompt with one click', async () => {
    await view.snapshot([], { simulated: true, suggestedPrompt: 'Walk me through' });
    await view.click(view.find('.suggestion'));
    assert.deepEqual(view.sent, [{ type: 'prompt/submit', text: 'Walk me through' }]);
    assert.equal(view.find('.banner-text').textContent, 'Simulated answers, no model');
  });

  test('offers a key and the demo where there is no key', async () => {
    await view.snapshot([], { hasKey: false });
    await view.click(view.button('Set API Key'));
    await view.click(view.button('Start Offline Demo'));
    assert.deepEqual(view.sent, [
      { type: 'notice/action', id: 'banner', action: 'setApiKey' },
      { type: 'notice/action', id: 'banner', action: 'startDemo' },
    ]);
  });
});
