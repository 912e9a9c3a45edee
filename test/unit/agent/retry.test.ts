import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { decideRetry, type RetryDecision } from '../../../src/core/agent/retry.ts';
import { LONGEST_WAIT_MS } from '../../../src/core/session/notices.ts';
import type { ApiFailure, ApiFailureKind } from '../../../src/core/errors.ts';

interface Row {
  readonly failure: Partial<ApiFailure> & { readonly kind: ApiFailureKind };
  readonly attempt?: number;
  readonly blocks?: number;
  readonly interruptions?: number;
  readonly elapsedMs?: number;
  readonly random?: number;
}

function decide(row: Row): RetryDecision {
  return decideRetry({
    failure: { message: 'm', ...row.failure },
    attempt: row.attempt ?? 1,
    elapsedMs: row.elapsedMs ?? 0,
    blocksFinished: row.blocks ?? 0,
    interruptions: row.interruptions ?? 0,
    random: row.random ?? 0,
  });
}

const FINAL: RetryDecision = { retry: false, reason: 'final' };
const EXHAUSTED: RetryDecision = { retry: false, reason: 'exhausted' };
const INTERRUPTED: RetryDecision = { retry: false, reason: 'interrupted' };
const after = (delayMs: number): RetryDecision => ({ retry: true, delayMs });

