import type { EscapeHandler } from './escapes.ts';

/** Control sequences that colour text or move within the line. The rest could rewrite what stands above, or make the terminal answer. */
const HARMLESS = /^[mKCDGPX@]$/;
const PLAIN_PARAMS = /^[\d;:]*$/;

/**
 * The copy of a command's output for the user's terminal: line ends for a terminal, colours kept, everything that acts
 * on the terminal itself removed, and no more than `max` UTF-16 units.
 */
export class DisplayText implements EscapeHandler {
  readonly #max: number;
  #pending: string[] = [];
  #length = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** More came than may be shown. */
  get full(): boolean {
    return this.#length >= this.#max;
  }

  text(run: string): void {
    this.#put(run.length > this.#max - this.#length ? run.slice(0, Math.max(0, this.#max - this.#length)) : run);
  }

  control(code: number): void {
    if (code === 0x0a) this.#put('\r\n');
    else if (code === 0x0d) this.#put('\r');
    else if (code === 0x08) this.#put('\b');
  }

  csi(params: string, final: string): void {
    if (HARMLESS.test(final) && PLAIN_PARAMS.test(params)) this.#put(`\x1b[${params}${final}`);
  }

  /** What is to be shown since the last call. */
  take(): string {
    const text = this.#pending.join('');
    this.#pending = [];
    return text;
  }

  #put(text: string): void {
    if (this.full || text === '') return;
    this.#length += text.length;
    this.#pending.push(text);
  }
}
