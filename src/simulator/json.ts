export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The content of a message as blocks; a string is one text block, as the API has it. */
export function blocksOf(content: unknown): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return asArray(content).filter(isObject);
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
