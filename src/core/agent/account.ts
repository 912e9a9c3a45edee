import { createLedger, type Ledger } from '../cost/ledger.ts';
import type { OwnPrices } from '../cost/prices.ts';
import type { LogEntry } from '../session/entries.ts';
import type { ForecastView, UsageView } from '../../protocol/usage.ts';
import { createMeter } from './meter.ts';

/** What one session used, at the prices that hold now. */
export interface Account {
  take(entry: LogEntry): void;
  ledger(): Ledger;
  /** Other prices: the session is counted again from its log. */
  reprice(prices: OwnPrices): void;
  /** For the view; null where nothing was used and nothing is foreseen. */
  view(forecast: ForecastView | null): UsageView | null;
}

export function createAccount(entries: () => readonly LogEntry[]): Account {
  const meter = createMeter();
  let prices: OwnPrices = {};
  let ledger = createLedger(prices);
  return {
    take: (entry) => ledger.take(entry),
    ledger: () => ledger,
    reprice(next) {
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
