import { isObject, type JsonObject } from '../core/base/json.ts';

/** Deeper nesting is no sensible tool input, and would overflow the stack of whatever walks it later. */
export const MAX_DEPTH = 64;

/**
 * The input of a tool call, parsed once and strictly: exactly one JSON object, no key twice, at most `MAX_DEPTH` deep.
 * Undefined for everything else (a cut text, an array, `null`): such a call must not run. A buffer without a character
 * is the empty object, because a call without arguments streams none.
 */
export function parseToolInput(raw: string): JsonObject | undefined {
  if (raw.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return undefined;
  }
  if (!isObject(value) || isDeeperThan(value, MAX_DEPTH)) return undefined;
  return countKeys(value) === countColons(raw) ? value : undefined;
}

/** Whether arrays and objects nest more than `max` levels. Never recurses deeper than that. */
export function isDeeperThan(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (max === 0) return true;
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const child of children) if (isDeeperThan(child, max - 1)) return true;
  return false;
}

/** Own keys of all objects in it. The depth is known to be small. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const child of value) count += countKeys(child);
    return count;
  }
  for (const child of Object.values(value)) count += 1 + countKeys(child);
  return count;
}

/** Colons outside strings of a valid JSON text: one per key that was written, a doubled key counted twice. */
function countColons(json: string): number {
  let count = 0;
  let at = 0;
  for (;;) {
    const quote = json.indexOf('"', at);
    if (quote === -1) return count + colonsBetween(json, at, json.length);
    count += colonsBetween(json, at, quote);
    at = endOfString(json, quote);
  }
}

function colonsBetween(json: string, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (json.charCodeAt(i) === 58) count += 1;
  return count;
}

/** The index after the closing quote. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = json.indexOf('"', at);
    if (quote === -1) return json.length;
    let backslashes = 0;
    while (json.charCodeAt(quote - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
