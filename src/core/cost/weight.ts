import { isObject, stringAt } from '../base/json.ts';

/** Characters per token, where nothing better is known: on the low side for prose, about right for code. */
const CHARS_PER_TOKEN = 3.5;
/** A picture costs about 1,500 tokens, whatever its bytes. Characters. */
const PICTURE = 5_000;
/** What is sent for the API alone and is no text to the model. */
const UNREAD = new Set(['signature', 'data', 'encrypted_content', 'encrypted_index', 'cache_control', 'type', 'id']);
const DEEPEST = 64;

/** Tokens that so many characters make, roughly. */
export function tokensOf(weight: number): number {
  return Math.ceil(weight / CHARS_PER_TOKEN);
}

/** An image costs about this many tokens, whatever its bytes. */
const IMAGE_TOKENS = 1_500;
/** Of a PDF, where nothing is known but its size. */
const PDF_BYTES_PER_TOKEN = 30;

/** About how many tokens a file has in a message; `size` in bytes. Of a PDF it is a guess. */
export function tokensOfFile(content: 'image' | 'pdf' | 'text' | 'binary', size: number): number {
  if (content === 'image') return IMAGE_TOKENS;
  return content === 'pdf' ? Math.ceil(size / PDF_BYTES_PER_TOKEN) : tokensOf(size);
}

/** How large a part of a request is to the model, in characters: a measure to compare by, no count. */
export function weigh(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 4;
  if (depth > DEEPEST) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + weigh(item, depth + 1), 0);
  if (isObject(value) && isPicture(value)) return PICTURE;
  return Object.entries(value).reduce(
    (sum, [key, item]) => sum + (UNREAD.has(key) ? 0 : key.length + weigh(item, depth + 1)),
    0,
  );
}

function isPicture(value: object): boolean {
  const type = stringAt(value, 'type');
  return type === 'image' || type === 'document';
}
