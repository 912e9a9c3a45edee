import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLedger, type Ledger } from '../../../src/core/cost/ledger.ts';
import { addSpend, NOTHING_SPENT } from '../../../src/core/cost/spend.ts';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import type { Usage } from '../../../src/core/session/entryBase.ts';
import { FIRST_EPOCH, logOf } from '../../support/logOf.ts';
import { serverCall, serverResult } from '../../support/scriptedModel.ts';

const MODEL = 'claude-opus-5-5';
const EPOCH: NewEntry = { ...FIRST_EPOCH, model: MODEL };
const BEGIN: NewEntry = { type: 'turnStarted', turnId: 't' };
const END: NewEntry = { type: 'turnEnded', turnId: 't', outcome: 'done' };

function usage(input: number, read = 0, output = 0, write = 0): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: write,
    cache_read_input_tokens: read,
  };
}

function finished(messageId: string, used: Usage, more: object = {}): NewEntry {
  return { type: 'messageFinished', messageId, model: MODEL, stopReason: 'end_turn', usage: used, ...more };
}

function ledgerOf(...items: readonly NewEntry[]): Ledger {
  return take(logOf(EPOCH, ...items));
}

function take(entries: readonly LogEntry[]): Ledger {
  const ledger = createLedger({});
  for (const entry of entries) ledger.take(entry);
  return ledger;
}

suite('the account of a session', () => {
  test('counts each answer once, whatever becomes of it later [G13]', () => {
    const ledger = ledgerOf(
      BEGIN,
      finished('a', usage(1_000, 0, 100)),
      { type: 'messageDiscarded', messageId: 'a', reason: 'refusal' },
      END,
    );
    assert.equal(ledger.session.requests, 1);
    assert.equal(ledger.session.nano, 1_000 * 4_000 + 100 * 20_000);
    assert.equal(ledger.session.lowerBound, false);
  });

  test('counts an answer that broke off by its last counters, and says that it was at least that', () => {
    const used = { model: MODEL, usage: usage(1_000, 0, 1) };
    for (const entry of [
      { type: 'messageInterrupted', messageId: 'a', reason: 'cancelled', ...used },
      { type: 'messageDiscarded', messageId: 'a', reason: 'retry', ...used },
    ] as const) {
      const { session } = ledgerOf(BEGIN, entry, END);
      assert.deepEqual([session.requests, session.nano, session.lowerBound], [1, 4_000_000 + 20_000, true]);
    }
    const failure = { kind: 'stream', message: 'cut' } as const;
    const early = { type: 'requestFailed', messageId: 'a', failure } as const;
    assert.equal(ledgerOf(BEGIN, { ...early, ...used }, END).session.nano, 4_000_000 + 20_000);
    assert.equal(ledgerOf(BEGIN, early, END).session.requests, 0);
    const died = ledgerOf(BEGIN, { type: 'messageInterrupted', messageId: 'a', reason: 'hostStopped' }).session;
    assert.deepEqual([died.requests, died.nano, died.lowerBound], [1, 0, true]);
  });

  test('does not price what came from another address', () => {
    const { session } = ledgerOf(BEGIN, finished('a', usage(1_000), { elsewhere: true }), END);
    assert.equal(session.nano, undefined);
    assert.equal(session.buckets.input, 1_000);
  });

  test('is the sum of its turns, to the last nanodollar [G13]', () => {
    const tokens = fc.nat({ max: 3_000_000 });
    const model = fc.constantFrom('claude-haiku-5-5', 'claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1');
    const answer = fc.record({ model, input: tokens, read: tokens, write: tokens, output: tokens, us: fc.boolean() });
    const turns = fc.array(fc.array(answer, { maxLength: 6 }), { maxLength: 12 });
    fc.assert(
      fc.property(turns, (list) => {
        const items = list.flatMap((answers, turn) => [
          BEGIN,
          ...answers.map((one, index) =>
            finished(`m${String(turn)}.${String(index)}`, {
              ...usage(one.input, one.read, one.output, one.write),
              ...(one.us ? { inference_geo: 'us' } : {}),
            }),
          ),
          END,
        ]);
        const ledger = ledgerOf(...items);
        const sum = ledger.turns.reduce(addSpend, NOTHING_SPENT);
        assert.deepEqual(sum, ledger.session);
        assert.ok(Number.isSafeInteger(ledger.session.nano));
        assert.equal(ledger.turns.length, list.length);
      }),
    );
  });

  test('shows the running turn by itself', () => {
    const ledger = ledgerOf(BEGIN, finished('a', usage(1)), END, BEGIN, finished('b', usage(2)));
    assert.equal(ledger.turn.buckets.input, 2);
    assert.equal(ledger.session.buckets.input, 3);
  });

  test('keeps the caps that the user raised, the newest of each', () => {
    const { raised } = ledgerOf(
      { type: 'budgetRaised', cap: 'cost', to: 2 },
      { type: 'budgetRaised', cap: 'requests', to: 9 },
      { type: 'budgetRaised', cap: 'cost', to: 3 },
    );
    assert.deepEqual(raised, { cost: 3, requests: 9 });
  });
});

