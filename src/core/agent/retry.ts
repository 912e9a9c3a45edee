import type { ApiFailure, ApiFailureKind } from '../errors.ts';
import { LONGEST_WAIT_MS } from '../session/notices.ts';

export interface RetryQuestion {
  readonly failure: ApiFailure;
  /** Attempts made so far for this request, this failed one included: 1 after the first. */
  readonly attempt: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  /** Content blocks of the failed attempt that were complete, and so were shown and logged. */
  readonly blocksFinished: number;
  /** Earlier attempts of this request that were cut after a block had finished. */
  readonly interruptions: number;
  /** In [0, 1): spreads the clients out. */
  readonly random: number;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  /**
   * `final`: trying again can't help. `exhausted`: it was tried as often as is right. `interrupted`: part of an answer is
   * there already, and it was repeated once. `wait-too-long`: the server asks for `retryAfterMs`, more than this loop waits.
   */
  | { readonly retry: false; readonly reason: 'final' | 'exhausted' | 'interrupted' }
  | { readonly retry: false; readonly reason: 'wait-too-long'; readonly retryAfterMs: number };

/** All waiting and trying of one request together. */
const MAX_ELAPSED_MS = 20 * 60_000;
const MIN_DELAY_MS = 500;

interface Backoff {
  readonly retries: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

const ORDINARY: Backoff = { retries: 2, baseMs: 500, maxMs: 8_000 };
/** Overload and rate limits pass with time, so they get more of it. */
const CROWDED: Backoff = { retries: 4, baseMs: 2_000, maxMs: 30_000 };

const BACKOFF_BY_KIND: Readonly<Partial<Record<ApiFailureKind, Backoff>>> = {
  connection: ORDINARY,
  timeout: ORDINARY,
  stream: ORDINARY,
  server: ORDINARY,
  overloaded: CROWDED,
  'rate-limit': CROWDED,
};

/** Not even `x-should-retry` repeats these: there is nothing to send, or the user's money is at its limit. */
const NEVER: ReadonlySet<ApiFailureKind> = new Set(['no-key', 'spend-limit', 'billing', 'protocol']);
const BROKEN_CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/;

/**
 * The one retry policy. Pure: the loop waits (cancellably) and counts. A delay is never shorter than the server asked
 * for and never under half a second.
 */
export function decideRetry(question: RetryQuestion): RetryDecision {
  const { failure, elapsedMs, random } = question;
  const backoff = backoffFor(failure);
  if (!backoff) return { retry: false, reason: 'final' };
  const spent = spentRetries(question, backoff);
  if (spent) return { retry: false, reason: spent };
  const asked = failure.retryAfterMs ?? 0;
  if (asked > LONGEST_WAIT_MS) return { retry: false, reason: 'wait-too-long', retryAfterMs: asked };
  const delayMs = Math.ceil(asked > 0 ? askedDelay(asked, random) : ownDelay(backoff, question.attempt - 1, random));
  if (elapsedMs + delayMs > MAX_ELAPSED_MS) return { retry: false, reason: 'exhausted' };
  return { retry: true, delayMs };
}

/** What was shown is repeated once, however often the request failed before anything was shown. */
function spentRetries(question: RetryQuestion, backoff: Backoff): 'interrupted' | 'exhausted' | undefined {
  const { attempt, blocksFinished, interruptions } = question;
  if (blocksFinished > 0) return interruptions > 0 ? 'interrupted' : undefined;
  return attempt > backoff.retries ? 'exhausted' : undefined;
}

function backoffFor(failure: ApiFailure): Backoff | undefined {
  if (NEVER.has(failure.kind)) return undefined;
  if (failure.shouldRetry === false) return undefined;
  if (failure.kind === 'connection' && BROKEN_CERTIFICATE.test(failure.code ?? '')) return undefined;
  const byKind = BACKOFF_BY_KIND[failure.kind];
  if (byKind) return byKind;
  const temporary = failure.kind === 'unknown' && isTemporary(failure.status);
  return failure.shouldRetry === true || temporary ? ORDINARY : undefined;
}

function isTemporary(status: number | undefined): boolean {
  return status !== undefined && (status === 408 || status === 409 || status === 429 || status >= 500);
}

/** Jitter only ever adds: earlier than asked is never right. */
function askedDelay(askedMs: number, random: number): number {
  return Math.max(MIN_DELAY_MS, askedMs) + random * Math.min(1_000, askedMs * 0.1);
}

/** Doubles per retry, up to the maximum, less at most a quarter. */
function ownDelay(backoff: Backoff, retries: number, random: number): number {
  const full = Math.min(backoff.maxMs, backoff.baseMs * 2 ** retries);
  return Math.max(MIN_DELAY_MS, full * (1 - random * 0.25));
}
