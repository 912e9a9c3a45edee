import { isObject, stringAt } from '../base/json.ts';
import type { CacheMiss } from '../../protocol/usage.ts';
import { promptTokens, type AnswerUsage, type Buckets } from './usage.ts';

/** Tokens of the prompt, and those of them that came from the cache. */
export interface CacheUse {
  readonly read: number;
  readonly prompt: number;
}

export interface Request {
  readonly usage: AnswerUsage;
  /** When it was sent: the lifetime of what it cached counts from there. Epoch milliseconds. */
  readonly at: number;
  /** Counts the epochs. */
  readonly epoch: number;
  readonly diagnostics?: unknown;
}

/** What a breakpoint of ours lives, in milliseconds. */
export const CACHE_MS = 5 * 60_000;
/** Shorter prompts are not cached by any model that there is. Tokens. */
const LEAST_CACHED = 4_096;

const REASONS: Readonly<Record<string, CacheMiss>> = {
  model_changed: 'model',
  system_changed: 'system',
  tools_changed: 'tools',
  messages_changed: 'messages',
  previous_message_not_found: 'tooOld',
  unavailable: 'unavailable',
};

export function cacheUse(usage: AnswerUsage): CacheUse {
  const { buckets } = mainPart(usage);
  return { read: buckets.cacheRead, prompt: promptTokens(buckets) };
}

/**
 * Why the cache was missed; undefined where it was not. A miss is a request that read less than half of what the one
 * before it had sent. What the API says comes first, a reason of null as `pending` and never as a hit (rule "cache
 * diagnostics"); then what this side knows.
 */
export function missReason(before: Request | undefined, now: Request): CacheMiss | undefined {
  const said = reasonSaid(now.diagnostics);
  if (said !== undefined && said !== 'pending') return said;
  if (before === undefined) return undefined;
  const sent = cacheUse(before.usage).prompt;
  if (sent < LEAST_CACHED || cacheUse(now.usage).read * 2 >= sent) return undefined;
  if (before.epoch !== now.epoch) return 'epoch';
  if (now.at - before.at > CACHE_MS) return 'pause';
  return said ?? 'unknown';
}

function reasonSaid(diagnostics: unknown): CacheMiss | undefined {
  if (!isObject(diagnostics) || !('cache_miss_reason' in diagnostics)) return undefined;
  const reason = diagnostics['cache_miss_reason'];
  if (reason === null) return 'pending';
  return REASONS[stringAt(reason, 'type') ?? (typeof reason === 'string' ? reason : '')] ?? 'unknown';
}

/** The first sampling of the answer: what comes after it within one request reads what the first one wrote. */
function mainPart({ parts }: AnswerUsage): { readonly buckets: Buckets } {
  return parts.find(({ kind }) => kind === 'message') ?? (parts[0] as { readonly buckets: Buckets });
}
