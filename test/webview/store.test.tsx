import { strict as assert } from 'node:assert';
import { mount } from './support/mount.tsx';
import type { Mounted } from './support/mount.tsx';
import { createDrops } from '../../media/drops.ts';
import { ViewStore } from '../../media/store.ts';
import type { FromWebview } from '../../src/protocol/messages.ts';
import { PROTOCOL_VERSION } from '../../src/protocol/messages.ts';
import { state, text, user } from './support/sample.ts';

suite('view: snapshots and patches', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());

  test('draws the rows of a snapshot and then says that it is ready', async () => {
    assert.equal(view.root.dataset['ready'], undefined);
    await view.snapshot([user('u1', 'Hello'), text('a1', 'Hi **there**', { first: true })]);
    assert.equal(view.root.dataset['ready'], 'true');
    assert.deepEqual(
      [...view.root.querySelectorAll('[role="article"]')].map((row) => row.getAttribute('aria-label')),
      ['You', 'Claude'],
    );
    assert.equal(view.find('.md-block strong').textContent, 'there');
  });

  test('applies patches in order and keeps the elements of rows that did not change', async () => {
    await view.snapshot([user('u1', 'Hello'), text('a1', 'Hi', { streaming: true })], {}, 7);
    const first = view.find('.row-user');
    await view.patch(8, { op: 'append', id: 'a1', field: 'text', text: ' you' });
    await view.patch(9, { op: 'put', row: user('u2', 'Thanks') });
    assert.equal(view.find('.row-user'), first);
    assert.equal(view.find('.row-text .md-block').textContent.trim(), 'Hi you');
    assert.equal(view.root.querySelectorAll('.row').length, 3);
  });

  test('asks once for a snapshot when a revision is missing, and drops patches until it is there', async () => {
    await view.snapshot([user('u1', 'Hello')], {}, 1);
    await view.patch(3, { op: 'put', row: user('u3', 'lost') });
    await view.patch(4, { op: 'put', row: user('u4', 'lost too') });
    assert.deepEqual(view.sent, [{ type: 'resync' }]);
    assert.equal(view.root.querySelectorAll('.row').length, 1);
    await view.snapshot([user('u1', 'Hello'), user('u3', 'back')], {}, 9);
    await view.patch(10, { op: 'remove', id: 'u1' });
    assert.equal(view.find('.user-text').textContent, 'back');
  });

  test('says that it is out of date when the host speaks another version', async () => {
    await view.snapshot([user('u1', 'Hello')]);
    await view.receive({ type: 'snapshot', v: PROTOCOL_VERSION + 1, whatever: true });
    assert.match(view.find('[role="alert"]').textContent, /Reload the window/);
    assert.equal(view.find('.user-text').textContent, 'Hello');
  });

  test('reports a message that it does not understand, and goes on', async () => {
    await view.snapshot([user('u1', 'Hello')]);
    for (const message of [null, 5, { type: 'nonsense' }, { type: 'patch', rev: 1, ops: [{ op: 'put' }] }]) {
      await view.receive(message);
    }
    assert.equal(view.sent.filter(({ type }) => type === 'log').length, 4);
    assert.equal(view.find('.user-text').textContent, 'Hello');
  });

  test('announces the same sentence twice when it comes twice', async () => {
    await view.snapshot([]);
    await view.receive({ type: 'announce', text: 'Command finished' });
    const before = view.find('[role="status"] span');
    await view.receive({ type: 'announce', text: 'Command finished' });
    assert.equal(before.isConnected, false);
    assert.equal(view.find('[role="status"]').textContent, 'Command finished');
  });
});

suite('store', () => {
  test('notifies once per frame, however many patches came', () => {
    const frames: (() => void)[] = [];
    const sent: FromWebview[] = [];
    const drops = createDrops((message) => sent.push(message));
    const store = new ViewStore({ drops, post: (message) => sent.push(message), frame: (run) => frames.push(run) });
    let drawn = 0;
    store.subscribe(() => drawn++);
    store.receive({ type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, state: state(), rows: [text('a', '')] });
    for (let rev = 1; rev <= 100; rev++) {
      store.receive({ type: 'patch', rev, ops: [{ op: 'append', id: 'a', field: 'text', text: 'x' }] });
    }
    assert.equal(frames.length, 1);
    frames[0]?.();
    assert.equal(drawn, 1);
    const row = store.view().model?.rows[0];
    assert.equal(row?.kind === 'text' && row.text.length, 100);
    assert.deepEqual(sent, []);
  });
});
