import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ApiFailure } from '../../../src/core/errors.ts';
import type { ModelPort } from '../../../src/core/ports.ts';
import type { LogEntry, TurnEnded } from '../../../src/core/session/entries.ts';
import type { ToolRow } from '../../../src/protocol/rows.ts';
import { agentWorld, echoTool, effectTool, type AgentWorld } from '../../support/agent.ts';
import { settle } from '../../support/fakes.ts';
import { call, INFO, scriptedModel, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import type { AnyTool } from '../../../src/core/tools/tool.ts';

const OVERLOADED: ApiFailure = { kind: 'overloaded', message: 'Overloaded', status: 529 };
const RATE: ApiFailure = { kind: 'rate-limit', message: 'Slow down', status: 429, retryAfterMs: 3000 };
const STREAM: ApiFailure = { kind: 'stream', message: 'The stream ended early' };

interface Run {
  readonly world: AgentWorld;
  readonly controller: SessionController;
  entries(): readonly LogEntry[];
  idle(): Promise<void>;
}

function start(model: ModelPort, tools?: readonly AnyTool[]): Run {
  const world = agentWorld(model, tools);
  const controller = createSessionController(world);
  return {
    world,
    controller,
    entries: () => world.logs.stored(controller.snapshot().state.sessionId),
    idle: () => idle(controller),
  };
}

async function idle(controller: SessionController): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    await settle();
    if (!controller.snapshot().state.busy) return;
  }
  assert.fail(`still busy: ${controller.snapshot().state.phase}`);
}

async function run(model: ModelPort, tools?: readonly AnyTool[]): Promise<Run> {
  const world = start(model, tools);
  await world.controller.submit('Hello');
  await world.idle();
  assertEveryPrefixValid(world.entries());
  return world;
}

function end(entries: readonly LogEntry[]): TurnEnded {
  const last = entries.at(-1);
  assert.equal(last?.type, 'turnEnded');
  return last as TurnEnded;
}

async function untilWaiting(controller: SessionController, count = 1): Promise<ToolRow[]> {
  for (let i = 0; i < 2000; i++) {
    await settle();
    const waiting = controller
      .snapshot()
      .rows.filter((row): row is ToolRow => row.kind === 'tool' && row.approval !== undefined);
    if (waiting.length >= count) return waiting;
  }
  return assert.fail('no approval appeared');
}

function approvalOf(row: ToolRow | undefined): string {
  assert.ok(row?.approval);
  return row.approval.id;
}

