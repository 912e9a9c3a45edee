import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import type { NoticeRow } from '../../../src/protocol/rows.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import {
  call,
  INFO,
  scriptedModel,
  serverCall,
  text,
  thinking,
  type ScriptedAnswer,
} from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

const WINDOW = 100_000;
/** More than half of the window. */
const MUCH = 60_000;

type Script = Parameters<typeof scriptedModel>[0];

function start(script: Script, compactAt: number, config: Partial<AgentConfig> = {}) {
  const scripted = scriptedModel(script, { ...INFO, maxInputTokens: WINDOW });
  const world = agentWorld(scripted, [echoTool()], { compactAt, ...config });
  const controller = createSessionController(world);
  const say = async (message: string): Promise<void> => {
    await controller.submit(message);
    await idle(controller);
  };
  const entries = () => world.logs.stored(controller.snapshot().state.sessionId);
  return { scripted, world, controller, say, entries };
}

/** The request that asks for a summary of the whole conversation. */
function isForSummary(request: ModelRequest | undefined): boolean {
  return /Summarize this conversation/.test(JSON.stringify(request?.messages.at(-1)));
}

function notices(controller: SessionController): readonly NoticeRow[] {
  return controller.snapshot().rows.filter((row) => row.kind === 'notice');
}

suite('summarising a conversation', () => {
  test('lets requests begin with the summary, and keeps everything in the log and on screen [G14]', async () => {
    const script = [
      { blocks: [thinking('hm'), text('one')] },
      { blocks: [text('SUMMARY')] },
      { blocks: [text('two')] },
    ];
    const { scripted, controller, say, entries } = start(script, 0);
    await say('first');
    await controller.compact();
    await say('second');
    const [before, asked, after] = scripted.requests;
    assert.deepEqual(asked?.messages.slice(0, before?.messages.length), before?.messages);
    assert.deepEqual([asked?.system, asked?.tools], [before?.system, before?.tools]);
    assert.equal(after?.messages.length, 2);
    assert.match(JSON.stringify(after.messages), /SUMMARY.*second/);
    assert.doesNotMatch(JSON.stringify(after.messages), /"thinking"|first/);
    const rows = controller.snapshot().rows;
    assert.ok(rows.some((row) => row.kind === 'notice' && row.more === 'SUMMARY'));
    assert.ok(rows.some((row) => row.kind === 'user' && row.text === 'first'));
    assertEveryPrefixValid(entries());
  });

  test('happens by itself above the share of the window that the settings allow, and goes on with what was asked [C27]', async () => {
    const script = [{ blocks: [text('one')], used: MUCH }, { blocks: [text('SUMMARY')] }, { blocks: [text('two')] }];
    const { scripted, say, entries } = start(script, 50);
    await say('first');
    await say('second');
    assert.doesNotMatch(JSON.stringify(scripted.requests[1]?.messages), /second/);
    const messages = scripted.requests[2]?.messages ?? [];
    assert.match(JSON.stringify(messages[0]), /SUMMARY/);
    assert.deepEqual(messages.at(-1)?.content, [{ type: 'text', text: 'second' }]);
    assert.equal(entries().filter(({ type }) => type === 'compacted').length, 1);
    assertEveryPrefixValid(entries());
  });

  test('does not happen again before the conversation has grown', async () => {
    const answers = Array.from({ length: 6 }, (_, at) => ({
      blocks: [call(`toolu_${String(at)}`, 'echo', { text: String(at) }), text('SUMMARY')],
      stop: at === 1 ? 'end_turn' : 'tool_use',
      used: MUCH,
    }));
    const { say, entries } = start(answers, 50);
    await say('first');
    await say('second');
    await say('third');
    assert.equal(entries().filter(({ type }) => type === 'compacted').length, 1);
    assertEveryPrefixValid(entries());
  });

  test('that fails leaves the conversation as it was, and says why', async () => {
    const refused = { kind: 'invalid-request', message: 'no such luck' } as const;
    const { controller, say, entries } = start([{ blocks: [text('one')] }, { fail: refused }], 0);
    await controller.compact();
    await say('first');
    await controller.compact();
    const notice = controller.snapshot().rows.findLast((row) => row.kind === 'notice');
    assert.equal(notice?.detail, 'no such luck');
    assert.ok(!entries().some(({ type }) => type === 'compacted'));
  });

  test('does not happen while the server holds a call of the conversation [C104]', async () => {
    const paused = { blocks: [text('Wait'), serverCall('srvtoolu_1', 'ls')], stop: 'pause_turn', used: MUCH } as const;
    const { scripted, say, entries } = start([paused, { blocks: [text('Done')] }], 50);
    await say('first');
    assert.ok(!JSON.stringify(scripted.requests[1]?.messages).includes('Summarize this conversation'));
    assert.equal(entries().filter(({ type }) => type === 'compacted').length, 0);
  });

  test('is offered when the context window is full, and for no other refused request [G8,C27]', async () => {
    const refused = (message: string): ScriptedAnswer => ({ fail: { kind: 'invalid-request', status: 400, message } });
    const script = [
      refused('tools.0.custom.name: String should match pattern'),
      refused('prompt is too long: 210000 tokens > 200000 maximum'),
      { blocks: [text('cut')], stop: 'model_context_window_exceeded' },
      { blocks: [text('SUMMARY')] },
      { blocks: [text('whole')] },
    ];
    const { scripted, controller, say } = start(script, 0);
    const last = () => controller.snapshot().rows.at(-1);
    const actions = (): readonly string[] => {
      const row = last();
      return row?.kind === 'notice' ? row.actions.map(({ id }) => id) : [];
    };
    await say('first');
    assert.ok(!actions().includes('compact'));
    await say('second');
    assert.equal(actions()[0], 'compact');
    await say('third');
    assert.equal(actions()[0], 'compact');
    controller.noticeAction(last()?.id ?? '', 'compact');
    for (let turn = 0; turn < 200 && scripted.requests.length < 5; turn++) await idle(controller);
    await idle(controller);
    assert.match(JSON.stringify(scripted.requests[4]?.messages), /SUMMARY/);
    assert.doesNotMatch(JSON.stringify(scripted.requests[4]?.messages), /"third"/);
  });

  test('goes on after a button only where there is a summary: what did not fit is not sent again', async () => {
    const script = [
      { blocks: [text('one')] },
      { fail: TOO_LONG },
      { fail: { kind: 'permission', status: 403, message: 'no' } },
      { blocks: [text('never')] },
    ] as const;
    const { scripted, controller, say } = start(script, 0);
    await say('first');
    await say('second');
    controller.noticeAction(notices(controller).at(-1)?.id ?? '', 'compact');
    await untilAsked(scripted, 3);
    await idle(controller);
    await settle();
    await idle(controller);
    assert.equal(scripted.requests.length, 3);
    assert.match(notices(controller).at(-1)?.title ?? '', /not summarized/);
  });

  test('by hand is busy and can be stopped: the conversation stays as it was, and the queue too', async () => {
    const { scripted, controller, say, entries } = start([{ blocks: [text('one')] }], 0);
    await say('first');
    scripted.beforeEvent = () => {
      scripted.beforeEvent = undefined;
      assert.equal(controller.snapshot().state.busy, true);
      assert.match(controller.snapshot().state.phase, /Summarizing/);
      void controller.submit('meanwhile');
      void controller.stop();
    };
    await controller.compact();
    assert.deepEqual(
      [controller.snapshot().state.busy, controller.snapshot().state.queued.map(({ text: words }) => words)],
      [false, ['meanwhile']],
    );
    assert.match(notices(controller).at(-1)?.detail ?? '', /stopped/);
    assert.ok(!entries().some(({ type }) => type === 'compacted'));
    await say('second');
    assert.deepEqual(
      scripted.requests[2]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
  });

  test('sends what was queued meanwhile once there is a summary', async () => {
    const { scripted, controller, say } = start([{ blocks: [text('one')] }, { blocks: [text('SUMMARY')] }], 0);
    await say('first');
    scripted.beforeEvent = () => {
      scripted.beforeEvent = undefined;
      void controller.submit('meanwhile');
    };
    await controller.compact();
    await idle(controller);
    assert.match(JSON.stringify(scripted.requests[2]?.messages), /SUMMARY[^]*meanwhile/);
  });

  test('ends with the session that is left', async () => {
    const { scripted, controller, say } = start([{ blocks: [text('one')] }], 0);
    await say('first');
    let left: Promise<void> | undefined;
    scripted.beforeEvent = () => {
      scripted.beforeEvent = undefined;
      left = controller.newSession();
    };
    await controller.compact();
    await left;
    assert.deepEqual([controller.snapshot().rows, controller.snapshot().state.busy], [[], false]);
  });

  test('is retried by the one policy, visibly, and what a broken attempt used counts', async () => {
    const script = [
      { blocks: [text('one')] },
      { fail: { kind: 'overloaded', status: 529, message: 'busy' }, used: 700 },
      { blocks: [text('SUMMARY')] },
    ] as const;
    const { controller, say, entries } = start(script, 0);
    const waits: boolean[] = [];
    controller.onPatch(({ ops }) => waits.push(JSON.stringify(ops).includes('cancelRetry')));
    await say('first');
    await controller.compact();
    assert.ok(waits.includes(true));
    assert.equal(entries().at(-1)?.type, 'compacted');
    const session = controller.snapshot().state.usage?.session;
    assert.deepEqual([session?.requests, session?.input, session?.atLeast], [3, 10 + 700 + 10, true]);
  });

  test('asks at a cap of the settings, and is not made when the user stops there', async () => {
    const budget = { cost: 0, requests: 1, tokens: 0 };
    const { scripted, controller, say } = start([{ blocks: [text('one')] }], 0, { budget });
    await say('first');
    const compacting = controller.compact();
    for (let turn = 0; turn < 100 && !notices(controller).some(({ asks }) => asks); turn++) await settle();
    const card = notices(controller).find(({ asks }) => asks);
    controller.noticeAction(card?.id ?? '', 'budgetStop');
    await compacting;
    assert.equal(scripted.requests.length, 1);
    assert.match(notices(controller).at(-1)?.title ?? '', /not summarized/);
  });

  test('ends the turn where the user stops at a cap, instead of asking once more', async () => {
    const budget = { cost: 0, requests: 1, tokens: 0 };
    const { scripted, controller, say, entries } = start([{ blocks: [text('one')], used: MUCH }], 50, { budget });
    await say('first');
    await controller.submit('second');
    for (let turn = 0; turn < 100 && !notices(controller).some(({ asks }) => asks); turn++) await settle();
    controller.noticeAction(notices(controller).find(({ asks }) => asks)?.id ?? '', 'budgetStop');
    await idle(controller);
    assert.equal(scripted.requests.length, 1);
    const last = entries().at(-1);
    assert.equal(last?.type === 'turnEnded' && last.outcome, 'limit');
  });

  test('is at once what the meter shows, as an estimate until the next answer', async () => {
    const script = [
      { blocks: [text('one')], used: MUCH },
      { blocks: [text('SUMMARY')] },
      { blocks: [text('two')], used: 900 },
    ];
    const price = { input: 10, output: 10, cacheWrite5m: 10 };
    const { controller, say } = start(script, 0, { prices: { 'claude-simulated-5': price } });
    await say('first');
    assert.equal(controller.snapshot().state.contextTokens, MUCH + 5);
    await controller.compact();
    const after = controller.snapshot().state;
    assert.ok(after.contextTokens > 0 && after.contextTokens < 1_000, String(after.contextTokens));
    assert.equal(after.usage?.estimated, true);
    assert.match(
      notices(controller).at(-1)?.detail ?? '',
      new RegExp(`about ${String(after.contextTokens)} tokens, \\$0\\.00`),
    );
    assert.equal(
      after.usage.context.reduce((sum, { tokens }) => sum + tokens, 0),
      after.contextTokens,
    );
    await say('second');
    assert.deepEqual(
      [controller.snapshot().state.contextTokens, controller.snapshot().state.usage?.estimated],
      [905, false],
    );
  });

  test('is made in parts where not even the request for it fits into the window', async () => {
    const long = 'word '.repeat(4_000);
    const fits = 12_000;
    const script = (request: ModelRequest): ScriptedAnswer => {
      const size = JSON.stringify(request.messages).length;
      if (isForSummary(request)) return { fail: TOO_LONG };
      if (/<transcript>/.test(JSON.stringify(request.messages)))
        return size > fits ? { fail: TOO_LONG } : { blocks: [text(`SUMMARY of ${String(size)}`)], used: 100 };
      return { blocks: [text('one')] };
    };
    const { scripted, controller, say, entries } = start(script, 0);
    await say(`first ${long} </transcript>`);
    await say('second');
    await controller.compact();
    const made = scripted.requests.filter((request) => /<transcript>/.test(JSON.stringify(request.messages)));
    assert.ok(made.length >= 2 && made.length <= 16, String(made.length));
    assert.match(JSON.stringify(made.at(-1)?.messages), /<summary>/);
    assert.deepEqual(made.at(-1)?.tools, []);
    const compacted = entries().at(-1);
    assert.ok(compacted?.type === 'compacted');
    assert.match(compacted.summary, /^SUMMARY of/);
    const answered = made.filter((request) => JSON.stringify(request.messages).length <= fits).length;
    assert.equal(entries().filter(({ type }) => type === 'asideAsked').length, answered - 1);
    assert.equal(controller.snapshot().state.usage?.session.requests, 2 + answered);
    assertEveryPrefixValid(entries());
  });

  test('gives up after a bounded number of requests where no part fits', async () => {
    const script = (request: ModelRequest): ScriptedAnswer =>
      isForSummary(request) || /<transcript>/.test(JSON.stringify(request.messages))
        ? { fail: TOO_LONG }
        : { blocks: [text('one')] };
    const { scripted, controller, say } = start(script, 0);
    await say('word '.repeat(4_000));
    await controller.compact();
    assert.ok(scripted.requests.length < 20, String(scripted.requests.length));
    assert.match(notices(controller).at(-1)?.detail ?? '', /Not even parts/);
  });
});

const TOO_LONG = {
  kind: 'invalid-request',
  status: 400,
  message: 'prompt is too long: 210000 tokens > 200000 maximum',
} as const;

async function untilAsked(scripted: { readonly requests: readonly unknown[] }, count: number): Promise<void> {
  for (let turn = 0; turn < 300 && scripted.requests.length < count; turn++) await settle();
}
