import assert from 'node:assert/strict';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import type { LogEntry } from '../../../src/core/session/entries.ts';
import { agentWorld, echoTool, effectTool } from '../../support/agent.ts';
import { end, idle, untilWaiting } from '../../support/agentRun.ts';
import { fakeClock, type FakeClock } from '../../support/fakes.ts';
import { scriptedModel, text, type ScriptedAnswer, type ScriptedModel } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

const CONTAINER = { id: 'container_1', expires_at: '2026-12-01T00:00:00Z' };
const PROGRAM: ContentBlock = {
  type: 'server_tool_use',
  id: 'srvtoolu_p',
  name: 'code_execution',
  input: { code: 'echo()' },
  caller: { type: 'direct' },
};
const RESULT: ContentBlock = {
  type: 'code_execution_tool_result',
  tool_use_id: 'srvtoolu_p',
  content: { type: 'code_execution_result', stdout: 'both', stderr: '', return_code: 0, content: [] },
};
const TOOLS = [echoTool(), effectTool(), codeExecutionTool];

function called(id: string, name: string, input: object): ContentBlock {
  return { type: 'tool_use', id, name, input, caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_p' } };
}

const ROUNDS: readonly ScriptedAnswer[] = [
  {
    blocks: [text('I count.'), PROGRAM, called('toolu_1', 'echo', { text: 'a' })],
    stop: 'tool_use',
    container: CONTAINER,
  },
  { blocks: [called('toolu_2', 'echo', { text: 'b' })], stop: 'tool_use', container: CONTAINER },
  { blocks: [RESULT, text('Two.')], container: CONTAINER },
];

interface World {
  readonly controller: SessionController;
  readonly clock: FakeClock;
  entries(): readonly LogEntry[];
}

/** A session whose clock stands still: the limit of a call must not come by itself. */
async function open(model: ScriptedModel): Promise<World> {
  const clock = fakeClock();
  const world = agentWorld(model, TOOLS);
  const controller = createSessionController({ ...world, clock });
  await controller.submit('Hello');
  return { controller, clock, entries: () => world.logs.stored(controller.snapshot().state.sessionId) };
}

suite('a call that running code makes', () => {
  test('is answered with results alone, as text, in the container it runs in, over as many rounds as it takes [C49, C51]', async () => {
    const model = scriptedModel(ROUNDS);
    const { entries, controller } = await open(model);
    await idle(controller);
    const last = model.requests[2] as ModelRequest;
    assert.equal(last.container, 'container_1');
    assert.deepEqual(
      last.messages
        .slice(1)
        .map(({ role, content }) => [role, Array.isArray(content) && content.map(({ type }) => type)]),
      [
        ['assistant', ['text', 'server_tool_use', 'tool_use']],
        ['user', ['tool_result']],
        ['assistant', ['tool_use']],
        ['user', ['tool_result']],
      ],
    );
    const results = last.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    assert.deepEqual(
      results.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
      ['a', 'b'],
    );
    assert.equal(end(entries()).outcome, 'done');
    await controller.submit('Go on');
    await idle(controller);
    assert.equal(model.requests[3]?.messages.length, 7);
    assertEveryPrefixValid(entries());
  });

  test('stands under the card of its code', async () => {
    const { controller } = await open(scriptedModel(ROUNDS));
    await idle(controller);
    const cards = controller.snapshot().rows.flatMap((row) => (row.kind === 'tool' ? [[row.callId, row.nested]] : []));
    assert.deepEqual(cards, [
      ['srvtoolu_p', undefined],
      ['toolu_1', true],
      ['toolu_2', true],
    ]);
  });

  test('leaves the conversation with its program when the program is given up', async () => {
    const model = scriptedModel([ROUNDS[0] as ScriptedAnswer, { fail: { kind: 'billing', message: 'x' } }]);
    const { controller, entries } = await open(model);
    await idle(controller);
    await controller.submit('Something else');
    await idle(controller);
    const sent = model.requests.at(-1)?.messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    assert.deepEqual(
      sent?.map(({ type }) => type),
      ['text', 'text', 'text'],
    );
    assertEveryPrefixValid(entries());
  });

  test('whose container is lost in the middle gives its program up, and the turn goes on [C133]', async () => {
    const fail = { kind: 'not-found', status: 404, message: 'container: container_1 has expired' } as const;
    const model = scriptedModel([ROUNDS[0] as ScriptedAnswer, { fail }, { blocks: [text('Again.')] }]);
    const { controller, entries } = await open(model);
    await idle(controller);
    const last = model.requests[2] as ModelRequest;
    assert.deepEqual(
      [model.requests.length, last.container, last.messages.map(({ role }) => role)],
      [3, undefined, ['user', 'assistant', 'user']],
    );
    assert.match(JSON.stringify(last.messages.at(-1)), /The program that ran there ended with it/);
    assert.equal(end(entries()).outcome, 'done');
    const titles = controller.snapshot().rows.flatMap((row) => (row.kind === 'notice' ? [row.title] : []));
    assert.ok(titles.some((title) => /has to begin again/.test(title)));
    assertEveryPrefixValid(entries());
  });

  test('is answered with an error when nobody decides for 200 seconds, before the code gives up at 270 [C50]', async () => {
    const blocks = [PROGRAM, called('toolu_1', 'effect', { name: 'x' })];
    const model = scriptedModel([
      { blocks, stop: 'tool_use', container: CONTAINER },
      { blocks: [RESULT, text('Late.')] },
    ]);
    const { controller, clock, entries } = await open(model);
    await untilWaiting(controller);
    await clock.advance(199_000);
    await untilWaiting(controller);
    await clock.advance(2000);
    await idle(controller);
    const result = entries().find((entry) => entry.type === 'toolFinished');
    assert.ok(result?.type === 'toolFinished' && result.isError);
    assert.match(JSON.stringify(result.content), /No answer in time/);
    assert.equal(model.requests.length, 2);
    assertEveryPrefixValid(entries());
  });
});
