import { strict as assert } from 'node:assert';
import { mount } from './support/mount.tsx';
import type { Mounted } from './support/mount.tsx';
import { GUARD_MS } from '../../media/rows/approvalBlock.tsx';
import type { ApprovalView, Row } from '../../src/protocol/rows.ts';
import { approval, state, tool } from './support/sample.ts';

function asking(changes: Partial<ApprovalView> = {}, id = 't1'): Row {
  const body = { kind: 'terminal', command: 'npm test', output: '' } as const;
  return tool(id, { status: 'approval', body, approval: approval(changes) });
}

suite('approval card', () => {
  let view: Mounted;
  setup(() => (view = mount()));
  teardown(() => view.unmount());
  const answers = () => view.sent.filter(({ type }) => type === 'approval/answer');

  test('ignores input in its first half second, and takes it afterwards', async () => {
    await view.snapshot([asking()], { busy: true, waiting: 1 });
    view.advance(GUARD_MS - 1);
    await view.click(view.button('Allow Once'));
    assert.deepEqual(answers(), []);
    view.advance(1);
    await view.click(view.button('Allow Once'));
    assert.deepEqual(answers(), [{ type: 'approval/answer', id: 'approval-1', choice: 'allow' }]);
  });

  test('begins the half second anew when it becomes the live one', async () => {
    await view.snapshot([asking({ live: false })], { busy: true, waiting: 2 });
    view.advance(10_000);
    assert.equal(view.button('Allow Once').disabled, true);
    await view.patch(1, { op: 'put', row: asking({ live: true }) });
    await view.click(view.button('Allow Once'));
    assert.deepEqual(answers(), []);
    view.advance(GUARD_MS);
    await view.click(view.button('Deny'));
    assert.equal(answers().length, 1);
  });

  test('begins the half second anew for the next question on the same card', async () => {
    await view.snapshot([asking()], { busy: true, waiting: 1 });
    view.advance(10_000);
    await view.patch(1, { op: 'put', row: asking({ id: 'approval-2', question: 'The file changed. Apply this?' }) });
    await view.click(view.button('Allow Once'));
    assert.deepEqual(answers(), []);
  });

  test('answers once, however often the button is pressed', async () => {
    await view.snapshot([asking()], { busy: true, waiting: 1 });
    view.advance(GUARD_MS);
    const deny = view.button('Deny');
    deny.click();
    deny.click();
    await view.click(view.button('Allow Once'));
    assert.deepEqual(answers(), [{ type: 'approval/answer', id: 'approval-1', choice: 'deny' }]);
  });

  test('offers only the live one of several', async () => {
    await view.snapshot([asking(), asking({ id: 'approval-2', live: false }, 't2')], { busy: true, waiting: 2 });
    const [first, second] = [...view.root.querySelectorAll('.approval')];
    assert.equal(first?.querySelectorAll('button:disabled').length, 0);
    assert.equal(second?.querySelectorAll('button:enabled').length, 0);
  });

  test('takes the focus away from nobody, and lets the waiting bar bring it to the card, not to a button', async () => {
    await view.snapshot([]);
    view.find('.composer-input').focus();
    await view.patch(1, { op: 'put', row: asking() }, { op: 'state', state: state({ busy: true, waiting: 1 }) });
    assert.equal(document.activeElement, view.find('.composer-input'));
    await view.click(view.button('Show'));
    assert.equal(document.activeElement, view.find('[role="article"]'));
  });

  test('sends a refusal with a message that was written in place', async () => {
    await view.snapshot([asking({ choices: [{ id: 'denyWithMessage', label: 'Reject with a Message' }] })]);
    view.advance(GUARD_MS);
    await view.click(view.button('Reject with a Message'));
    const field = view.field('.message-form textarea');
    assert.equal(document.activeElement, field);
    field.value = 'use pnpm';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await view.settle();
    await view.key(field, 'Enter', { isComposing: true });
    await view.key(field, 'Enter', { shiftKey: true });
    assert.deepEqual(answers(), []);
    await view.key(field, 'Enter');
    assert.deepEqual(answers(), [{ type: 'approval/answer', id: 'approval-1', choice: 'deny', message: 'use pnpm' }]);
  });

  test('gives up a message with Escape, without stopping the turn', async () => {
    await view.snapshot([asking({ choices: [{ id: 'denyWithMessage', label: 'Reject with a Message' }] })], {
      busy: true,
    });
    view.advance(GUARD_MS);
    await view.click(view.button('Reject with a Message'));
    await view.key(view.find('.message-form textarea'), 'Escape');
    assert.equal(view.root.querySelector('.message-form'), null);
    assert.deepEqual(view.sent, []);
  });

  test('opens the diff again where there is one', async () => {
    await view.snapshot([asking({ canOpenDiff: true })]);
    await view.click(view.button('Open Diff'));
    assert.deepEqual(view.sent, [{ type: 'approval/openDiff', id: 'approval-1' }]);
  });

  test('shows what would be hidden or reordered in a command', async () => {
    const command = 'ls # \u202e DENWP hcuot ;\u202c';
    const body = { kind: 'terminal', command, output: '' } as const;
    await view.snapshot([tool('t1', { title: command, status: 'approval', body, approval: approval() })]);
    assert.match(view.find('.terminal-command').textContent, /\\u202e DENWP/);
    assert.doesNotMatch(view.root.textContent, /\u202e/);
  });
});
