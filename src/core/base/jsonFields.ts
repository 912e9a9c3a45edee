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
  return new Reader();
}

class Reader implements JsonFieldReader {
  readonly #values = new Map<string, string[]>();
  #depth = 0;
  #inString = false;
  #escape = '';
  #isKey = false;
  #key = '';
  #expectValue = false;
  #piece = '';

  feed(chunk: string): readonly FieldPiece[] {
    const pieces: FieldPiece[] = [];
    for (let at = 0; at < chunk.length;) {
      const plain = this.#inString && this.#escape === '' ? endOfPlain(chunk, at) : at;
      if (plain > at) {
        this.#take(chunk.slice(at, plain));
        at = plain;
        continue;
      }
      const char = chunk.charAt(at);
      at += 1;
      if (!this.#inString) this.#structure(char);
      else if (this.#endsString(char)) this.#flush(pieces);
    }
    this.#flush(pieces);
    return pieces;
  }

  fields(): Readonly<Record<string, string>> {
    const all: Record<string, string> = Object.create(null) as Record<string, string>;
    for (const [name, parts] of this.#values) all[name] = parts.join('');
    return all;
  }

  #flush(pieces: FieldPiece[]): void {
    if (this.#piece === '') return;
    const parts = this.#values.get(this.#key);
    if (parts) parts.push(this.#piece);
    else this.#values.set(this.#key, [this.#piece]);
    pieces.push({ key: this.#key, text: this.#piece });
    this.#piece = '';
  }

  #structure(char: string): void {
    if (char === '{' || char === '[') this.#depth += 1;
    else if (char === '}' || char === ']') this.#depth -= 1;
    else if (char === '"') this.#beginString();
    else if (this.#depth === 1 && char === ':') this.#expectValue = true;
    else if (this.#depth === 1 && char === ',') this.#expectValue = false;
  }

  #beginString(): void {
    this.#inString = true;
    this.#isKey = this.#depth === 1 && !this.#expectValue;
    if (this.#isKey) this.#key = '';
  }

  #endsString(char: string): boolean {
    if (char === '"' && this.#escape === '') {
      this.#inString = false;
      return true;
    }
    this.#take(this.#decode(char));
    return false;
  }

  #take(text: string): void {
    if (this.#isKey) this.#key += text;
    else if (this.#depth === 1 && this.#expectValue) this.#piece += text;
  }

  /** One character of a string: returns the decoded text, or '' while an escape is incomplete. */
  #decode(char: string): string {
    if (this.#escape === '') {
      if (char === '\\') this.#escape = char;
      return this.#escape === '' ? char : '';
    }
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
    if (unit === 0x22 || unit === 0x5c) break;
  }
  return at;
}
