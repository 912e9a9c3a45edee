import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import { closeInterrupted } from '../../../src/core/agent/recovery.ts';
import { agentWorld, CONFIG, effectTool } from '../../support/agent.ts';
import { queuedTexts } from '../../support/agentRun.ts';
import { idle } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import { FIRST_EPOCH, logOf } from '../../support/logOf.ts';
import { call, INFO, scriptedModel, text } from '../../support/scriptedModel.ts';
import { problemOf } from '../../support/validRequest.ts';

/** What a host that was killed in the middle of an answer leaves behind. */
const KILLED = logOf(
  { type: 'userMessage', text: 'Hello', content: [{ type: 'text', text: 'Hello' }] },
  { type: 'turnStarted', turnId: 't1' },
  FIRST_EPOCH,
  { type: 'assistantBlock', messageId: 'm1', index: 0, block: text('So far') },
  { type: 'assistantBlock', messageId: 'm1', index: 1, block: call('toolu_1', 'effect', { name: 'a' }) },
);

suite('the controller', () => {
  test('queues what is sent while a turn runs, and sends it when the turn has ended', async () => {
    const model = scriptedModel([{ blocks: [text('one')] }, { blocks: [text('two')] }]);
    const controller = createSessionController(agentWorld(model));
    await controller.submit('first');
    await controller.submit('second');
    await controller.submit('third');
    assert.deepEqual(queuedTexts(controller), ['second', 'third']);
    controller.unqueue(1, false);
    await idle(controller);
    await settle();
    await idle(controller);
    assert.deepEqual(
      controller.snapshot().rows.flatMap((row) => ('text' in row ? [row.text] : [])),
      ['first', 'one', 'second', 'two'],
    );
  });

  test('keeps the queue when the user stops [F7]', async () => {
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
    const controller = createSessionController(agentWorld(model, [effectTool()]));
    await controller.submit('first');
    await controller.submit('second');
    await controller.stop();
    await settle();
    assert.deepEqual([queuedTexts(controller), controller.snapshot().state.busy], [['second'], false]);
  });

  test('writes nothing for a session without a message', async () => {
    const world = agentWorld(scriptedModel([]));
    const controller = createSessionController(world);
    await controller.newSession();
    assert.deepEqual(await controller.sessions(), []);
  });

  test('shows what a killed host left, marks the turn as interrupted, and the next prompt works [I1]', async () => {
    const model = scriptedModel([{ blocks: [text('Again')] }]);
    const world = agentWorld(model, [effectTool()]);
    world.logs.seed('s1', KILLED);
    const controller = createSessionController(world);
    await controller.openSession('s1');
    const rows = controller.snapshot().rows;
    assert.deepEqual(
      rows.map((row) => (row.kind === 'tool' ? row.status : row.kind)),
      ['user', 'text', 'cancelled', 'notice'],
    );
    const notice = rows.at(-1);
    assert.match(notice?.kind === 'notice' ? notice.title : '', /interrupted/);
    await controller.submit('Go on');
    await idle(controller);
    assert.deepEqual(
      model.requests[0]?.messages.map(({ content }) =>
        Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : content,
      ),
      ['Hello', 'So far', 'Go on'],
    );
    assert.equal(problemOf(world.logs.stored('s1'), 'next'), undefined);
  });

  test('closes an interrupted turn once', () => {
    const closing = closeInterrupted(KILLED, []);
    assert.deepEqual(
      closing.map(({ type }) => type),
      ['messageInterrupted', 'turnEnded'],
    );
    assert.deepEqual(closeInterrupted(logOf(...KILLED, ...closing), []), []);
    assert.deepEqual(closeInterrupted([], []), []);
  });

  test('only reads a session that another window writes', async () => {
    const world = agentWorld(scriptedModel([]));
    world.logs.seed('s1', KILLED);
    world.logs.heldElsewhere.add('s1');
    const controller = createSessionController(world);
    await controller.openSession('s1');
    assert.equal(controller.snapshot().state.readOnly, true);
    await controller.submit('Go on');
    await idle(controller);
    assert.equal(world.logs.stored('s1').length, KILLED.length);
    const notice = controller.snapshot().rows.at(-1);
    assert.ok(notice?.kind === 'notice' && notice.severity === 'error');
  });

  test('starts a new session with new tools and an empty view, and stops the old one [I10]', async () => {
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
    const world = agentWorld(model, [effectTool()]);
    const controller = createSessionController(world);
    await controller.submit('first');
    const revisions: number[] = [];
    controller.onPatch(({ rev }) => revisions.push(rev));
    await controller.newSession();
    assert.deepEqual([controller.snapshot().rows, controller.snapshot().state.busy], [[], false]);
    assert.equal(world.disposed.length, 1);
    const [first] = await controller.sessions();
    assert.equal(first?.title, 'first');
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => (revisions[0] ?? 0) + index),
      'no gap in the revisions',
    );
  });

  test('leaves thinking of an earlier model out after the model was changed, and says so in the log [C65]', async () => {
    const model = scriptedModel([
      { blocks: [{ type: 'thinking', thinking: 'hm', signature: 's1' }, text('one')] },
      { blocks: [text('two')] },
    ]);
    const world = agentWorld(model);
    let chosen = 'claude-simulated-5';
    const controller = createSessionController({
      ...world,
      config: () => Promise.resolve({ ...CONFIG, model: chosen }),
    });
    await controller.submit('first');
    await idle(controller);
    chosen = 'claude-simulated-mini';
    await controller.submit('second');
    await idle(controller);
    assert.deepEqual(
      model.requests.map((request) => request.model),
      ['claude-simulated-5', 'claude-simulated-mini'],
    );
    assert.deepEqual(model.requests[1]?.messages[1]?.content, [text('one')]);
    assert.deepEqual(model.requests[1].system, model.requests[0]?.system);
    const log = world.logs.stored(controller.snapshot().state.sessionId);
    assert.deepEqual(
      log.flatMap((entry) => (entry.type === 'epochStarted' ? [entry.reason] : [])),
      ['first', 'model'],
    );
  });

  test('leaves a server tool out that the model does not have, and tries one of which nothing is known [C10,C136]', async () => {
    for (const [supported, expected] of [
      [false, ['echo']],
      [undefined, ['echo', 'code_execution']],
    ] as const) {
      const model = scriptedModel([{ blocks: [text('one')] }], { ...INFO, serverTools: { code_execution: supported } });
      const controller = createSessionController(agentWorld(model));
      await controller.submit('first');
      await idle(controller);
      assert.deepEqual(
        model.requests[0]?.tools.map((tool) => 'name' in tool && tool.name),
        expected,
      );
    }
  });

  test('a second open of the same session changes nothing', async () => {
    const world = agentWorld(scriptedModel([]));
    world.logs.seed('s1', KILLED);
    const controller = createSessionController(world);
    await controller.openSession('s1');
    const { rev } = controller.snapshot();
    await controller.openSession('s1');
    assert.equal(controller.snapshot().rev, rev);
  });
});
