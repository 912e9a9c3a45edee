import assert from 'node:assert/strict';
import type { ApiFailure } from '../../../src/core/errors.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { echoTool } from '../../support/agent.ts';
import { end, run, start } from '../../support/agentRun.ts';
import { call, scriptedModel, serverCall, serverResult, text } from '../../support/scriptedModel.ts';

const OVERLOADED: ApiFailure = { kind: 'overloaded', message: 'Overloaded', status: 529 };
const RATE: ApiFailure = { kind: 'rate-limit', message: 'Slow down', status: 429, retryAfterMs: 3000 };
const STREAM: ApiFailure = { kind: 'stream', message: 'The stream ended early' };

suite('failures', () => {
  test('an overloaded API is tried again, with the wait shown, and the answer counts [C94,M5]', async () => {
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
    test(`${kind} is shown at once, with the API's words and request id [C90,C92,M7]`, async () => {
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

  test('a stream that broke before any block finished is repeated and leaves no trace [M8,C80]', async () => {
    const model = scriptedModel([{ blocks: [text('Half')], cutLast: true, fail: STREAM }, { blocks: [text('Whole')] }]);
    const { controller } = await run(model);
    assert.deepEqual(
      controller.snapshot().rows.flatMap((row) => (row.kind === 'text' ? [row.text] : [])),
      ['Whole'],
    );
  });

  test('a stream that broke later is repeated once; what was shown is marked as not sent [C80,M8]', async () => {
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

  test('a stream that broke later is repeated once even after it broke twice before anything was shown [XA2,XA3]', async () => {
    const early = { blocks: [text('Half')], cutLast: true, fail: STREAM };
    const late = { blocks: [text('First'), text('Half')], cutLast: true, fail: STREAM };
    const saved = scriptedModel([early, early, late, { blocks: [text('Whole')] }]);
    assert.equal(end((await run(saved)).entries()).outcome, 'done');
    const lost = scriptedModel([early, early, late, late]);
    const { entries, controller } = await run(lost);
    assert.deepEqual([end(entries()).outcome, lost.requests.length], ['failed', 4]);
    const card = controller.snapshot().rows.at(-1);
    assert.equal(card?.kind === 'notice' && card.actions[0]?.id, 'retry');
  });

  test('a stream that breaks again ends the turn; the finished text stays in the conversation [F4]', async () => {
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

  test('a refused container is given up once and the request repeated without it [C133]', async () => {
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

  test('are fetched at once and recorded by content [C135]', async () => {
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
    await controller.files.retry('file_abcdefgh1');
    const row = controller.snapshot().rows.find((known) => known.kind === 'attachment');
    assert.deepEqual(row?.kind === 'attachment' && [row.state, row.name], ['stored', 'chart.png']);
  });
});