suite('the time of containers', () => {
  const block = (messageId: string, value: ReturnType<typeof serverCall>, at: string): LogEntry => ({
    ...{ type: 'assistantBlock', messageId, index: 0, block: value, id: at, parentId: null, at },
  });
  const run = (tools: readonly object[]): Ledger => {
    const [epoch, begin] = logOf({ ...EPOCH, tools } as NewEntry, BEGIN);
    const container = { id: 'c1', expires_at: '' };
    const [end] = logOf(finished('a', usage(1), { container }));
    assert.ok(epoch && begin && end);
    return take([
      ...[epoch, begin],
      block('a', serverCall('s1', 'python x.py'), '2026-01-01T00:00:00.000Z'),
      block('a', serverResult('s1', 'ok'), '2026-01-01T00:20:00.000Z'),
      end,
    ]);
  };

  test('is estimated from our own clock', () => {
    const { container, session } = run([{ type: 'code_execution_20260521', name: 'code_execution' }]);
    assert.deepEqual(container, { ms: 20 * 60_000, nano: Math.round(50_000_000 / 3) });
    // An estimate is not mixed into what is known.
    assert.equal(session.nano, 4_000);
  });

  test('is free beside a web tool', () => {
    const web = { type: 'web_search_20260209', name: 'web_search' };
    assert.deepEqual(run([web]).container, { ms: 20 * 60_000, nano: 0 });
    assert.notEqual(run([{ type: 'web_search_20250305', name: 'web_search' }]).container.nano, 0);
  });
});

suite('a missed cache', () => {
  const at = (entries: readonly LogEntry[], minutes: readonly number[]): LogEntry[] =>
    entries.map((entry, index) => ({
      ...entry,
      at: new Date(Date.UTC(2026, 0, 1) + (minutes[index] ?? 0) * 60_000).toISOString(),
    }));
  const two = (second: NewEntry, between: readonly NewEntry[] = [], minute = 1): Ledger => {
    const entries = logOf(EPOCH, BEGIN, finished('a', usage(10, 0, 5, 20_000)), ...between, BEGIN, second);
    const times = entries.map((_, index) => (index < 3 ? 0 : minute));
    return take(at(entries, times));
  };
  const missed = usage(20_100);

  test('is none where most of the last prompt was read', () => {
    const { last, cache } = two(finished('b', usage(10, 20_000)));
    assert.equal(last?.miss, undefined);
    assert.deepEqual(last?.cache, { read: 20_000, prompt: 20_010 });
    assert.deepEqual(cache, { read: 20_000, prompt: 40_020 });
  });

  test('is explained by the API where it says why', () => {
    for (const [type, reason] of [
      ['model_changed', 'model'],
      ['system_changed', 'system'],
      ['tools_changed', 'tools'],
      ['messages_changed', 'messages'],
      ['previous_message_not_found', 'tooOld'],
      ['unavailable', 'unavailable'],
      ['moon_phase', 'unknown'],
    ] as const) {
      const diagnostics = { cache_miss_reason: { type, cache_missed_input_tokens: 20_000 } };
      assert.equal(two(finished('b', missed, { diagnostics })).last?.miss, reason);
    }
  });

  test('whose reason is null is being found out, and is no hit [C109]', () => {
    const { last } = two(finished('b', missed, { diagnostics: { cache_miss_reason: null } }));
    assert.equal(last?.miss, 'pending');
    assert.equal(last.cache.read, 0);
    // Where the cache was read there is nothing to find out.
    const hit = two(finished('b', usage(10, 20_000), { diagnostics: { cache_miss_reason: null } }));
    assert.equal(hit.last?.miss, undefined);
  });

  test('is explained by what is known here: a new epoch, a pause of more than five minutes', () => {
    assert.equal(two(finished('b', missed), [EPOCH]).last?.miss, 'epoch');
    assert.equal(two(finished('b', missed), [], 6).last?.miss, 'pause');
    assert.equal(two(finished('b', missed), [], 4).last?.miss, 'unknown');
    assert.equal(two(finished('b', missed, { diagnostics: null }), [], 6).last?.miss, 'pause');
  });

  test('is none after a prompt too short to be cached', () => {
    const short = ledgerOf(BEGIN, finished('a', usage(100)), finished('b', usage(200)));
    assert.equal(short.last?.miss, undefined);
  });
});
