import type { UsagePart } from './usage.ts';
import { promptTokens } from './usage.ts';

/** Prices of one model, in picodollars (1e-12 USD) per token, so that every list price and share of it is a whole number. */
export interface Price {
  readonly input: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** A price as people write it: USD per million tokens. What is left out follows from `input`. */
export interface PriceSetting {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  readonly cacheRead?: number;
}

/** Model id (or its beginning, up to a dash) → price, as the user set it. Wins over the table, at every address. */
export type OwnPrices = Readonly<Record<string, PriceSetting>>;

interface Tier {
  /** Applies to prompts of up to so many tokens, the cached ones included. */
  readonly upTo: number;
  readonly price: Price;
  /** Where the model has a fast mode. */
  readonly fast?: Price;
}

const PICO_PER_DOLLAR_PER_MILLION = 1_000_000;

/**
 * List prices in USD per million tokens: input, cache write for 5 minutes, for an hour, cache read, output; then input
 * and output in fast mode. As of 30 November 2026, from Anthropic's pricing page ("Model pricing", "Prompt caching",
 * "Fast mode"); what that page did not show then follows its rules: a write costs 1.25 (5 minutes) or 2 (an hour) times
 * the input.
 */
const TABLE: Readonly<Record<string, readonly Tier[]>> = {
  'claude-fable-5-2': flat(8, 10, 16, 0.2, 40),
  'claude-mythos-5-2': flat(8, 10, 16, 0.2, 40),
  'claude-fable-5-1': flat(10, 12.5, 20, 0.25, 50),
  'claude-mythos-5-1': flat(10, 12.5, 20, 0.25, 50),
  'claude-fable-5': flat(10, 12.5, 20, 1, 50),
  'claude-mythos-5': flat(10, 12.5, 20, 1, 50),
  'claude-opus-5-5': withFast(flat(4, 5, 8, 0.2, 20), 8, 40),
  'claude-opus-5': withFast(flat(5, 6.25, 10, 0.5, 25), 10, 50),
  'claude-opus-4-8': withFast(flat(5, 6.25, 10, 0.5, 25), 10, 50),
  'claude-opus-4-7': flat(5, 6.25, 10, 0.5, 25),
  'claude-opus-4-6': flat(5, 6.25, 10, 0.5, 25),
  'claude-opus-4-5': flat(5, 6.25, 10, 0.5, 25),
  'claude-sonnet-5-5': flat(2, 2.5, 4, 0.1, 10),
  'claude-sonnet-5': flat(2, 2.5, 4, 0.2, 10),
  'claude-sonnet-4-6': flat(3, 3.75, 6, 0.3, 15),
  'claude-sonnet-4-5': flat(3, 3.75, 6, 0.3, 15),
  'claude-haiku-5-5': [
    { upTo: 100_000, price: perToken([0.1, 0.125, 0.2, 0.01, 0.5]) },
    { upTo: Infinity, price: perToken([0.5, 0.625, 1, 0.05, 2.5]) },
  ],
  'claude-haiku-4-5': flat(1, 1.25, 2, 0.1, 5),
};

/** Of the same page: USD 10 per 1,000 web searches, USD 0.05 per hour of a container and at least five minutes of it. */
export const PICO_PER_SEARCH = 10_000_000_000;
export const PICO_PER_CONTAINER_HOUR = 50_000_000_000;

export interface PriceQuestion {
  readonly own: OwnPrices;
  /** The answer came from Anthropic itself: its list prices apply. */
  readonly listed: boolean;
  readonly fast: boolean;
}

/** The price of a part of an answer; undefined where it is not known, and then nothing is guessed. */
export function priceOf(part: UsagePart, question: PriceQuestion): Price | undefined {
  const own = find(question.own, part.model);
  if (own !== undefined) return ownPrice(own);
  const tiers = question.listed ? find(TABLE, part.model) : undefined;
  const tier = tiers?.find(({ upTo }) => promptTokens(part.buckets) <= upTo);
  return question.fast ? tier?.fast : tier?.price;
}

/** An id may end in the date of its release: `claude-opus-4-5-20251101`. */
function find<T>(table: Readonly<Record<string, T>>, model: string): T | undefined {
  const bare = model.replace(/-\d{8}$/, '');
  const name = [model, bare].find((known) => Object.hasOwn(table, known));
  return name === undefined ? undefined : table[name];
}

function ownPrice(price: PriceSetting): Price {
  const { input, output, cacheWrite5m = input * 1.25, cacheWrite1h = input * 2, cacheRead = input / 10 } = price;
  return perToken([input, cacheWrite5m, cacheWrite1h, cacheRead, output]);
}

function flat(...dollars: Dollars): readonly Tier[] {
  return [{ upTo: Infinity, price: perToken(dollars) }];
}

/** In fast mode the shares of cache reads and writes are those of the ordinary price. */
function withFast(tiers: readonly Tier[], input: number, output: number): readonly Tier[] {
  return tiers.map((tier) => {
    const times = (input * PICO_PER_DOLLAR_PER_MILLION) / tier.price.input;
    const scaled = (pico: number): number => Math.round(pico * times);
    const { write5m, write1h, cacheRead } = tier.price;
    const fast = {
      ...perToken([input, 0, 0, 0, output]),
      ...{ write5m: scaled(write5m), write1h: scaled(write1h), cacheRead: scaled(cacheRead) },
    };
    return { ...tier, fast };
  });
}

type Dollars = readonly [input: number, write5m: number, write1h: number, cacheRead: number, output: number];

function perToken([input, write5m, write1h, cacheRead, output]: Dollars): Price {
  const pico = (dollars: number): number => Math.round(dollars * PICO_PER_DOLLAR_PER_MILLION);
  return {
    input: pico(input),
    write5m: pico(write5m),
    write1h: pico(write1h),
    cacheRead: pico(cacheRead),
    output: pico(output),
  };
}
