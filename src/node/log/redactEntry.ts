import { isObject } from '../../core/base/json.ts';
import { redactKeys } from '../../core/base/redact.ts';

/**
 * A copy of a JSON value with the credentials taken out of every string and key. Strings only, so that the result is
 * still the same JSON. Throws `RangeError` on a value that is nested too deep.
 */
export function redactEntry<T>(value: T, secrets: readonly string[]): T {
  return map(value, (text) => redactKeys(text, secrets)) as T;
}

function map(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => map(item, redact));
  if (!isObject(value)) return value;
  // Entries of an object, not assignments: an own key `__proto__` stays an own key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), map(item, redact)]));
}