suite('a turn', () => {
  test('ends at end_turn with the answer in the log', async () => {
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

  test('answers parallel calls in one user message, results first and in source order', async () => {
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

  test('keys on the stop reason: calls beside end_turn are answered as interrupted and never run', async () => {
    const ran: string[] = [];
    const model = scriptedModel([{ blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'end_turn' }]);
    const { entries } = await run(model, [echoTool(ran)]);
    assert.deepEqual(ran, []);
    assert.equal(end(entries()).outcome, 'done');
  });

  test('resumes pause_turn with the answer unchanged and nothing added', async () => {
    const paused = [text('Searching'), serverCall('srvtoolu_1', 'ls')];
    const model = scriptedModel([
      { blocks: paused, stop: 'pause_turn' },
      { blocks: [serverResult('srvtoolu_1', 'a.csv'), text('Found')] },
    ]);
    await run(model);
    assert.deepEqual(model.requests[1]?.messages.slice(1), [{ role: 'assistant', content: paused }]);
    assert.deepEqual(model.requests[1].tools, model.requests[0]?.tools);
  });

  test('gives up after a bounded number of pauses', async () => {
    const model = scriptedModel(() => ({ blocks: [text('…')], stop: 'pause_turn' }));
    const { entries } = await run(model);
    assert.equal(end(entries()).outcome, 'limit');
    assert.equal(model.requests.length, 21);
  });

  test('answers a mixed group with results only and pairs the server result by id in the next answer', async () => {
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

  test('never runs a call that max_tokens cut, and repeats the request with more room', async () => {
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

  test('discards a refusal: nothing of it runs or is sent again', async () => {
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

  test('ends at an unknown stop reason and keeps the answer', async () => {
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

  test('never sends an empty answer back', async () => {
    const model = scriptedModel([{ blocks: [], stop: 'end_turn' }]);
    const { controller } = await run(model);
    await controller.submit('and?');
    await idle(controller);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ['user', 'user'],
    );
  });

  test('sends thinking back verbatim and keeps system, tools and earlier messages byte for byte', async () => {
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

suite('calls', () => {
  test('of an unknown tool, with invalid input or invalid JSON get an error result and the turn goes on', async () => {
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
    assert.match(String(texts[1]), /^Error: Invalid input for echo\. text: /);
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
    assert.match(String(content[1].content), /rejected.*They said: not that one/s);
    assertEveryPrefixValid(entries());
  });

  test('are approved by their own single-use id only', async () => {
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

  test('a call id that was used before is not run again', async () => {
    const ran: string[] = [];
    const model = scriptedModel([
      { blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
      { blocks: [call('toolu_1', 'echo', { text: 'again' })], stop: 'tool_use' },
    ]);
    await run(model, [echoTool(ran)]);
    assert.deepEqual(ran, ['a']);
  });

  test('one failing call leaves its siblings alone', async () => {
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

suite('failures', () => {
  test('an overloaded API is tried again, with the wait shown, and the answer counts', async () => {
    const model = scriptedModel([{ fail: OVERLOADED }, { fail: RATE }, { blocks: [text('Hi')] }]);
    const notices: number[] = [];
    const world = start(model);
    world.controller.onPatch(({ ops }) => {
      for (const op of ops)
        if (op.op === 'put' && op.row.kind === 'notice' && op.row.until !== undefined) notices.push(op.row.until);
    });
    const before = world.world.clock.now();
    await world.controller.submit('Hello');
    await world.idle();
    assert.equal(end(world.entries()).outcome, 'done');
    assert.equal(model.requests.length, 3);
    assert.ok(world.world.clock.now() - before >= 3000, 'never earlier than retry-after asks');
    assert.deepEqual(
      world.controller.snapshot().rows.map((row) => row.kind),
      ['user', 'text'],
      'the notice is gone',
    );
  });

  for (const kind of [
    'authentication',
    'billing',
    'permission',
    'invalid-request',
    'too-large',
    'no-key',
    'spend-limit',
  ] as const) {
    test(`${kind} is shown at once, with the API's words and request id`, async () => {
      const model = scriptedModel([{ fail: { kind, message: 'The words', requestId: 'req_1' } }]);
      const { entries, controller } = await run(model);
      assert.equal(model.requests.length, 1);
      assert.equal(end(entries()).outcome, 'failed');
      const card = controller.snapshot().rows.at(-1);
      assert.ok(card?.kind === 'notice');
      assert.deepEqual([card.severity, card.detail, card.requestId], ['error', 'The words', 'req_1']);
      assert.ok(card.title.length > 5 && card.actions.length > 0);
    });
  }

  test('a stream that broke before any block finished is repeated and leaves no trace', async () => {
    const model = scriptedModel([{ blocks: [text('Half')], cutLast: true, fail: STREAM }, { blocks: [text('Whole')] }]);
    const { controller } = await run(model);
    assert.deepEqual(
      controller.snapshot().rows.flatMap((row) => (row.kind === 'text' ? [row.text] : [])),
      ['Whole'],
    );
  });

  test('a stream that broke later is repeated once; what was shown is marked as not sent', async () => {
    const model = scriptedModel([
      { blocks: [text('First'), text('Half')], cutLast: true, fail: STREAM },
      { blocks: [text('Whole')] },
    ]);
    const { controller } = await run(model);
    assert.deepEqual(
      controller.snapshot().rows.flatMap((row) => (row.kind === 'text' ? [[row.text, row.notSent ?? false]] : [])),
      [
        ['First', true],
        ['Half', true],
        ['Whole', false],
      ],
    );
    assert.equal(model.requests[1]?.messages.length, 1);
  });

  test('a stream that breaks again ends the turn; the finished text stays in the conversation', async () => {
    const broken = { blocks: [text('First'), text('Half')], cutLast: true, fail: STREAM };
    const model = scriptedModel([broken, broken, { blocks: [text('On')] }]);
    const { entries, controller, idle: wait } = await run(model);
    assert.equal(end(entries()).outcome, 'failed');
    const interrupted = entries().find((entry) => entry.type === 'messageInterrupted');
    assert.ok(interrupted?.type === 'messageInterrupted');
    assert.equal(interrupted.unsentText, 'Half');
    await controller.continueTurn();
    await wait();
    assert.deepEqual(
      model.requests[2]?.messages.map(({ role, content }) => [
        role,
        Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : '',
      ]),
      [
        ['user', 'Hello'],
        ['assistant', 'First'],
        ['user', 'Continue'],
      ],
    );
  });

  test('a refused tool version steps down one version, once, before the first answer', async () => {
    const refuse: ApiFailure = {
      kind: 'invalid-request',
      message: "tools.1: type 'code_execution_20260521' is not supported",
      status: 400,
    };
    const model = scriptedModel([{ fail: refuse }]);
    const { entries, controller, idle: wait } = await run(model);
    assert.deepEqual(
      model.requests.map(({ tools }) => tools.map((tool) => ('name' in tool ? [tool.name, tool.type] : []))),
      [
        [
          ['echo', undefined],
          ['code_execution', 'code_execution_20260521'],
        ],
        [
          ['echo', undefined],
          ['code_execution', 'code_execution_20260120'],
        ],
      ],
    );
    assert.deepEqual(
      entries().flatMap((entry) => (entry.type === 'epochStarted' ? [entry.reason] : [])),
      ['first', 'toolVersion'],
    );
    await controller.newSession();
    await controller.submit('again');
    await wait();
    assert.equal(model.requests[2]?.tools[1]?.type, 'code_execution_20260120', 'remembered for this model and address');
  });

  test('a refused container is given up once and the request repeated without it', async () => {
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' };
    const model = scriptedModel([
      { blocks: [text('Hi')], container },
      { fail: { kind: 'server', message: 'Internal', status: 500 } },
      { blocks: [text('Again')] },
    ]);
    const { controller, idle: wait } = await run(model);
    assert.equal(controller.snapshot().state.container?.id, 'container_1');
    await controller.submit('more');
    await wait();
    assert.deepEqual(
      model.requests.map(({ container: id }) => id),
      [undefined, 'container_1', undefined],
    );
    assert.equal(controller.snapshot().state.container, null);
  });

  test('a disk that refuses the log ends the turn with a card, and nothing runs', async () => {
    const ran: string[] = [];
    const model = scriptedModel([{ blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' }]);
    const { controller, world, idle: wait } = start(model, [echoTool(ran)]);
    world.logs.onAppend = (entry) => entry.type === 'epochStarted' && world.logs.failWith(new Error('ENOSPC'));
    await controller.submit('Hello');
    await wait();
    assert.deepEqual(ran, []);
    const card = controller.snapshot().rows.at(-1);
    assert.ok(card?.kind === 'notice' && card.severity === 'error');
    assert.match(card.detail ?? '', /ENOSPC/);
  });
});

suite('files of code execution', () => {
  const blocks = [
    serverCall('srvtoolu_1', 'python plot.py'),
    serverResult('srvtoolu_1', 'ok', ['file_abcdefgh1']),
    text('There'),
  ];

  test('are fetched at once and recorded by content', async () => {
    const model = scriptedModel([{ blocks }]);
    const { controller, world, entries, idle: wait } = start(model, [codeExecutionTool]);
    world.files.files.set('file_abcdefgh1', { name: '../../chart.png', bytes: Buffer.from('a png') });
    await controller.submit('Plot');
    await wait();
    const stored = entries().find((entry) => entry.type === 'attachmentStored');
    assert.ok(stored?.type === 'attachmentStored');
    assert.deepEqual([stored.name, stored.size, stored.callId], ['../../chart.png', 5, 'srvtoolu_1']);
    assert.deepEqual(world.attachments.blobs.get(stored.hash ?? ''), Buffer.from('a png'));
    const row = controller.snapshot().rows.find((known) => known.kind === 'attachment');
    assert.deepEqual(row?.kind === 'attachment' && [row.state, row.size], ['stored', 5]);
  });

  test('that can not be fetched leave the answer intact, and a row that can be retried', async () => {
    const model = scriptedModel([{ blocks }]);
    const { controller, world, entries, idle: wait } = start(model, [codeExecutionTool]);
    world.files.fail = new Error('503');
    await controller.submit('Plot');
    await wait();
    assert.equal(end(entries()).outcome, 'done');
    const failed = controller.snapshot().rows.find((row) => row.kind === 'attachment');
    assert.deepEqual(failed?.kind === 'attachment' && [failed.state, failed.failure], ['failed', '503']);
    world.files.fail = undefined;
    world.files.files.set('file_abcdefgh1', { name: 'chart.png', bytes: Buffer.from('a png') });
    await controller.retryAttachment('file_abcdefgh1');
    const row = controller.snapshot().rows.find((known) => known.kind === 'attachment');
    assert.deepEqual(row?.kind === 'attachment' && [row.state, row.name], ['stored', 'chart.png']);
  });
});
