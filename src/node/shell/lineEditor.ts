/** What a key press (or a paste) at the terminal means. */
export type LineEvent =
  | { readonly kind: 'echo'; readonly text: string }
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'interrupt' }
  /** ^D on an empty line. */
  | { readonly kind: 'end' };

const MAX_LINE = 16 * 1024;
const MAX_HISTORY = 100;

/**
 * The line discipline of the terminal that the user types into: insert, backspace, ^U, ^W, history by the arrow keys.
 * Everything else that is no printable character is ignored.
 */
export class LineEditor {
  #line = '';
  readonly #history: string[] = [];
  #recalled = 0;

  /** What is typed and not entered yet. */
  get line(): string {
    return this.#line;
  }

  clear(): void {
    this.#line = '';
    this.#recalled = this.#history.length;
  }

  /** Splits what arrived into events, in order. A pasted line end inside stays part of the line: only Enter runs. */
  feed(data: string): LineEvent[] {
    // eslint-disable-next-line no-control-regex -- keys arrive as control characters
    const keys = data.match(/\x1b(?:\[[\d;?]*[ -/]*[@-~]|O.|[^[O])?|\r\n?|[^\x1b]/gsu) ?? [];
    const lastText = keys.findLastIndex(isText);
    return keys.flatMap((key, index) => this.#press(key, index > lastText));
  }

  #press(key: string, entered: boolean): LineEvent[] {
    switch (key) {
      case '\r':
      case '\n':
      case '\r\n':
        return entered ? this.#enter() : this.#insert('\n');
      case '\x7f':
      case '\b':
        return this.#replace(this.#line.replace(/.$/su, ''));
      case '\x15':
        return this.#replace('');
      case '\x17':
        return this.#replace(this.#line.replace(/\S*\s*$/, ''));
      case '\x03':
        this.clear();
        return [{ kind: 'interrupt' }];
      case '\x04':
        return this.#line === '' ? [{ kind: 'end' }] : [];
      case '\x1b[A':
      case '\x1bOA':
        return this.#recall(-1);
      case '\x1b[B':
      case '\x1bOB':
        return this.#recall(1);
      default:
        return isText(key) ? this.#insert(key) : [];
    }
  }

  #enter(): LineEvent[] {
    const line = this.#line;
    if (line.trim() !== '' && this.#history.at(-1) !== line) this.#history.push(line);
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    this.clear();
    return [
      { kind: 'echo', text: '\r\n' },
      { kind: 'line', line },
    ];
  }

  #insert(text: string): LineEvent[] {
    if (this.#line.length >= MAX_LINE) return [];
    this.#line += text;
    return [{ kind: 'echo', text: text === '\n' ? '\r\n' : text }];
  }

  #recall(step: number): LineEvent[] {
    this.#recalled = Math.min(Math.max(0, this.#recalled + step), this.#history.length);
    return this.#replace(this.#history[this.#recalled] ?? '');
  }

  /** Erases by width, cell by cell: characters of double width take two. */
  #replace(line: string): LineEvent[] {
    let same = 0;
    while (same < line.length && line[same] === this.#line[same]) same += 1;
    const gone = this.#line.slice(same);
    const added = line.slice(same);
    this.#line = line;
    const text = '\b \b'.repeat(width(gone)) + added.replaceAll('\n', '\r\n');
    return text === '' ? [] : [{ kind: 'echo', text }];
  }
}

function isText(key: string): boolean {
  return /^(?:\t|[^\p{Cc}\p{Cs}])$/u.test(key);
}

function width(text: string): number {
  let cells = 0;
  for (const char of text) {
    if (/\p{Mn}|\p{Cf}/u.test(char)) continue;
    cells +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        char,
      )
        ? 2
        : 1;
  }
  return cells;
}
