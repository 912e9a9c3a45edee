import { PICO_PER_CONTAINER_HOUR, PICO_PER_SEARCH, priceOf, type OwnPrices, type Price } from './prices.ts';
import type { AnswerUsage, Buckets, UsagePart } from './usage.ts';

/** Whole nanodollars (1e-9 USD); undefined where a price is not known. Sums of whole numbers do not drift. */
export type Nano = number | undefined;

export interface Pricing {
  readonly own: OwnPrices;
  /** The answer came from Anthropic itself. */
  readonly listed: boolean;
}

const PICO_PER_NANO = 1_000;
const MS_PER_HOUR = 3_600_000;
const LEAST_CONTAINER_MS = 5 * 60_000;

/** What an answer cost: rounded once, half up. One part without a price makes the whole unknown. */
export function costOf(usage: AnswerUsage, pricing: Pricing): Nano {
  let pico = 0;
  for (const part of usage.parts) {
    const price = priceOf(part, { ...pricing, fast: usage.fast && part.kind === 'message' });
    if (price === undefined) return undefined;
    pico += tokensAt(part.buckets, price, usage);
  }
  // Who searches elsewhere pays what is asked there.
  if (usage.webSearches > 0 && !pricing.listed) return undefined;
  return toNano(pico + usage.webSearches * PICO_PER_SEARCH);
}

/** Cost of tokens that are foreseen, at a model's ordinary price. */
export function costOfTokens(part: UsagePart, pricing: Pricing): Nano {
  const price = priceOf(part, { ...pricing, fast: false });
  return price === undefined ? undefined : toNano(tokensAt(part.buckets, price, { batch: false, inUs: false }));
}

/** An unknown amount makes the sum unknown. */
export function addNano(a: Nano, b: Nano): Nano {
  return a === undefined || b === undefined ? undefined : a + b;
}

/**
 * What a container costs at most: its time by our own clock, five minutes at least. An estimate: the API does not say
 * how long it ran, nor how much of the month's free hours is left.
 */
export function containerCost(ms: number): number {
  const billed = Math.max(LEAST_CONTAINER_MS, Math.ceil(ms));
  return toNano(Math.round((billed * PICO_PER_CONTAINER_HOUR) / MS_PER_HOUR));
}

/** In picodollars. Batches cost half, and inference in the US a tenth more. */
function tokensAt(buckets: Buckets, price: Price, { batch, inUs }: Pick<AnswerUsage, 'batch' | 'inUs'>): number {
  const { input, write5m, write1h, cacheRead, output } = buckets;
  const pico =
    input * price.input +
    write5m * price.write5m +
    write1h * price.write1h +
    cacheRead * price.cacheRead +
    output * price.output;
  return share(share(pico, batch ? [1, 2] : [1, 1]), inUs ? [11, 10] : [1, 1]);
}

function share(pico: number, [times, of]: readonly [number, number]): number {
  return Math.round((pico * times) / of);
}

function toNano(pico: number): number {
  return Math.floor((pico + PICO_PER_NANO / 2) / PICO_PER_NANO);
}
