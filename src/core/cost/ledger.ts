import type { Compacted } from '../session/contextEntries.ts';
import type { LogEntry } from '../session/entries.ts';
import type { Usage } from '../session/entryBase.ts';
import { cacheUse, missReason, type CacheUse, type Request } from './cache.ts';
import type { CacheMiss } from '../../protocol/usage.ts';
import { createContainerTime } from './containers.ts';
import { costOf } from './cost.ts';
import type { OwnPrices } from './prices.ts';
import { addSpend, NOTHING_SPENT, type Spend } from './spend.ts';
import { addBuckets, NO_TOKENS, readUsage, type AnswerUsage } from './usage.ts';
import { tokensOf, weigh } from './weight.ts';

/** The caps that the user raised for this session, by kind. */
export type RaisedCaps = Readonly<Partial<Record<'cost' | 'requests' | 'tokens', number>>>;

/** The account of one session, kept up entry by entry. */
export interface Ledger {
  take(entry: LogEntry): void;
  readonly session: Spend;
  /** Of the turn that runs, or else of the last one. */
  readonly turn: Spend;
  /** Every turn in order; what was asked outside of turns is one, too. */
  readonly turns: readonly Spend[];
  /** The newest finished answer. */
  readonly last: LastAnswer | undefined;
  readonly cache: CacheUse;
  readonly context: ContextSize;
  /** Tokens that were added since the last answer: messages and results, estimated by size. */
  readonly added: number;
  readonly container: { readonly ms: number; readonly nano: number };
  readonly raised: RaisedCaps;
}

/** What the next request begins with, without what was added since. The same object until it changes. */
export interface ContextSize {
  readonly tokens: number;
  /** After a summary: the API has not counted it yet. */
  readonly estimated: boolean;
  /** So much of it the cache has, for as long as it lives. Tokens. */
  readonly cached: number;
}

export interface LastAnswer {
  readonly model: string;
  readonly usage: AnswerUsage;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly cache: CacheUse;
  readonly miss: CacheMiss | undefined;
  readonly apiMessageId: string | undefined;
}

export function createLedger(prices: OwnPrices): Ledger {
  return new SessionLedger(prices);
}

class SessionLedger implements Ledger {
  readonly #prices: OwnPrices;
  readonly #containers = createContainerTime();
  readonly #turns: Spend[] = [];
  #session = NOTHING_SPENT;
  #cache: CacheUse = { read: 0, prompt: 0 };
  #raised: RaisedCaps = {};
  #last: LastAnswer | undefined;
  #request: Request | undefined;
  #added = 0;
  /** Weight of the epoch's system prompt and tools. */
  #fixed = 0;
  #context: ContextSize = { tokens: 0, estimated: false, cached: 0 };
  #inTurn = false;
  #epochs = 0;
  #model = '';
  /** Of the newest entry that is no block of an answer: a request is sent right after it. */
  #lastAt = 0;
  /** The answer that was counted last: a refusal is finished first and discarded then. */
  #counted = '';

  constructor(prices: OwnPrices) {
    this.#prices = prices;
  }

  get session(): Spend {
    return this.#session;
  }

  get turn(): Spend {
    return this.#turns.at(-1) ?? NOTHING_SPENT;
  }

  get turns(): readonly Spend[] {
    return this.#turns;
  }

  get last(): LastAnswer | undefined {
    return this.#last;
  }

  get cache(): CacheUse {
    return this.#cache;
  }

  get context(): ContextSize {
    return this.#context;
  }

  get added(): number {
    return tokensOf(this.#added);
  }

  get container(): Ledger['container'] {
    return { ms: this.#containers.ms, nano: this.#containers.nano };
  }

  get raised(): RaisedCaps {
    return this.#raised;
  }

  take(entry: LogEntry): void {
    this.#containers.take(entry);
    switch (entry.type) {
      case 'epochStarted':
        this.#epochs += 1;
        this.#model = entry.model;
        this.#fixed = weigh(entry.system) + weigh(entry.tools);
        break;
      case 'turnStarted':
        this.#turns.push(NOTHING_SPENT);
        this.#inTurn = true;
        break;
      case 'turnEnded':
        this.#inTurn = false;
        break;
      case 'messageFinished':
        this.#count(entry, false);
        if (entry.usage !== undefined) this.#finished(entry, readUsage(entry.usage, entry.model));
        break;
      case 'messageInterrupted':
      case 'messageDiscarded':
        if (entry.messageId !== this.#counted) this.#count(entry, true);
        break;
      case 'userMessage':
      case 'contextNoted':
      case 'toolFinished':
        this.#added += weigh(entry.content);
        break;
      case 'requestFailed':
        if (entry.usage !== undefined) this.#count(entry, true);
        break;
      case 'compacted':
        this.#count({ ...entry, messageId: entry.id }, false);
        this.#summarised(entry);
        break;
      case 'asideAsked':
        this.#count({ ...entry, messageId: entry.id }, entry.unfinished === true);
        break;
      case 'budgetRaised':
        this.#raised = { ...this.#raised, [entry.cap]: entry.to };
        break;
      default:
        break;
    }
    if (entry.type !== 'assistantBlock') this.#lastAt = Date.parse(entry.at);
  }

  #count(entry: Use, lowerBound: boolean): void {
    this.#counted = entry.messageId;
    const usage = readUsage(entry.usage, entry.model ?? this.#model);
    const pricing = { own: this.#prices, listed: entry.elsewhere !== true };
    this.#add({
      nano: costOf(usage, pricing),
      requests: 1,
      buckets: usage.parts.reduce((sum, part) => addBuckets(sum, part.buckets), NO_TOKENS),
      webSearches: usage.webSearches,
      lowerBound: lowerBound || entry.usage === undefined,
    });
  }

  #add(spend: Spend): void {
    if (!this.#inTurn) this.#turns.push(NOTHING_SPENT);
    const at = this.#turns.length - 1;
    this.#turns[at] = addSpend(this.#turns[at] ?? NOTHING_SPENT, spend);
    this.#session = addSpend(this.#session, spend);
  }

  #finished(entry: Extract<LogEntry, { type: 'messageFinished' }>, usage: AnswerUsage): void {
    const { model, apiMessageId, diagnostics } = entry;
    const request: Request = { usage, at: this.#lastAt, epoch: this.#epochs, diagnostics };
    const cache = cacheUse(usage);
    this.#added = 0;
    this.#cache = { read: this.#cache.read + cache.read, prompt: this.#cache.prompt + cache.prompt };
    const miss = missReason(this.#request, request);
    this.#last = { model, usage, sentAt: this.#lastAt, cache, miss, apiMessageId };
    this.#context = { tokens: usage.context, estimated: false, cached: cache.prompt };
    this.#request = request;
  }

  /** The next request reads the summary anew; that is no miss. What was said after it still counts as added. */
  #summarised({ content, kept = 0 }: Compacted): void {
    if (kept === 0) this.#added = 0;
    const tokens = tokensOf(this.#fixed + weigh(content));
    this.#context = { tokens, estimated: true, cached: tokensOf(this.#fixed) };
    this.#request = undefined;
  }
}

interface Use {
  readonly messageId: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly elsewhere?: true;
}
