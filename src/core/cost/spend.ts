import { addNano, type Nano } from './cost.ts';
import { addBuckets, NO_TOKENS, type Buckets } from './usage.ts';

/** What a turn or a session has used. */
export interface Spend {
  /** Without the time of containers, which is only estimated. */
  readonly nano: Nano;
  /** Answers that began. */
  readonly requests: number;
  readonly buckets: Buckets;
  readonly webSearches: number;
  /** An answer ended early: its counters were not final, so that this is the least it was. */
  readonly lowerBound: boolean;
}

export const NOTHING_SPENT: Spend = { nano: 0, requests: 0, buckets: NO_TOKENS, webSearches: 0, lowerBound: false };

export function addSpend(a: Spend, b: Spend): Spend {
  return {
    nano: addNano(a.nano, b.nano),
    requests: a.requests + b.requests,
    buckets: addBuckets(a.buckets, b.buckets),
    webSearches: a.webSearches + b.webSearches,
    lowerBound: a.lowerBound || b.lowerBound,
  };
}
