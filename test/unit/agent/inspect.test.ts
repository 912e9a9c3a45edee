import assert from 'node:assert/strict';
import { requestAt, requestsOf } from '../../../src/core/agent/inspect.ts';
import { CONFIG, echoTool } from '../../support/agent.ts';
import { run, start } from '../../support/agentRun.ts';
import { call, scriptedModel, text } from '../../support/scriptedModel.ts';

const TWO_STEPS = () =>
  scriptedModel([
    { blocks: [text('Look'), call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
    { blocks: [text('Found a')], stop: 'end_turn' },
  ]);

suite('the requests of a session', () => {
  test('are put together again from the log as they were sent, and the loop goes on undisturbed', async () => {
    const model = TWO_STEPS();
    const { entries, controller, idle } = await run(model);
    const found = requestsOf(entries());
    assert.equal(found.length, 2);
    found.forEach(({ position }, index) => {
      assert.deepEqual(requestAt(entries(), position, CONFIG.baseUrl), model.requests[index]);
    });
    await controller.submit('And now?');
    await idle();
    assert.deepEqual(requestAt(entries(), requestsOf(entries())[2]?.position ?? 0, CONFIG.baseUrl), model.requests[2]);
  });

  test('have their answers and how these ended', async () => {
    const { entries } = await run(TWO_STEPS());
    const [first, second] = requestsOf(entries());
    assert.deepEqual([first?.blocks.length, first?.finished?.stopReason], [2, 'tool_use']);
    assert.deepEqual([second?.blocks.length, second?.finished?.stopReason], [1, 'end_turn']);
  });

  test('are none before the first epoch', async () => {
    const { entries } = await run(scriptedModel([{ blocks: [text('Hi')] }]));
    assert.equal(requestAt(entries(), 2, CONFIG.baseUrl), undefined);
    assert.equal(requestAt([], 0, CONFIG.baseUrl), undefined);
  });

  test('sent again in a branch are the same request, and the first session stays as it is', async () => {
    const ran: string[] = [];
    const model = TWO_STEPS();
    const { world, controller, entries, idle } = start(model, [echoTool(ran)]);
    await controller.submit('Hello');
    await idle();
    const log = controller.log() ?? assert.fail();
    const before = entries();
    const position = requestsOf(before)[1]?.position ?? 0;
    const id = await world.logs.branch(log.header, before.slice(0, position));
    await controller.openSession(id);
    await controller.continueTurn();
    await idle();
    assert.deepEqual(model.requests[2], model.requests[1]);
    assert.deepEqual(ran, ['a'], 'what had its effect is not done again');
    assert.deepEqual(world.logs.stored(log.header.id), before);
    assert.deepEqual(controller.log()?.header.origin, { session: log.header.id, entry: before[position - 1]?.id });
  });
});
