import assert from 'node:assert/strict';
import { promptTokens, readUsage } from '../../../src/core/cost/usage.ts';

suite('the usage of an answer', () => {
  test('is read in buckets that do not overlap, which together are all input [C101, G13]', () => {
    const usage = {
      input_tokens: 7,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
      cache_read_input_tokens: 5_000,
      output_tokens: 40,
      output_tokens_details: { thinking_tokens: 30 },
    };
    const { parts, context } = readUsage(usage, 'm');
    assert.deepEqual(parts, [
      {
        model: 'm',
        kind: 'message',
        buckets: { input: 7, write5m: 200, write1h: 100, cacheRead: 5_000, output: 40, thinking: 30 },
      },
    ]);
    assert.equal(promptTokens(parts[0]!.buckets), 7 + 300 + 5_000);
    assert.equal(context, 5_347);
  });

  test('counts what was written to the cache for five minutes where no lifetime is told', () => {
    const [part] = readUsage({ cache_creation_input_tokens: 300 }, 'm').parts;
    assert.equal(part?.buckets.write5m, 300);
  });

  test('is that of its iterations where there are some, and then not the totals as well [C101, G13]', () => {
    const usage = {
      input_tokens: 30,
      output_tokens: 3,
      iterations: [
        { type: 'message', input_tokens: 10, output_tokens: 1 },
        { type: 'advisor_message', model: 'claude-opus-5-5', input_tokens: 500, output_tokens: 50 },
        { type: 'message', input_tokens: 20, output_tokens: 2 },
      ],
    };
    const { parts, context } = readUsage(usage, 'claude-haiku-5-5');
    assert.deepEqual(
      parts.map(({ model, kind, buckets }) => [model, kind, buckets.input, buckets.output]),
      [
        ['claude-haiku-5-5', 'message', 10, 1],
        ['claude-opus-5-5', 'advisor', 500, 50],
        ['claude-haiku-5-5', 'message', 20, 2],
      ],
    );
    // How full the context is says the last sampling of the model itself.
    assert.equal(context, 22);
  });

  test('has the totals too where the iterations list only what came beside the answer', () => {
    const usage = {
      input_tokens: 30,
      output_tokens: 3,
      iterations: [{ type: 'compaction', input_tokens: 90_000, output_tokens: 900 }],
    };
    const { parts, context } = readUsage(usage, 'm');
    assert.deepEqual(
      parts.map(({ kind, buckets }) => [kind, buckets.input]),
      [
        ['message', 30],
        ['compaction', 90_000],
      ],
    );
    assert.equal(context, 33);
  });

  test('counts what a gateway leaves out or gets wrong as nothing', () => {
    for (const usage of [undefined, null, 7, {}, { input_tokens: null, output_tokens: -3, iterations: 'x' }]) {
      const { parts, context, webSearches } = readUsage(usage, 'm');
      assert.equal(parts.length, 1);
      assert.deepEqual([context, webSearches], [0, 0]);
    }
  });
});
