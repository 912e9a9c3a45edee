import type { Forecast } from './forecast.ts';
import type { RaisedCaps } from './ledger.ts';
import type { Spend } from './spend.ts';
import { allTokens } from './usage.ts';

export type Cap = 'cost' | 'requests' | 'tokens';

/** Caps of one session: US dollars, requests, tokens. 0 is none. */
export type Budget = Readonly<Record<Cap, number>>;

export const NO_BUDGET: Budget = { cost: 0, requests: 0, tokens: 0 };
/** A raised cap that nothing passes. It survives JSON, as Infinity would not. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A cap that the next request would pass. */
export interface Passed {
  readonly cap: Cap;
  /** The cap as it stands. */
  readonly limit: number;
  /** What the session would have used after the next request; undefined where the cost is not known. */
  readonly after: number | undefined;
  /** What it would be raised to: as much again as is needed, in steps of the setting. */
  readonly raiseTo: number;
}

const NANO = 1_000_000_000;

/** The first cap that the next request would pass; undefined where it stays within all. */
export function passedCap(budget: Budget, raised: RaisedCaps, spent: Spend, next: Forecast): Passed | undefined {
  const nano = spent.nano === undefined || next.nano === undefined ? undefined : spent.nano + next.nano;
  const after: Readonly<Record<Cap, number | undefined>> = {
    requests: spent.requests + 1,
    tokens: allTokens(spent.buckets) + next.prompt + next.output,
    cost: nano === undefined ? undefined : nano / NANO,
  };
  return (['cost', 'tokens', 'requests'] as const)
    .map((cap) => check(cap, budget[cap], raised[cap] ?? 0, after[cap]))
    .find((passed) => passed !== undefined);
}

function check(cap: Cap, setting: number, raised: number, after: number | undefined): Passed | undefined {
  if (setting <= 0) return undefined;
  const limit = Math.max(setting, raised);
  if (after === undefined) return limit >= NO_LIMIT ? undefined : { cap, limit, after, raiseTo: NO_LIMIT };
  if (after <= limit) return undefined;
  return { cap, limit, after, raiseTo: setting * (Math.floor(after / setting) + 1) };
}
