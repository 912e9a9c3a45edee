import { createHash } from 'node:crypto';
import { blocksOf, asArray, isObject } from './json.ts';
import type { Json } from './json.ts';

/**
 * The conversation as one chain of hashes: tools, then system, then every block of every message. What follows an item
 * is bound to the item's hash. Consecutive messages of one role are the same as one message, `cache_control` counts for
 * nothing, and a string is the same as one text block.
 */
export interface ChainItem {
  readonly scope: 'tools' | 'system' | 'messages';
  /** Index of the message; -1 outside `messages`. */
  readonly message: number;
  readonly block: number;
  readonly value: Json;
  /** Hash of everything before this item, and of everything up to its end. */
  readonly before: string;
  readonly after: string;
  /** Rough number of tokens of this item. */
  readonly tokens: number;
}

export interface Chain {
  readonly items: readonly ChainItem[];
  readonly end: string;
  readonly tokens: number;
}

const start = hash('');

/** Hashes a request body; wrong shapes are skipped, so that it can run before validation. */
export function chainOf(body: Json): Chain {
  const items: ChainItem[] = [];
  let end = start;
  let tokens = 0;
  const add = (scope: ChainItem['scope'], role: string, message: number, values: readonly unknown[]): void => {
    values.forEach((value, block) => {
      if (!isObject(value)) return;
      const before = end;
      end = extend(before, role, value);
      const cost = estimateTokens(value);
      tokens += cost;
      items.push({ scope, message, block, value, before, after: end, tokens: cost });
    });
  };
  add('tools', 'tools', -1, asArray(body['tools']));
  add('system', 'system', -1, blocksOf(body['system'] ?? []));
  asArray(body['messages']).forEach((message, index) => {
    if (isObject(message)) add('messages', String(message['role']), index, blocksOf(message['content']));
  });
  return { items, end, tokens };
}

/** The hash after one more block. */
export function extend(before: string, role: string, block: Json): string {
  return hash(`${before}\n${role}\n${canonical(block)}`);
}

/**
 * A block as text, the same for all the ways to say the same: without `cache_control`, without nulls and defaults, keys
 * sorted. The order inside `input` and `input_schema` is kept, because the model sees it.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

/** About four characters per token, as a stand-in for a tokenizer. */
export function estimateTokens(value: unknown): number {
  const text = typeof value === 'string' ? value : canonical(value);
  return Math.ceil(text.length / 4) || 1;
}

export function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}

const ordered = new Set(['input', 'input_schema']);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: Json = {};
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (key === 'cache_control' || field === null || field === undefined || isDirectCaller(key, field)) continue;
    if (ordered.has(key)) result[key] = JSON.stringify(field);
    else if (key === 'content' && typeof field === 'string') result[key] = sorted(blocksOf(field));
    else result[key] = sorted(field);
  }
  return result;
}

function isDirectCaller(key: string, field: unknown): boolean {
  return key === 'caller' && isObject(field) && field['type'] === 'direct';
}
