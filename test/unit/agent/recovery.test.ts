import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import { closeInterrupted } from '../../../src/core/agent/recovery.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { agentWorld, effectTool } from '../../support/agent.ts';
import { settle } from '../../support/fakes.ts';
import type { ClientTool } from '../../../src/core/tools/tool.ts';
import { logOf } from '../../support/logOf.ts';
import { call, scriptedModel, serverCall, serverResult, text } from '../../support/scriptedModel.ts';
import { problemOf } from '../../support/validRequest.ts';

const HELLO: NewEntry = { type: 'userMessage', text: 'Hello', content: [{ type: 'text', text: 'Hello' }] };
const STARTED: NewEntry = { type: 'turnStarted', turnId: 't1' };
const TOOLS = [effectTool(), codeExecutionTool];

suite('a host that ended in the middle of a turn', () => {
  test('before the turn had begun leaves a turn that counts as interrupted', () => {
    assert.deepEqual(closeInterrupted(logOf(HELLO), []), [{ type: 'turnEnded', turnId: 'e0', outcome: 'interrupted' }]);
  });

  test('leaves a file that can be fetched again', async () => {
    const world = agentWorld(scriptedModel([]), TOOLS);
    world.logs.seed(
      's1',
      logOf(
        HELLO,
        STARTED,
        { type: 'assistantBlock', messageId: 'm', index: 0, block: serverCall('srvtoolu_1', 'plot') },
        { type: 'assistantBlock', messageId: 'm', index: 1, block: serverResult('srvtoolu_1', '', ['file_abcdefgh1']) },
        { type: 'assistantBlock', messageId: 'm', index: 2, block: text('There') },
      ),
    );
    world.files.files.set('file_abcdefgh1', { name: 'chart.png', bytes: Buffer.from('png') });
    const controller = createSessionController(world);
    await controller.openSession('s1');
    const kinds = (): unknown[] => controller.snapshot().rows.map((row) => ('state' in row ? row.state : row.kind));
    assert.deepEqual(kinds(), ['user', 'tool', 'failed', 'text', 'notice']);
    await controller.files.retry('file_abcdefgh1');
    assert.deepEqual(kinds(), ['user', 'tool', 'stored', 'text', 'notice']);
  });

  test('says of a call that had begun that its fate is unknown, on the card and to Claude [XD15]', async () => {
    const world = agentWorld(scriptedModel([]), TOOLS);
    world.logs.seed(
      's1',
      logOf(
        HELLO,
        STARTED,
        { type: 'assistantBlock', messageId: 'm', index: 0, block: call('toolu_1', 'effect', { name: 'a' }) },
        { type: 'assistantBlock', messageId: 'm', index: 1, block: call('toolu_2', 'effect', { name: 'b' }) },
        { type: 'messageFinished', messageId: 'm', model: 'x', stopReason: 'tool_use' },
        { type: 'toolStarted', callId: 'toolu_1' },
      ),
    );
    const controller = createSessionController(world);
    await controller.openSession('s1');
    const [begun, waiting] = controller.snapshot().rows.filter((row) => row.kind === 'tool');
    assert.match(begun?.body.kind === 'text' ? begun.body.text : '', /may have taken effect/);
    assert.deepEqual([begun?.status, waiting?.status, waiting?.body.kind], ['cancelled', 'cancelled', 'none']);
    const finished = world.logs.stored('s1').filter((entry) => entry.type === 'toolFinished');
    assert.deepEqual(
      finished.map(({ callId, title }) => [callId, title]),
      [['toolu_1', 'Effect']],
    );
    assert.equal(problemOf(world.logs.stored('s1'), 'next'), undefined);
  });

  for (const [state, content, isError] of [
    ['applied', 'after', false],
    ['unchanged', 'before', true],
    ['unknown', 'something else', true],
  ] as const) {
    test(`tells by its hash that an edit is ${state}, and does not apply it again [XD9]`, async () => {
      let edits = 0;
      const diff = { path: 'a.ts', before: 'before', after: 'after', exists: true };
      const effect = effectTool({ diff }) as ClientTool;
      const editor: ClientTool = {
        ...effect,
        textNow: () => Promise.resolve(content),
        prepare: async (input, signal) => ({
          ...(await effect.prepare(input, signal)),
          effects: [],
          invoke: () => new Promise(() => (edits += 1)),
        }),
      };
      const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
      const killed = agentWorld(model, [editor]);
      const before = createSessionController(killed);
      await before.submit('Hello');
      for (let i = 0; i < 200 && edits === 0; i++) await settle();
      const stored = killed.logs.stored(before.snapshot().state.sessionId);
      assert.ok(stored.some((entry) => entry.type === 'toolStarted' && entry.edit !== undefined));

      const world = agentWorld(scriptedModel([]), [editor]);
      world.logs.seed('s1', stored);
      await createSessionController(world).openSession('s1');
      const result = world.logs.stored('s1').find((entry) => entry.type === 'toolFinished');
      assert.deepEqual([result?.isError, edits], [isError, 1]);
      const said = { applied: /was applied/, unchanged: /unchanged/, unknown: /may have taken effect/ }[state];
      assert.match(JSON.stringify(result?.content), said);
      assert.equal(problemOf(world.logs.stored('s1'), 'next'), undefined);
    });
  }
});
