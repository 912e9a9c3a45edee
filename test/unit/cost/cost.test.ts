import assert from 'node:assert/strict';
import { containerCost, costOf, type Pricing } from '../../../src/core/cost/cost.ts';
import { isAnthropic } from '../../../src/core/cost/address.ts';
import { readUsage } from '../../../src/core/cost/usage.ts';

const LISTED: Pricing = { own: {}, listed: true };
const MILLION = 1_000_000;
const DOLLAR = 1_000_000_000;

function cost(model: string, usage: object, pricing: Pricing = LISTED): number | undefined {
  return costOf(readUsage(usage, model), pricing);
}

suite('what an answer costs', () => {
  const each = {
    input_tokens: MILLION,
    cache_creation_input_tokens: 2 * MILLION,
    cache_creation: { ephemeral_5m_input_tokens: MILLION, ephemeral_1h_input_tokens: MILLION },
    cache_read_input_tokens: MILLION,
    output_tokens: MILLION,
  };

  test('is the price of each bucket, once [G13]', () => {
    assert.equal(cost('claude-opus-5-5', each), (4 + 5 + 8 + 0.2 + 20) * DOLLAR);
    assert.equal(cost('claude-sonnet-5-5', each), (2 + 2.5 + 4 + 0.1 + 10) * DOLLAR);
    assert.equal(cost('claude-opus-4-5-20251101', each), (5 + 6.25 + 10 + 0.5 + 25) * DOLLAR);
  });

  test('changes its tier for Haiku 5.5 above 100,000 tokens of prompt, the cached ones counted [C102]', () => {
    const prompt = (cached: number) => ({ input_tokens: 1_000, cache_read_input_tokens: cached, output_tokens: 1_000 });
    // nanodollars: tokens times the price in thousandths of a dollar per million
    assert.equal(cost('claude-haiku-5-5', prompt(99_000)), 1_000 * 100 + 99_000 * 10 + 1_000 * 500);
    assert.equal(cost('claude-haiku-5-5', prompt(99_001)), 1_000 * 500 + 99_001 * 50 + 1_000 * 2_500);
  });

  test('has the tier of each iteration, not that of their sum [C101, C102]', () => {
    const iteration = { type: 'message', input_tokens: 60_000, output_tokens: 0 };
    const usage = { input_tokens: 120_000, output_tokens: 0, iterations: [iteration, iteration] };
    assert.equal(cost('claude-haiku-5-5', usage), 120_000 * 100);
  });

  test('counts an advisor at its own price and a compaction at the model’s [C101]', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 1,
      iterations: [
        { type: 'compaction', input_tokens: 1_000, output_tokens: 100 },
        { type: 'message', input_tokens: 10, output_tokens: 1 },
        { type: 'advisor_message', model: 'claude-fable-5-2', input_tokens: 100, output_tokens: 10 },
      ],
    };
    const haiku = 1_010 * 1_000 + 101 * 5_000;
    assert.equal(cost('claude-haiku-4-5', usage), haiku + 100 * 8_000 + 10 * 40_000);
  });

  test('is half in a batch, a tenth more in the US, and higher in fast mode', () => {
    const usage = { input_tokens: MILLION, output_tokens: MILLION };
    assert.equal(cost('claude-opus-5-5', { ...usage, service_tier: 'batch' }), 12 * DOLLAR);
    assert.equal(cost('claude-opus-5-5', { ...usage, inference_geo: 'us' }), 26.4 * DOLLAR);
    assert.equal(cost('claude-opus-5-5', { ...usage, speed: 'fast' }), 48 * DOLLAR);
    // A model without a fast price: nothing is guessed.
    assert.equal(cost('claude-sonnet-5-5', { ...usage, speed: 'fast' }), undefined);
  });

  test('has a cent per web search; fetches are free', () => {
    const usage = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 9 } };
    assert.equal(cost('claude-opus-5-5', usage), 0.03 * DOLLAR);
  });

  test('is unknown for a model that is not listed, and for every model at another address', () => {
    assert.equal(cost('claude-omega-9', each), undefined);
    assert.equal(cost('claude-opus-5-5', each, { own: {}, listed: false }), undefined);
    assert.equal(cost('constructor', each), undefined);
    const advised = { iterations: [{ type: 'message' }, { type: 'advisor_message', model: 'x', input_tokens: 1 }] };
    assert.equal(cost('claude-opus-5-5', advised), undefined);
  });

  test('follows the user’s own prices, at every address', () => {
    const own = { 'my-model': { input: 1, output: 2 }, 'claude-opus-5-5': { input: 3, output: 6, cacheRead: 0 } };
    for (const listed of [true, false]) {
      assert.equal(cost('my-model', each, { own, listed }), (1 + 1.25 + 2 + 0.1 + 2) * DOLLAR);
      assert.equal(cost('claude-opus-5-5', each, { own, listed }), (3 + 3.75 + 6 + 0 + 6) * DOLLAR);
    }
  });

  test('of a container is five minutes at least', () => {
    assert.equal(containerCost(1), Math.floor((0.05 / 12) * DOLLAR + 0.5));
    assert.equal(containerCost(3_600_000), 0.05 * DOLLAR);
  });

  test('follows list prices at Anthropic’s own address only', () => {
    for (const own of [
      '',
      'https://api.anthropic.com',
      'https://api.anthropic.com/',
      'https://API.anthropic.com:443/v1',
    ])
      assert.ok(isAnthropic(own), own);
    for (const other of [
      'http://127.0.0.1:8080',
      'http://api.anthropic.com',
      'https://api.anthropic.com.evil.test/',
      'https://gateway.test/https://api.anthropic.com/',
      'https://api.anthropic.com:8443/',
    ])
      assert.ok(!isAnthropic(other), other);
  });
});
