import type { EscapeHandler } from './escapes.ts';

/** A line longer than this is handed out in pieces; a later carriage return rewrites only the last of them. */
const MAX_LINE = 16 * 1024;

/**
 * Plain text as it would stand on the screen in the end: colours are gone, and lines that were rewritten (progress) have
 * their last state. Cursor movement between lines is ignored.
 */
export class LineFolder implements EscapeHandler {
  readonly #onText: (text: string) => void;
  #line = '';
  #column = 0;
  /** NUL characters met. */
  nulls = 0;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  /** The line that is not ended yet. */
  get pending(): string {
    return this.#line;
  }

  text(run: string): void {
    const end = this.#column + run.length;
    if (this.#column === this.#line.length) this.#line += run;
    else this.#line = this.#line.slice(0, this.#column).padEnd(this.#column) + run + this.#line.slice(end);
    this.#column = end;
    if (this.#line.length > MAX_LINE) this.flush();
  }

  control(code: number): void {
    if (code === 0x0a) {
      this.#line += '\n';
      this.flush();
    } else if (code === 0x0d) this.#column = 0;
    else if (code === 0x08) this.#column = Math.max(0, this.#column - 1);
    else if (code === 0) {
      this.nulls += 1;
      this.text('\u2400');
    }
  }

  csi(params: string, final: string): void {
    const count = Math.min(Number.parseInt(params, 10) || 0, MAX_LINE);
    if (final === 'K') this.#erase(count);
    else if (final === 'G') this.#column = Math.max(0, count - 1);
    else if (final === 'C') this.#column += Math.max(1, count);
    else if (final === 'D') this.#column = Math.max(0, this.#column - Math.max(1, count));
  }

  /** Hands out what is pending: the output is over, or the line is too long. */
  flush(): void {
    if (this.#line !== '') this.#onText(this.#line);
    this.#line = '';
    this.#column = 0;
  }

  #erase(mode: number): void {
    if (mode === 0) this.#line = this.#line.slice(0, this.#column);
    else if (mode === 1)
      this.#line = ' '.repeat(Math.min(this.#column, this.#line.length)) + this.#line.slice(this.#column);
    else this.#line = '';
  }
}
