import { isObject, stringAt, type JsonObject } from '../base/json.ts';

/** Tokens in buckets that do not overlap: their sum without `thinking` is everything that was read and written. */
export interface Buckets {
  /** Neither read from the cache nor written to it. */
  readonly input: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly cacheRead: number;
  /** With what was thought. */
  readonly output: number;
  /** The part of `output` that was thinking; 0 where it was not said. */
  readonly thinking: number;
}

/** Tokens that one model read and wrote for an answer. */
export interface UsagePart {
  /** Whose prices apply. */
  readonly model: string;
  /** `message`: the answer itself; everything else is beside it and not in the context. */
  readonly kind: 'message' | 'fallback' | 'compaction' | 'advisor' | 'other';
  readonly buckets: Buckets;
}

/** What an answer used, in parts that are summed exactly once. */
export interface AnswerUsage {
  readonly parts: readonly UsagePart[];
  /** What the model had before it when it wrote last: the size of the conversation now. Tokens. */
  readonly context: number;
  readonly webSearches: number;
  readonly fast: boolean;
  readonly batch: boolean;
  /** `inference_geo: "us"` costs a tenth more. */
  readonly inUs: boolean;
}

export const NO_TOKENS: Buckets = { input: 0, write5m: 0, write1h: 0, cacheRead: 0, output: 0, thinking: 0 };

const KINDS: Readonly<Record<string, UsagePart['kind']>> = {
  message: 'message',
  fallback_message: 'fallback',
  compaction: 'compaction',
  advisor_message: 'advisor',
};

/**
 * Reads the API's `usage`. Where it lists `iterations` these count and the totals beside them do not: the totals leave
 * out compaction and advisors, and hold the rest a second time (Messages API, "Usage"). What is missing, null, negative
 * or no number counts as 0: gateways leave fields out.
 */
export function readUsage(usage: unknown, model: string): AnswerUsage {
  const fields = isObject(usage) ? usage : {};
  const listed = Array.isArray(fields['iterations']) ? fields['iterations'].filter(isObject) : [];
  const iterations = listed.map((item) => partOf(item, model));
  const whole: UsagePart = { model, kind: 'message', buckets: bucketsOf(fields) };
  // A list that has only what came beside the answer does not hold the answer: the totals do.
  const hasAnswer = iterations.some(({ kind }) => kind === 'message' || kind === 'fallback');
  const parts = hasAnswer ? iterations : [whole, ...iterations];
  const last = parts.findLast(({ kind }) => kind === 'message' || kind === 'fallback') ?? whole;
  const server = isObject(fields['server_tool_use']) ? fields['server_tool_use'] : {};
  return {
    parts,
    context: promptTokens(last.buckets) + last.buckets.output,
    webSearches: count(server['web_search_requests']),
    fast: fields['speed'] === 'fast',
    batch: fields['service_tier'] === 'batch',
    inUs: fields['inference_geo'] === 'us',
  };
}

/** All that was read: the three input buckets together (rule "total input"). */
export function promptTokens({ input, write5m, write1h, cacheRead }: Buckets): number {
  return input + write5m + write1h + cacheRead;
}

export function allTokens(buckets: Buckets): number {
  return promptTokens(buckets) + buckets.output;
}

export function addBuckets(a: Buckets, b: Buckets): Buckets {
  return {
    input: a.input + b.input,
    write5m: a.write5m + b.write5m,
    write1h: a.write1h + b.write1h,
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
    thinking: a.thinking + b.thinking,
  };
}

function partOf(item: JsonObject, model: string): UsagePart {
  const kind = KINDS[stringAt(item, 'type') ?? ''] ?? 'other';
  return { model: stringAt(item, 'model') || model, kind, buckets: bucketsOf(item) };
}

function bucketsOf(fields: JsonObject): Buckets {
  const written = count(fields['cache_creation_input_tokens']);
  const byAge = isObject(fields['cache_creation']) ? fields['cache_creation'] : {};
  // The total is what both lifetimes add up to; where a server says only one of the two, it counts.
  const write1h = count(byAge['ephemeral_1h_input_tokens']);
  const write5m = Math.max(written - write1h, count(byAge['ephemeral_5m_input_tokens']));
  const output = count(fields['output_tokens']);
  const details = isObject(fields['output_tokens_details']) ? fields['output_tokens_details'] : {};
  return {
    input: count(fields['input_tokens']),
    write5m,
    write1h,
    cacheRead: count(fields['cache_read_input_tokens']),
    output,
    thinking: Math.min(output, count(details['thinking_tokens'])),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
