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

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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
  return new Reader();
}

class Reader implements JsonFieldReader {
  readonly #values = new Map<string, string[]>();
  #depth = 0;
  #inString = false;
  /** An escape that the last chunk cut, from its backslash on. */
  #escape = '';
  #isKey = false;
  #key = '';
  #expectValue = false;
  /** The pieces of the field that is read now. */
  #parts: string[] | undefined;

  feed(chunk: string): readonly FieldPiece[] {
    const pieces: FieldPiece[] = [];
    let at = 0;
    while (at < chunk.length) at = this.#inString ? this.#string(chunk, at, pieces) : this.#structure(chunk, at);
    return pieces;
  }

  fields(): Readonly<Record<string, string>> {
    const all: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const [name, parts] of this.#values) all[name] = parts.join('');
    return all;
  }

  /** Looks at what is outside of strings, and returns where it ends. */
  #structure(chunk: string, start: number): number {
    let at = start;
    while (at < chunk.length) {
      const char = chunk.charAt(at);
      at += 1;
      if (char === '{' || char === '[') this.#depth += 1;
      else if (char === '}' || char === ']') this.#depth -= 1;
      else if (this.#depth === 1 && char === ':') this.#expectValue = true;
      else if (this.#depth === 1 && char === ',') this.#expectValue = false;
      else if (char === '"') {
        this.#beginString();
        break;
      }
    }
    return at;
  }

  #beginString(): void {
    this.#inString = true;
    this.#isKey = this.#depth === 1 && !this.#expectValue;
    if (this.#isKey) this.#key = '';
    this.#parts = undefined;
  }

  /** Reads a string up to its end or that of the chunk, and returns where that is. */
  #string(chunk: string, start: number, pieces: FieldPiece[]): number {
    let text = '';
    let at = start;
    while (at < chunk.length) {
      if (this.#escape !== '') {
        const char = chunk.charAt(at);
        at += 1;
        text += this.#decode(char);
        continue;
      }
      const end = endOfPlain(chunk, at);
      if (end > at) text = text === '' ? chunk.slice(at, end) : text + chunk.slice(at, end);
      at = end + 1;
      if (end === chunk.length) break;
      if (chunk.charCodeAt(end) === QUOTE) {
        this.#inString = false;
        break;
      }
      const simple = ESCAPES[chunk.charAt(at)];
      if (simple === undefined) this.#escape = '\\';
      else {
        text += simple;
        at += 1;
      }
    }
    this.#take(text, pieces);
    return at;
  }

  #take(text: string, pieces: FieldPiece[]): void {
    if (this.#isKey) this.#key += text;
    else if (text !== '' && this.#depth === 1 && this.#expectValue) {
      this.#parts ??= this.#partsOf(this.#key);
      this.#parts.push(text);
      pieces.push({ key: this.#key, text });
    }
  }

  #partsOf(key: string): string[] {
    const parts = this.#values.get(key) ?? [];
    this.#values.set(key, parts);
    return parts;
  }

  /** The next character of an escape: returns the decoded text, or '' while it is incomplete. */
  #decode(char: string): string {
    this.#escape += char;
    if (this.#escape[1] !== 'u') {
      this.#escape = '';
      return ESCAPES[char] ?? char;
    }
    if (this.#escape.length < 6) return '';
    const code = Number.parseInt(this.#escape.slice(2), 16);
    this.#escape = '';
    return Number.isNaN(code) ? '\uFFFD' : String.fromCharCode(code);
  }
}

/** Where the run of characters that stand for themselves ends: at a quote, a backslash, or the end. */
function endOfPlain(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE || unit === BACKSLASH) break;
  }
  return at;
}
