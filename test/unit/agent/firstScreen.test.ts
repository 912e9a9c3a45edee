import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import { UserError } from '../../../src/core/errors.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { agentWorld } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import { logOf } from '../../support/logOf.ts';
import { scriptedModel, text } from '../../support/scriptedModel.ts';

const said = (value: string): NewEntry => ({
  type: 'userMessage',
  text: value,
  content: [{ type: 'text', text: value }],
});

suite('a session that is opened', () => {
  test('shows its last rows at once, and the whole when it is there', async () => {
    const { world, controller, texts } = open();
    const whole = logOf(
      said('one'),
      said('two'),
      said('three'),
      { type: 'turnStarted', turnId: 't' },
      { type: 'turnEnded', turnId: 't', outcome: 'done' },
    );
    world.logs.seed('s1', whole);
    world.logs.tail = () => Promise.resolve(whole.slice(2));
    const readWhole = world.logs.open;
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    world.logs.open = async (id) => gate.then(() => readWhole(id));
    const opening = controller.openSession('s1');
    await settle();
    assert.deepEqual(texts(), ['three']);
    go();
    await opening;
    assert.deepEqual(texts(), ['one', 'two', 'three']);
  });

  test('and can not be opened leaves the view as it was', async () => {
    const { world, controller, texts } = open();
    await controller.submit('Hello');
    await idle(controller);
    const before = texts();
    world.logs.tail = () => Promise.resolve(logOf(said('elsewhere')));
    world.logs.open = () => Promise.reject(new UserError('no'));
    await assert.rejects(controller.openSession('s1'), UserError);
    assert.deepEqual(texts(), before);
    await controller.submit('On');
    await idle(controller);
    assert.ok(texts().includes('On'));
  });

  test('while a turn runs does not mix into its rows', async () => {
    const { world, controller, texts } = open();
    world.logs.tail = () => assert.fail('the rows of the running turn would be gone');
    world.logs.seed('s1', logOf(said('other')));
    await controller.submit('Hello');
    await controller.openSession('s1');
    assert.deepEqual(texts(), ['other', ...texts().slice(1)]);
  });
});

function open() {
  const world = agentWorld(scriptedModel([{ blocks: [text('Hi')] }, { blocks: [text('Yes')] }]));
  const controller = createSessionController(world);
  const texts = (): string[] => controller.snapshot().rows.flatMap((row) => (row.kind === 'user' ? [row.text] : []));
  return { world, controller, texts };
}
