import type { MessageDeltaUsage, Usage } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Chain, ChainItem } from './chain.ts';
import { asArray, isObject } from './json.ts';
import type { Json } from './json.ts';

const minimumTokens = 512;
const lookbackBlocks = 20;
const maxEntries = 5_000;

export interface PromptUsage {
  readonly input: number;
  readonly read: number;
  readonly created: number;
}

/** Remembers which prefixes were written to the cache, as the API does: by breakpoint, with a lifetime, looking back. */
export class PromptCache {
  /** Expiry in epoch milliseconds by chain hash. */
  readonly #entries = new Map<string, number>();

  /** Tokens of this request by kind; its breakpoints become readable for the next one. */
  measure(body: Json, chain: Chain, now: number): PromptUsage {
    const marks = breakpoints(body, chain);
    let read = 0;
    for (const mark of marks) read = Math.max(read, this.#longestHit(chain, mark, now));
    const lastMark = marks.at(-1);
    const upTo = lastMark === undefined ? 0 : tokensUpTo(chain, lastMark);
    if (upTo < minimumTokens) return { input: chain.tokens, read: 0, created: 0 };
    for (const mark of marks) this.#write(chain.items[mark], now);
    return { input: chain.tokens - Math.max(upTo, read), read, created: Math.max(0, upTo - read) };
  }

  #longestHit(chain: Chain, mark: number, now: number): number {
    for (let index = mark; index >= Math.max(0, mark - lookbackBlocks); index -= 1) {
      const expiry = this.#entries.get(chain.items[index]?.after ?? '');
      if (expiry !== undefined && expiry > now) return tokensUpTo(chain, index);
    }
    return 0;
  }

  #write(item: ChainItem | undefined, now: number): void {
    if (!item) return;
    const control = item.value['cache_control'];
    const hour = isObject(control) && control['ttl'] === '1h';
    if (this.#entries.size >= maxEntries) this.#entries.delete(this.#entries.keys().next().value ?? '');
    this.#entries.set(item.after, now + (hour ? 3_600_000 : 300_000));
  }
}

/** The counters of `message_start`. */
export function startUsage(prompt: PromptUsage): Usage {
  return {
    input_tokens: prompt.input,
    cache_read_input_tokens: prompt.read,
    cache_creation_input_tokens: prompt.created,
    cache_creation: { ephemeral_5m_input_tokens: prompt.created, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard',
    speed: 'standard',
    inference_geo: null,
  } satisfies Usage;
}

/** The cumulative counters of `message_delta`. */
export function finalUsage(prompt: PromptUsage, output: number, thinking: number): MessageDeltaUsage {
  return {
    input_tokens: prompt.input,
    cache_read_input_tokens: prompt.read,
    cache_creation_input_tokens: prompt.created,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: thinking },
    server_tool_use: null,
  } satisfies MessageDeltaUsage;
}

function breakpoints(body: Json, chain: Chain): readonly number[] {
  const marks = chain.items.flatMap((item, index) => (isMarked(item.value) ? [index] : []));
  if (isObject(body['cache_control']) && chain.items.length > 0) marks.push(chain.items.length - 1);
  return marks;
}

function isMarked(value: Json): boolean {
  if (isObject(value['cache_control'])) return true;
  return asArray(value['content']).some((item) => isObject(item) && isObject(item['cache_control']));
}

function tokensUpTo(chain: Chain, index: number): number {
  return chain.items.slice(0, index + 1).reduce((sum, item) => sum + item.tokens, 0);
}
