import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { LogEntry } from '../../../src/core/session/entries.ts';
import type { ModelOutcome, ModelPort } from '../../../src/core/ports.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { idle, run } from '../../support/agentRun.ts';
import { call, scriptedModel, text } from '../../support/scriptedModel.ts';

const USED = {
  model: 'claude-opus-5-5',
  usage: { input_tokens: 1_000, output_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
};

/** Begins an answer, and then it ends like this. */
function broken(outcome: ModelOutcome): ModelPort {
  return {
    ...scriptedModel([]),
    stream: (_request, _signal, onEvent) => {
      onEvent({ type: 'blockStart', index: 0, block: text('') });
      return Promise.resolve(outcome);
    },
  };
}

function endsOf(entries: readonly LogEntry[]): readonly LogEntry[] {
  return entries.filter(({ type }) => type === 'messageInterrupted' || type === 'messageDiscarded');
}

suite('what an unfinished answer used', () => {
  test('is in the log when it was cancelled', async () => {
    const { entries } = await run(broken({ kind: 'cancelled', used: USED }));
    const [cut] = endsOf(entries());
    assert.deepEqual(cut?.type === 'messageInterrupted' && [cut.model, cut.usage], [USED.model, USED.usage]);
  });

  test('is in the log for each attempt of a request that failed, and in the account', async () => {
    const failure = { kind: 'stream', message: 'cut' } as const;
    const { entries, controller } = await run(broken({ kind: 'failed', failure, used: USED }));
    const ends = endsOf(entries());
    assert.ok(ends.length > 1);
    assert.ok(ends.every((entry) => 'usage' in entry && entry.usage.input_tokens === 1_000));
    const session = controller.snapshot().state.usage?.session;
    assert.deepEqual([session?.requests, session?.input, session?.atLeast], [ends.length, ends.length * 1_000, true]);
  });
});

suite('a request', () => {
  const twice = async (baseUrl: string) => {
    const model = scriptedModel([
      { blocks: [call('a', 'echo', { text: 'a' })], stop: 'tool_use' },
      { blocks: [text('Done.')] },
    ]);
    const world = agentWorld(model, [echoTool()], { baseUrl });
    const controller = createSessionController(world);
    await controller.submit('Go');
    await idle(controller);
    return { model, entries: world.logs.stored(controller.snapshot().state.sessionId) };
  };

  test('asks Anthropic why the cache was missed, naming the answer before it', async () => {
    const { model, entries } = await twice('https://api.anthropic.com/');
    assert.deepEqual(
      model.requests.map(({ previousMessageId }) => previousMessageId),
      [null, 'msg_1'],
    );
    assert.ok(entries.every((entry) => !('elsewhere' in entry)));
  });

  test('asks no other address, and its answers are marked as not listed', async () => {
    const { model, entries } = await twice('https://gateway.test/');
    assert.ok(model.requests.every((request) => !('previousMessageId' in request)));
    const answers = entries.filter((entry) => entry.type === 'messageFinished');
    assert.deepEqual(
      answers.map(({ elsewhere }) => elsewhere),
      [true, true],
    );
  });

  test('has the same tools in the same order for the whole conversation [C100]', async () => {
    const { model } = await twice('https://api.anthropic.com/');
    const [first, second] = model.requests.map(({ tools }) => JSON.stringify(tools));
    assert.ok(first !== undefined && first.length > 2);
    assert.equal(first, second);
  });
});
