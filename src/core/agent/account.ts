import { isAnthropic } from '../cost/address.ts';
import { costOfTokens } from '../cost/cost.ts';
import { createLedger, type Ledger } from '../cost/ledger.ts';
import { dollarsOf } from '../cost/money.ts';
import type { OwnPrices } from '../cost/prices.ts';
import { NO_TOKENS } from '../cost/usage.ts';
import type { LogEntry } from '../session/entries.ts';
import type { ForecastView, UsageView } from '../../protocol/usage.ts';
import type { AgentConfig } from './controllerTypes.ts';
import { createMeter } from './meter.ts';

/** What one session used, at the prices that hold now. */
export interface Account {
  take(entry: LogEntry): void;
  ledger(): Ledger;
  /** Other prices, or another address that has them: the session is counted again from its log. */
  reprice(config: Pick<AgentConfig, 'prices' | 'baseUrl'>): void;
  /** What so many tokens cost that are read without the cache, in dollars; undefined where the price is not known. */
  costToRead(model: string, tokens: number): string | undefined;
  /** For the view; null where nothing was used and nothing is foreseen. */
  view(forecast: ForecastView | null): UsageView | null;
}

export function createAccount(entries: () => readonly LogEntry[]): Account {
  const meter = createMeter();
  let prices: OwnPrices = {};
  let isListed = false;
  let ledger = createLedger(prices);
  return {
    take: (entry) => ledger.take(entry),
    ledger: () => ledger,
    costToRead(model, tokens) {
      const part = { model, kind: 'message', buckets: { ...NO_TOKENS, write5m: tokens } } as const;
      const nano = costOfTokens(part, { own: prices, listed: isListed });
      return nano === undefined ? undefined : dollarsOf(nano);
    },
    reprice({ prices: next, baseUrl }) {
      isListed = isAnthropic(baseUrl);
      if (JSON.stringify(next) === JSON.stringify(prices)) return;
      prices = next;
      ledger = createLedger(prices);
      for (const entry of entries()) ledger.take(entry);
    },
    view(forecast) {
      if (forecast === null && ledger.session.requests === 0) return null;
      return meter.view(ledger, entries, forecast);
    },
  };
}
