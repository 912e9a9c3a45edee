import assert from 'node:assert/strict';
import { requestAt, requestOfRow, requestsOf } from '../../../src/core/agent/inspect.ts';
import type { ApiFailure } from '../../../src/core/errors.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
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
    found.forEach((request, index) => {
      assert.deepEqual(requestAt(entries(), request, CONFIG.baseUrl), model.requests[index]);
    });
    await controller.submit('And now?');
    await idle();
    const third = requestsOf(entries())[2] ?? assert.fail();
    assert.deepEqual(requestAt(entries(), third, CONFIG.baseUrl), model.requests[2]);
  });

  test('have their answers and how these ended', async () => {
    const { entries } = await run(TWO_STEPS());
    const [first, second] = requestsOf(entries());
    assert.deepEqual([first?.blocks.length, first?.finished?.stopReason], [2, 'tool_use']);
    assert.deepEqual([second?.blocks.length, second?.finished?.stopReason], [1, 'end_turn']);
  });

  test('are none before the first epoch', async () => {
    const { entries } = await run(scriptedModel([{ blocks: [text('Hi')] }]));
    assert.equal(requestAt(entries(), { position: 2 }, CONFIG.baseUrl), undefined);
    assert.equal(requestAt([], { position: 0 }, CONFIG.baseUrl), undefined);
  });

  test('that got no answer are listed too, each as it was sent, with why it failed', async () => {
    const busy: ApiFailure = { kind: 'overloaded', message: 'Overloaded', status: 529, requestId: 'req_1' };
    const version: ApiFailure = {
      kind: 'invalid-request',
      message:
        "tools.1: Input tag 'code_execution_20260521' found using 'type' does not match any of the expected tags: 'code_execution_20260120'",
      status: 400,
    };
    const bad: ApiFailure = { kind: 'invalid-request', message: 'No', status: 400 };
    const model = scriptedModel([
      { fail: busy },
      { fail: version },
      { blocks: [text('a')], fail: busy },
      { fail: bad },
    ]);
    const { entries } = await run(model, [echoTool(), codeExecutionTool]);
    const found = requestsOf(entries());
    assert.deepEqual(
      found.map(({ failed, ended }) => failed?.failure.status ?? ended?.reason),
      [529, 400, 'retry', 400],
    );
    found.forEach((request, index) => {
      assert.deepEqual(requestAt(entries(), request, CONFIG.baseUrl), model.requests[index]);
    });
    assert.equal(requestOfRow(entries(), `n:${entries().at(-1)?.id ?? ''}`)?.messageId, found[3]?.messageId);
  });

  test('that were stopped before an answer came are listed too', async () => {
    const model = scriptedModel([]);
    const sent: ModelRequest[] = [];
    const silent: typeof model.stream = (request, signal) => {
      sent.push(request);
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { once: true }),
      );
    };
    const { controller, entries, idle } = start({ ...model, stream: silent });
    await controller.submit('Hello');
    while (sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await controller.stop();
    await idle();
    const [request, ...more] = requestsOf(entries());
    assert.equal(more.length, 0);
    assert.deepEqual([request?.failed?.failure.kind, request?.ended], ['cancelled', undefined]);
    assert.deepEqual(request && requestAt(entries(), request, CONFIG.baseUrl), sent[0]);
  });

  test('that never went out are none', async () => {
    const model = scriptedModel([{ fail: { kind: 'no-key', message: 'No key' } }]);
    assert.deepEqual(requestsOf((await run(model)).entries()), []);
  });

  test('repeated with more room have the max_tokens that they were sent with', async () => {
    const cut = { blocks: [call('toolu_1', 'echo', { text: 'half' })], stop: 'max_tokens' };
    const busy = { fail: { kind: 'overloaded', message: 'Overloaded', status: 529 } } as const;
    const model = scriptedModel([
      cut,
      busy,
      { blocks: [text('a'), call('toolu_2', 'echo', { text: 'b' })], stop: 'tool_use' },
    ]);
    const { entries } = await run(model, [echoTool()]);
    const sent = model.requests.map(({ maxTokens }) => maxTokens);
    assert.deepEqual(sent, [32_000, 64_000, 64_000, 32_000]);
    assert.deepEqual(
      requestsOf(entries()).map((request) => requestAt(entries(), request, CONFIG.baseUrl)?.maxTokens),
      sent,
    );
  });

  test('are found by the rows that show their answers', async () => {
    const model = TWO_STEPS();
    const { entries, controller } = await run(model);
    const rows = controller.snapshot().rows.filter(({ kind }) => kind === 'text' || kind === 'tool');
    const [first, second] = requestsOf(entries());
    assert.deepEqual(
      rows.map(({ id }) => requestOfRow(entries(), id)?.messageId),
      [first?.messageId, first?.messageId, second?.messageId],
    );
    assert.equal(requestOfRow(entries(), 'u:unknown'), undefined);
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
    const notices = controller.snapshot().rows.filter(({ kind }) => kind === 'notice');
    assert.deepEqual(notices, [], 'nothing was interrupted');
    assert.deepEqual(world.logs.stored(log.header.id), before);
    assert.deepEqual(controller.log()?.header.origin, { session: log.header.id, entry: before[position - 1]?.id });
  });
});
