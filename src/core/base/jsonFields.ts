/**
 * Reads the top-level string fields of a JSON object while its text still arrives, for previews of streamed tool input.
 * Each character is looked at once, so the cost is linear however small the chunks are. It never throws: on text that
 * is not such an object it just reports nothing more. What counts in the end is `JSON.parse` of the whole.
 */
export interface FieldPiece {
  readonly key: string;
  /** The newly decoded part of the field's value. */
  readonly text: string;
}

export interface JsonFieldReader {
  /** Feeds the next characters and returns what became known, in order. */
  feed(chunk: string): readonly FieldPiece[];
  /** All string fields so far, the last one perhaps unfinished. */
  fields(): Readonly<Record<string, string>>;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

export function createJsonFieldReader(): JsonFieldReader {
  const values = new Map<string, string[]>();
  let depth = 0;
  let inString = false;
  let escape = '';
  let isKey = false;
  let key = '';
  let expectValue = false;
  let piece = '';

  /** One character of a string: returns the decoded text, or '' while an escape is incomplete. */
  const decode = (char: string): string => {
    if (escape === '') {
      if (char === '\\') escape = '\\';
      return escape === '' ? char : '';
    }
    escape += char;
    if (escape[1] === 'u') {
      if (escape.length < 6) return '';
      const code = Number.parseInt(escape.slice(2), 16);
      escape = '';
      return Number.isNaN(code) ? '\uFFFD' : String.fromCharCode(code);
    }
    escape = '';
    return ESCAPES[char] ?? char;
  };

  const stringChar = (char: string): boolean => {
    if (char === '"' && escape === '') {
      inString = false;
      return true;
    }
    const text = decode(char);
    if (isKey) key += text;
    else if (depth === 1 && expectValue) piece += text;
    return false;
  };

  const structure = (char: string): void => {
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === ':' && depth === 1) expectValue = true;
    else if (char === ',' && depth === 1) expectValue = false;
    else if (char === '"') {
      inString = true;
      isKey = depth === 1 && !expectValue;
      if (isKey) key = '';
    }
  };

  return {
    feed(chunk) {
      const pieces: FieldPiece[] = [];
      const flush = (): void => {
        if (piece === '') return;
        const parts = values.get(key);
        if (parts) parts.push(piece);
        else values.set(key, [piece]);
        pieces.push({ key, text: piece });
        piece = '';
      };
      for (const char of chunk) {
        if (!inString) structure(char);
        else if (stringChar(char)) flush();
      }
      flush();
      return pieces;
    },
    fields() {
      const all: Record<string, string> = Object.create(null) as Record<string, string>;
      for (const [name, parts] of values) all[name] = parts.join('');
      return all;
    },
  };
}
