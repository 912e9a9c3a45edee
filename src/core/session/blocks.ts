import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject } from '../base/json.ts';
import { toWellFormed } from '../base/text.ts';

/** What the projections read of a block of this type; all other types are passed on as they are. */
const required: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name'],
  server_tool_use: ['id', 'name'],
  mcp_tool_use: ['id', 'name'],
};

/** Whether a block of a log has what its type needs: a file that was edited by hand, or by another version, may hold anything. */
export function isBlock(block: unknown): block is ContentBlock {
  if (!isObject(block)) return false;
  const { type } = block;
  if (typeof type !== 'string') return false;
  const keys = Object.hasOwn(required, type) ? (required[type] ?? []) : [];
  return keys.every((key) => typeof block[key] === 'string');
}

/**
 * The same data without unpaired surrogates, in keys and values at any depth. One of them anywhere would make the API
 * refuse every later request of the conversation.
 */
export function wellFormed<T>(value: T): T {
  return replaced(value) as T;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return toWellFormed(value);
  if (Array.isArray(value)) return value.map(replaced);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [toWellFormed(key), replaced(held)]));
}

/** Whether there is no unpaired surrogate in it, in keys and values at any depth. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return toWellFormed(value) === value;
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, held]) => isWellFormed(key) && isWellFormed(held));
}
