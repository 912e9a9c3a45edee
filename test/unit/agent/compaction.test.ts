import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
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

/** A run of a model with a window of 20 tokens: every scripted answer uses 15. */
function start(script: readonly ScriptedAnswer[], compactAt: number, window = 20) {
  const scripted = scriptedModel(script, { ...INFO, maxInputTokens: window });
  const world = agentWorld(scripted, [echoTool()], { compactAt });
  const controller = createSessionController(world);
  const say = async (message: string): Promise<void> => {
    await controller.submit(message);
    await idle(controller);
  };
  const entries = () => world.logs.stored(controller.snapshot().state.sessionId);
  return { scripted, controller, say, entries };
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
    const script = [{ blocks: [text('one')] }, { blocks: [text('SUMMARY')] }, { blocks: [text('two')] }];
    const { scripted, say, entries } = start(script, 50);
    await say('first');
    await say('second');
    assert.match(JSON.stringify(scripted.requests[2]?.messages), /SUMMARY[^]*second/);
    assert.equal(entries().filter(({ type }) => type === 'compacted').length, 1);
    assertEveryPrefixValid(entries());
  });

  test('does not happen again before the conversation has grown', async () => {
    const answers = Array.from({ length: 6 }, (_, at) => ({
      blocks: [call(`toolu_${String(at)}`, 'echo', { text: String(at) }), text('SUMMARY')],
      stop: at === 1 ? 'end_turn' : 'tool_use',
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
    const paused = { blocks: [text('Wait'), serverCall('srvtoolu_1', 'ls')], stop: 'pause_turn' } as const;
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
});
