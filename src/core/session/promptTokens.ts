import type { Usage } from './entryBase.ts';

/** All that a request took in, in tokens: the three buckets are disjoint. */
export function promptTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
