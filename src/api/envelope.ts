import { stringAt, type JsonObject } from '../core/base/json.ts';
import type { ModelOutcome } from '../core/ports.ts';
import type { Usage } from '../core/session/entryBase.ts';

type Finished = Extract<ModelOutcome, { kind: 'finished' }>;

export type Extra = 'diagnostics' | 'contextManagement' | 'inputTransformations';

/** Fields of the envelope that are kept as they come, and what they are called here. */
export const EXTRAS: readonly (readonly [string, Extra])[] = [
  ['diagnostics', 'diagnostics'],
  ['context_management', 'contextManagement'],
  ['input_transformations', 'inputTransformations'],
];

export function toContainer(container: JsonObject | null): Finished['container'] {
  const id = stringAt(container, 'id');
  return container === null || id === undefined
    ? null
    : { ...container, id, expires_at: stringAt(container, 'expires_at') ?? '' };
}

/** Counters that are missing or nonsense are zero; everything else of `usage` is kept. */
export function toUsage(usage: JsonObject): Usage {
  return {
    ...usage,
    input_tokens: count(usage['input_tokens']),
    output_tokens: count(usage['output_tokens']),
    cache_creation_input_tokens: count(usage['cache_creation_input_tokens']),
    cache_read_input_tokens: count(usage['cache_read_input_tokens']),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
