import assert from 'node:assert/strict';
import { echoTool, effectTool } from '../../support/agent.ts';
import { approvalOf, run, start, untilWaiting } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import { call, scriptedModel } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

suite('calls', () => {
  test('of an unknown tool, with invalid input or invalid JSON get an error result and the turn goes on [C44,C46]', async () => {
    const model = scriptedModel([
      {
        blocks: [call('toolu_1', 'nope', {}), call('toolu_2', 'echo', { text: 1 }), call('toolu_3', 'echo', {})],
        stop: 'tool_use',
        invalidInput: '{"text": "ab',
      },
    ]);
    await run(model);
    const content = model.requests[1]?.messages.at(-1)?.content;
    assert.ok(Array.isArray(content));
    const texts = content.map((block) =>
      block.type === 'tool_result' && block.is_error === true ? block.content : undefined,
    );
    assert.equal(texts[0], "Error: Tool 'nope' not found");
    assert.match(JSON.stringify(texts[1]), /^"Error: Invalid input for echo\. text: /);
    assert.equal(texts[2], '{"INVALID_JSON":"{\\"text\\": \\"ab"}');
  });

  test('with effects wait for the user, one live card at a time, and run in source order', async () => {
    const log: string[] = [];
    const model = scriptedModel([
      {
        blocks: [call('toolu_1', 'effect', { name: 'a' }), call('toolu_2', 'effect', { name: 'b' })],
        stop: 'tool_use',
      },
    ]);
    const { controller, entries, idle: wait } = start(model, [effectTool({ log })]);
    await controller.submit('Do it');
    const [first] = await untilWaiting(controller);
    assert.deepEqual(log, []);
    controller.answerApproval(approvalOf(first), 'allow');
    const [second] = await untilWaiting(controller);
    assert.deepEqual([second?.callId, log], ['toolu_2', ['a']]);
    controller.answerApproval(approvalOf(second), 'deny', 'not that one');
    await wait();
    assert.deepEqual(log, ['a']);
    const content = model.requests[1]?.messages.at(-1)?.content;
    assert.ok(Array.isArray(content) && content[1]?.type === 'tool_result');
    assert.match(JSON.stringify(content[1].content), /rejected.*They said: not that one/s);
    const card = controller.snapshot().rows.find((row) => row.kind === 'tool' && row.callId === 'toolu_2');
    assert.ok(card?.kind === 'tool' && card.body.kind === 'terminal');
    assert.deepEqual([card.status, card.body.note], ['denied', 'You said: not that one']);
    assertEveryPrefixValid(entries());
  });

  test('are approved by their own single-use id only [XA40]', async () => {
    const log: string[] = [];
    const model = scriptedModel([
      {
        blocks: [call('toolu_1', 'effect', { name: 'a' }), call('toolu_2', 'effect', { name: 'b' })],
        stop: 'tool_use',
      },
    ]);
    const { controller, world } = start(model, [effectTool({ log })]);
    await controller.submit('Do it');
    const [first] = await untilWaiting(controller);
    controller.answerApproval('made-up', 'allow');
    controller.answerApproval('toolu_1', 'allow');
    await settle();
    assert.deepEqual(log, []);
    controller.answerApproval(approvalOf(first), 'allow');
    controller.answerApproval(approvalOf(first), 'allow');
    await untilWaiting(controller);
    assert.deepEqual(log, ['a']);
    assert.equal(world.logger.problems().length, 3);
    await controller.stop();
  });

  test('write what the user made of the diff, and close the diff when decided', async () => {
    const log: string[] = [];
    const diff = { path: 'a.ts', before: 'a', after: 'b', exists: true };
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
    const { controller, world, idle: wait } = start(model, [effectTool({ log, diff })]);
    await controller.submit('Do it');
    const [row] = await untilWaiting(controller);
    assert.deepEqual(
      row?.approval?.choices.map(({ label }) => label),
      ['Accept', 'Reject', 'Reject with a message…'],
    );
    assert.deepEqual(world.previews.shown, ['toolu_1']);
    world.previews.revised = 'c';
    world.previews.decisions.get('toolu_1')?.fire('allow');
    await wait();
    assert.deepEqual([log, world.previews.closed], [['a:c'], ['toolu_1']]);
  });

  test('whose preview is out of date are prepared and asked again', async () => {
    const log: string[] = [];
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
    const { controller, entries, idle: wait } = start(model, [effectTool({ log, stale: 1 })]);
    await controller.submit('Do it');
    const [first] = await untilWaiting(controller);
    const id = approvalOf(first);
    controller.answerApproval(id, 'allow');
    let [again] = await untilWaiting(controller);
    for (let i = 0; i < 100 && again?.approval?.id === id; i++) [again] = await untilWaiting(controller);
    assert.notEqual(approvalOf(again), id);
    assert.deepEqual(log, []);
    controller.answerApproval(approvalOf(again), 'allow');
    await wait();
    assert.deepEqual(log, ['a']);
    assert.equal(entries().filter((entry) => entry.type === 'approvalDecided').length, 2);
  });

  test('a call id that was used before is not run again [C61]', async () => {
    const ran: string[] = [];
    const model = scriptedModel([
      { blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
      { blocks: [call('toolu_1', 'echo', { text: 'again' })], stop: 'tool_use' },
    ]);
    await run(model, [echoTool(ran)]);
    assert.deepEqual(ran, ['a']);
  });

  test('one failing call leaves its siblings alone [G4]', async () => {
    const log: string[] = [];
    const model = scriptedModel([
      {
        blocks: [call('toolu_1', 'effect', { name: 'a', fail: true }), call('toolu_2', 'effect', { name: 'b' })],
        stop: 'tool_use',
      },
    ]);
    const { controller, entries, idle: wait } = start(model, [effectTool({ log })]);
    await controller.submit('Do it');
    controller.answerApproval(approvalOf((await untilWaiting(controller))[0]), 'allow');
    controller.answerApproval(approvalOf((await untilWaiting(controller))[0]), 'allow');
    await wait();
    assert.deepEqual(log, ['a', 'b']);
    assert.deepEqual(
      entries().flatMap((entry) => (entry.type === 'toolFinished' ? [[entry.status, entry.content]] : [])),
      [
        ['error', 'Error: it failed'],
        ['done', 'did b'],
      ],
    );
  });
});
