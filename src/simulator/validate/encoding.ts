import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import type { Json } from '../json.ts';

/** A lone half of a surrogate pair can't be encoded as UTF-8; the API refuses the whole body. */
export function checkEncoding(body: Json): ApiProblem | null {
  return findIllFormed(body) ? invalid('The request body is not valid JSON: no low surrogate in string') : null;
}

const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function findIllFormed(value: unknown): boolean {
  if (typeof value === 'string') return loneSurrogate.test(value);
  if (Array.isArray(value)) return value.some(findIllFormed);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, field]) => loneSurrogate.test(key) || findIllFormed(field));
}