suite('the retry policy', () => {
  const never: readonly Row['failure'][] = [
    { kind: 'no-key' },
    { kind: 'authentication', status: 401 },
    { kind: 'billing', status: 402 },
    { kind: 'permission', status: 403 },
    { kind: 'not-found', status: 404 },
    { kind: 'not-found', status: 501 },
    { kind: 'too-large', status: 413 },
    { kind: 'invalid-request', status: 400 },
    { kind: 'invalid-request', status: 422 },
    { kind: 'spend-limit', status: 429, retryAfterMs: 1_000 },
    { kind: 'spend-limit', status: 429, shouldRetry: true },
    { kind: 'billing', status: 402, shouldRetry: true },
    { kind: 'no-key', shouldRetry: true },
    { kind: 'protocol' },
    { kind: 'unknown' },
    { kind: 'unknown', status: 418 },
    { kind: 'server', status: 500, shouldRetry: false },
    { kind: 'rate-limit', status: 429, retryAfterMs: 1_000, shouldRetry: false },
    { kind: 'connection', code: 'CERT_HAS_EXPIRED' },
    { kind: 'connection', code: 'SELF_SIGNED_CERT_IN_CHAIN' },
    { kind: 'connection', code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
  ];
  for (const failure of never) {
    test(`never repeats ${JSON.stringify(failure)} [C90,C88]`, () =>
      assert.deepStrictEqual(decide({ failure }), FINAL));
  }

  const twice: readonly Row['failure'][] = [
    { kind: 'connection', code: 'ECONNREFUSED' },
    { kind: 'connection', code: 'ENOTFOUND' },
    { kind: 'timeout' },
    { kind: 'timeout', status: 408 },
    { kind: 'timeout', status: 504 },
    { kind: 'server', status: 409 },
    { kind: 'server', status: 500 },
    { kind: 'server', status: 503 },
    { kind: 'server', type: 'api_error' },
    { kind: 'stream' },
    { kind: 'unknown', status: 409 },
    { kind: 'unknown', status: 599 },
    { kind: 'invalid-request', status: 400, shouldRetry: true },
  ];
  for (const failure of twice) {
    test(`repeats ${JSON.stringify(failure)} twice, after 0.5 s and 1 s [C88]`, () => {
      const decisions = [1, 2, 3].map((attempt) => decide({ failure, attempt }));
      assert.deepStrictEqual(decisions, [after(500), after(1_000), EXHAUSTED]);
    });
  }

  const crowded: readonly Row['failure'][] = [
    { kind: 'overloaded', status: 529 },
    { kind: 'overloaded', type: 'overloaded_error' },
    { kind: 'rate-limit', status: 429 },
  ];
  for (const failure of crowded) {
    test(`repeats ${JSON.stringify(failure)} four times, backing off further [C94]`, () => {
      const decisions = [1, 2, 3, 4, 5].map((attempt) => decide({ failure, attempt }));
      assert.deepStrictEqual(decisions, [after(2_000), after(4_000), after(8_000), after(16_000), EXHAUSTED]);
    });
  }

  test('takes up to a quarter off its own delay, so that clients spread out', () => {
    const failure = { kind: 'overloaded', status: 529 } as const;
    assert.deepStrictEqual(decide({ failure, random: 0.5 }), after(1_750));
  });

  test('waits as long as the server asked, and never less [C89,M5]', () => {
    const failure = { kind: 'rate-limit', status: 429, retryAfterMs: 37_000 } as const;
    assert.deepStrictEqual(decide({ failure }), after(37_000));
    assert.deepStrictEqual(decide({ failure, random: 0.999 }), after(37_999));
  });

  test('waits half a second at least, whatever the server asks [XN9]', () => {
    assert.deepStrictEqual(decide({ failure: { kind: 'server', status: 500, retryAfterMs: 1 } }), after(500));
  });

  test('does not wait longer than ten minutes but says for how long the server asked [XN9]', () => {
    const failure = { kind: 'rate-limit', status: 429, retryAfterMs: LONGEST_WAIT_MS } as const;
    assert.deepStrictEqual(decide({ failure }), after(600_000));
    assert.deepStrictEqual(decide({ failure: { ...failure, retryAfterMs: LONGEST_WAIT_MS + 1 } }), {
      retry: false,
      reason: 'wait-too-long',
      retryAfterMs: 600_001,
    });
    assert.deepStrictEqual(decide({ failure: { ...failure, retryAfterMs: 99_999_999_000 } }), {
      retry: false,
      reason: 'wait-too-long',
      retryAfterMs: 99_999_999_000,
    });
  });

  test('repeats a stream that was cut after a finished block once, then leaves it to the user [XA3]', () => {
    for (const kind of ['stream', 'timeout', 'overloaded', 'server'] as const) {
      const cut = { failure: { kind }, blocks: 1 };
      assert.equal(decide(cut).retry, true, kind);
      assert.deepStrictEqual(decide({ ...cut, attempt: 2, interruptions: 1 }), INTERRUPTED, kind);
    }
  });

  test('repeats a stream that was cut after a finished block even where cuts before one had used up the retries [XA3]', () => {
    const failure = { kind: 'stream' } as const;
    assert.deepStrictEqual(decide({ failure, attempt: 3 }), EXHAUSTED);
    assert.deepStrictEqual(decide({ failure, attempt: 3, blocks: 1 }), after(2_000));
    assert.deepStrictEqual(decide({ failure, attempt: 4, blocks: 1, interruptions: 1 }), INTERRUPTED);
    assert.deepStrictEqual(decide({ failure, attempt: 4, interruptions: 1 }), EXHAUSTED);
  });

  test('gives up after twenty minutes in all', () => {
    const failure = { kind: 'rate-limit', status: 429, retryAfterMs: 500_000 } as const;
    assert.equal(decide({ failure, attempt: 2, elapsedMs: 600_000 }).retry, true);
    assert.deepStrictEqual(decide({ failure, attempt: 3, elapsedMs: 1_100_000 }), EXHAUSTED);
  });

  test('ends, and is never earlier than asked (property) [C89]', () => {
    const failures = fc.record({
      kind: fc.constantFrom<ApiFailureKind>('connection', 'timeout', 'server', 'overloaded', 'rate-limit', 'stream'),
      retryAfterMs: fc.integer({ min: 1, max: 700_000 }),
      shouldRetry: fc.boolean(),
    });
    fc.assert(
      fc.property(
        failures,
        fc.nat({ max: 3 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failure, blocks, random) => {
          let elapsedMs = 0;
          for (let attempt = 1; attempt < 10; attempt++) {
            const interruptions = blocks > 0 ? attempt - 1 : 0;
            const decision = decide({ failure, attempt, blocks, interruptions, random, elapsedMs });
            if (!decision.retry) return;
            assert.ok(decision.delayMs >= Math.max(500, failure.retryAfterMs));
            elapsedMs += decision.delayMs;
          }
          assert.fail('it never ended');
        },
      ),
    );
  });
});
