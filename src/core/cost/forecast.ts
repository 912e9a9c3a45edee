import { CACHE_MS } from './cache.ts';
import { costOfTokens, type Nano, type Pricing } from './cost.ts';
import type { Ledger } from './ledger.ts';
import { NO_TOKENS, promptTokens } from './usage.ts';

/** What the next request is likely to use. */
export interface Forecast {
  /** Input tokens, cached ones included. */
  readonly prompt: number;
  /** As long as the answers so far were on average. */
  readonly output: number;
  readonly nano: Nano;
}

export interface ForecastQuestion {
  readonly ledger: Ledger;
  /** The model that is going to answer. */
  readonly model: string;
  readonly pricing: Pricing;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Tokens that are added to what the log holds: what is typed. */
  readonly typed: number;
  /** The prompt as the API counted it; otherwise it is estimated from the last answer. */
  readonly counted?: number;
}

/**
 * What the next request costs if it were sent now: what the last request sent is read from the cache while that lives,
 * the rest is written to it, and the answer is as long as those before it.
 */
export function foresee({ ledger, model, pricing, now, typed, counted }: ForecastQuestion): Forecast {
  const { last, session, added, context } = ledger;
  const prompt = counted ?? context.tokens + added + typed;
  const warm = last !== undefined && last.model === model && now - last.sentAt < CACHE_MS;
  const cacheRead = warm ? Math.min(prompt, context.cached) : 0;
  const output = session.requests === 0 ? 0 : Math.ceil(session.buckets.output / session.requests);
  const buckets = { ...NO_TOKENS, cacheRead, write5m: prompt - cacheRead, output };
  return { prompt: promptTokens(buckets), output, nano: costOfTokens({ model, kind: 'message', buckets }, pricing) };
}
