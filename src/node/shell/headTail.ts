import { cutText } from '../../core/base/text.ts';

/** Keeps the beginning and the end of a text of any length in bounded memory. */
export class HeadTail {
  readonly #half: number;
  #head = '';
  #tail = '';
  #length = 0;

  /** `max` is in UTF-16 units. */
  constructor(max: number) {
    this.#half = Math.floor(max / 2);
  }

  /** UTF-16 units that came, kept or not. */
  get length(): number {
    return this.#length;
  }

  /** Units in the middle that are lost. */
  get omitted(): number {
    return this.#length - this.#head.length - this.#tail.length;
  }

  push(text: string): void {
    this.#length += text.length;
    let rest = text;
    if (this.#tail === '' && this.#head.length < this.#half) {
      const taken = cutText(text, this.#half - this.#head.length);
      this.#head += taken;
      rest = text.slice(taken.length);
    }
    if (rest !== '') this.#tail = keepEnd(this.#tail + rest, this.#half);
  }

  /** The text; where something is lost, `note` stands in its place. */
  toString(note: (omitted: number) => string): string {
    return this.#head + (this.omitted > 0 ? note(this.omitted) : '') + this.#tail;
  }
}

function keepEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  // Never begins in the middle of a code point.
  const unit = text.charCodeAt(start);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? start + 1 : start);
}
