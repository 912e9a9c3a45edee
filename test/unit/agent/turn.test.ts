import assert from 'node:assert/strict';
import type { ToolRow } from '../../../src/protocol/rows.ts';
import { echoTool } from '../../support/agent.ts';
import { end, idle, run } from '../../support/agentRun.ts';
import { call, INFO, scriptedModel, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';

suite('a turn', () => {
  test('ends at end_turn with the answer in the log [C20]', async () => {
    const { entries, controller } = await run(scriptedModel([{ blocks: [text('Hi')] }]));
    assert.deepEqual(
      entries().map((entry) => entry.type),
      ['userMessage', 'turnStarted', 'epochStarted', 'assistantBlock', 'messageFinished', 'turnEnded'],
    );
    assert.equal(end(entries()).outcome, 'done');
    assert.deepEqual(
      controller.snapshot().rows.map((row) => row.kind),
      ['user', 'text'],
    );
  });

  test('answers parallel calls in one user message, results first and in source order [C35,C36,C37]', async () => {
    const model = scriptedModel([
      {
        blocks: [text('Two'), call('toolu_1', 'echo', { text: 'a' }), call('toolu_2', 'echo', { text: 'b' })],
        stop: 'tool_use',
      },
    ]);
    await run(model);
    assert.deepEqual(model.requests[1]?.messages.at(-1), {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a' },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'b' },
      ],
    });
  });

  test('keys on the stop reason: calls beside end_turn are answered as interrupted and never run [C20]', async () => {
    const ran: string[] = [];
    const model = scriptedModel([{ blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'end_turn' }]);
    const { entries } = await run(model, [echoTool(ran)]);
    assert.deepEqual(ran, []);
    assert.equal(end(entries()).outcome, 'done');
  });

  test('resumes pause_turn with the answer unchanged and nothing added [C21]', async () => {
    const paused = [text('Searching'), serverCall('srvtoolu_1', 'ls')];
    const model = scriptedModel([
      { blocks: paused, stop: 'pause_turn' },
      { blocks: [serverResult('srvtoolu_1', 'a.csv'), text('Found')] },
    ]);
    await run(model);
    assert.deepEqual(model.requests[1]?.messages.slice(1), [{ role: 'assistant', content: paused }]);
    assert.deepEqual(model.requests[1].tools, model.requests[0]?.tools);
  });

  test('gives up after a bounded number of pauses [C31,C21]', async () => {
    const model = scriptedModel(() => ({ blocks: [text('…')], stop: 'pause_turn' }));
    const { entries } = await run(model);
    assert.equal(end(entries()).outcome, 'limit');
    assert.equal(model.requests.length, 21);
  });

  test('answers a mixed group with results only and pairs the server result by id in the next answer [C38,C39,C40,C41]', async () => {
    const model = scriptedModel([
      { blocks: [serverCall('srvtoolu_1', 'ls'), call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
      { blocks: [serverResult('srvtoolu_1', 'x'), text('Both')] },
    ]);
    const { controller } = await run(model);
    assert.deepEqual(model.requests[1]?.messages.at(-1)?.content, [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a' },
    ]);
    const cards = controller.snapshot().rows.filter((row): row is ToolRow => row.kind === 'tool');
    assert.deepEqual(
      cards.map(({ tool, status }) => [tool, status]),
      [
        ['bash_code_execution', 'done'],
        ['echo', 'done'],
      ],
    );
  });

  test('never runs a call that max_tokens cut, and repeats the request with more room [C24,XA14]', async () => {
    const ran: string[] = [];
    const model = scriptedModel([
      { blocks: [text('Let me'), call('toolu_1', 'echo', { text: 'half' })], stop: 'max_tokens' },
      { blocks: [call('toolu_2', 'echo', { text: 'whole' })], stop: 'tool_use' },
    ]);
    await run(model, [echoTool(ran)]);
    assert.deepEqual(ran, ['whole']);
    assert.deepEqual(
      model.requests.map(({ maxTokens }) => maxTokens),
      [32_000, 64_000, 32_000],
    );
    assert.equal(model.requests[1]?.messages.length, 1, 'the cut answer is not sent back');
  });

  test('ends as truncated when a cut call is at the limit already, and the call stays out of the next request', async () => {
    const model = scriptedModel(
      () => ({ blocks: [text('Let me'), call('toolu_1', 'echo', { text: 'half' })], stop: 'max_tokens' }),
      {
        ...INFO,
        maxTokens: 32_000,
      },
    );
    const { entries, controller, idle: wait } = await run(model);
    assert.equal(end(entries()).outcome, 'truncated');
    await controller.submit('go on');
    await wait();
    assert.deepEqual(
      model.requests[1]?.messages.map(({ content }) =>
        Array.isArray(content) ? content.map((block) => block.type) : [],
      ),
      [['text'], ['text'], ['text']],
    );
  });

  test('discards a refusal: nothing of it runs or is sent again [C25]', async () => {
    const ran: string[] = [];
    const model = scriptedModel([
      {
        blocks: [text('Well'), call('toolu_1', 'echo', { text: 'a' })],
        stop: 'refusal',
        stopDetails: { type: 'refusal', category: null, explanation: 'No.' },
      },
    ]);
    const { entries, controller, idle: wait } = await run(model, [echoTool(ran)]);
    assert.deepEqual(end(entries()), { ...end(entries()), outcome: 'refused', detail: 'No.' });
    await controller.submit('Something else');
    await wait();
    assert.deepEqual(ran, []);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ['user', 'user'],
    );
  });

  test('ends at an unknown stop reason and keeps the answer [C23]', async () => {
    const model = scriptedModel([{ blocks: [text('Hm')], stop: 'a_new_reason' }]);
    const { entries, controller } = await run(model);
    assert.deepEqual([end(entries()).outcome, end(entries()).detail], ['unknownStop', 'a_new_reason']);
    await controller.submit('and?');
    await idle(controller);
    assert.equal(model.requests[1]?.messages.length, 3);
  });

  test('ends at stop_sequence as finished', async () => {
    const { entries } = await run(scriptedModel([{ blocks: [text('Hm')], stop: 'stop_sequence' }]));
    assert.equal(end(entries()).outcome, 'done');
  });

  test('never sends an empty answer back [C28]', async () => {
    const model = scriptedModel([{ blocks: [], stop: 'end_turn' }]);
    const { controller } = await run(model);
    await controller.submit('and?');
    await idle(controller);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ['user', 'user'],
    );
  });

  test('sends thinking back verbatim and keeps system, tools and earlier messages byte for byte [C62,C64,C100]', async () => {
    const model = scriptedModel([
      { blocks: [thinking('', 's1'), call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
      { blocks: [thinking('hm', 's2'), text('Done')] },
    ]);
    const { controller } = await run(model);
    await controller.submit('more');
    await idle(controller);
    const [first, second, third] = model.requests.map((request) => ({
      ...request,
      messages: request.messages.map((message) => JSON.stringify(message)),
    }));
    assert.ok(first && second && third);
    assert.deepEqual(second.messages.slice(0, first.messages.length), first.messages);
    assert.deepEqual(third.messages.slice(0, second.messages.length), second.messages);
    assert.deepEqual(JSON.stringify([third.system, third.tools]), JSON.stringify([first.system, first.tools]));
    assert.match(second.messages[1] ?? '', /"signature":"s1"/);
  });
});
