import assert from 'node:assert/strict';
import type { ModelEvent, ModelOutcome, ModelPort } from '../../../src/core/ports.ts';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AnyTool, ClientTool } from '../../../src/core/tools/tool.ts';
import { agentWorld, effectTool } from '../../support/agent.ts';
import { fakeClock, settle } from '../../support/fakes.ts';
import { call, scriptedModel } from '../../support/scriptedModel.ts';

/** A server that takes the request and says only what `say` is called with. */
function silentModel(): ModelPort & { say(event: ModelEvent): void } {
  let listener: (event: ModelEvent) => void = () => undefined;
  return {
    ...scriptedModel([]),
    say: (event) => listener(event),
    stream: (_request, signal, onEvent) =>
      new Promise<ModelOutcome>((resolve) => {
        listener = onEvent;
        signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }));
      }),
  };
}

function open(model: ModelPort, tools: readonly AnyTool[] = []) {
  const clock = fakeClock();
  const world = { ...agentWorld(model, tools), clock };
  const controller = createSessionController(world);
  return { clock, controller, state: () => controller.snapshot().state };
}

suite('what a turn waits for', () => {
  test('is said with the time since when; a silent API is said to be one, and Stop works [F1]', async () => {
    const { clock, controller, state } = open(silentModel());
    await controller.submit('Hello');
    await settle();
    assert.deepEqual([state().phase, state().phaseSince], ['Waiting for Claude', clock.now()]);
    await clock.advance(15_000);
    assert.equal(state().phase, 'Waiting for Claude');
    await clock.advance(6_000);
    assert.match(state().phase, /not responding/);
    await controller.stop();
    assert.deepEqual([state().busy, state().phase, state().phaseSince], [false, '', undefined]);
  });

  test('is not called silence while pings come, and no more when they come again [F1, C85]', async () => {
    const model = silentModel();
    const { clock, controller, state } = open(model);
    await controller.submit('Hello');
    await settle();
    for (let i = 0; i < 20; i++) {
      model.say({ type: 'ping' });
      await clock.advance(10_000);
      assert.equal(state().phase, 'Waiting for Claude', `after ${i * 10} s`);
    }
    await clock.advance(60_000);
    assert.match(state().phase, /not responding/);
    model.say({ type: 'ping' });
    await settle();
    assert.equal(state().phase, 'Waiting for Claude');
    await controller.stop();
  });

  test('names the tool while it runs, however long, and calls nothing dead [F8]', async () => {
    const effect = effectTool() as ClientTool;
    const slow: ClientTool = {
      ...effect,
      prepare: async (input, signal) => ({
        ...(await effect.prepare(input, signal)),
        effects: [],
        invoke: () => new Promise(() => undefined),
      }),
    };
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'slow' })], stop: 'tool_use' }]);
    const { clock, controller, state } = open(model, [slow]);
    await controller.submit('Hello');
    for (let i = 0; i < 10; i++) {
      await settle();
      await clock.advance(9_000);
    }
    const row = controller.snapshot().rows.find((found) => found.kind === 'tool');
    assert.deepEqual(
      [row?.kind === 'tool' && row.status, state().busy, state().phase],
      ['running', true, row?.kind === 'tool' && row.title],
    );
    const stopping = controller.stop();
    await clock.advance(60_000);
    await stopping;
  });
});
