/** What the context is made of. */
export type ContextKind = 'tools' | 'system' | 'files' | 'results' | 'conversation';

/** Why the last request missed the cache. */
export type CacheMiss =
  'pending' | 'model' | 'system' | 'tools' | 'messages' | 'tooOld' | 'unavailable' | 'epoch' | 'pause' | 'unknown';

/** Tokens in buckets that do not overlap, and what they cost. */
export interface SpendView {
  /** Nanodollars (1e-9 USD), whole; null where the price is not known. */
  readonly nano: number | null;
  /** At least this: an answer ended early. */
  readonly atLeast: boolean;
  readonly requests: number;
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  /** With `thinking`. */
  readonly output: number;
  readonly thinking: number;
}

/** What the message in the composer would cost, if it were sent now. */
export interface ForecastView {
  /** Input tokens. */
  readonly tokens: number;
  /** Nanodollars, with an answer as long as those so far; null where the price is not known. */
  readonly nano: number | null;
  /** The API counted the tokens; otherwise they are estimated. */
  readonly counted: boolean;
}

/** What the session has used so far, and what its context holds. */
export interface UsageView {
  /** An estimate by size, scaled to the context's real tokens; empty before the first answer. */
  readonly context: readonly { readonly kind: ContextKind; readonly tokens: number }[];
  /** A summary made the context small, and no answer has told its real size yet. */
  readonly estimated: boolean;
  readonly turn: SpendView;
  /** With what the containers may have cost. */
  readonly session: SpendView;
  /** Estimated by our own clock, and the most that it can cost. */
  readonly container: { readonly ms: number; readonly nano: number } | null;
  /** Share of the input that came from the cache, in percent; null before the first answer. */
  readonly cacheLast: number | null;
  readonly cacheSession: number | null;
  readonly cacheMiss: CacheMiss | null;
  readonly forecast: ForecastView | null;
}
