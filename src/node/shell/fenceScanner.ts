/** Where one command's output ends: an escape sequence with a random name, printed into the output itself. */
const PREFIX = Buffer.from('\x1b]7777;');
const NAME_LENGTH = 32;
const FENCE_LENGTH = PREFIX.length + NAME_LENGTH + 1;
const BEL = 7;

/** The bytes of the fence of that name (32 ASCII characters). */
export function fence(name: string): Buffer {
  return Buffer.concat([PREFIX, Buffer.from(name, 'latin1'), Buffer.of(BEL)]);
}

/**
 * Cuts a byte stream at the fences that are expected, wherever chunks begin and end. Everything else, look-alikes with
 * another name included, is data. What could still become a fence is held back.
 */
export class FenceScanner {
  readonly #expected = new Map<string, () => void>();
  readonly #onData: (bytes: Buffer) => void;
  #held: Buffer = Buffer.alloc(0);

  constructor(onData: (bytes: Buffer) => void) {
    this.#onData = onData;
  }

  /** Calls `run` once when the fence of that name is met, in order with the data around it. */
  expect(name: string, run: () => void): void {
    this.#expected.set(name, run);
  }

  forget(name: string): void {
    this.#expected.delete(name);
  }

  feed(chunk: Buffer): void {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    let searched = 0;
    for (;;) {
      const at = rest.indexOf(PREFIX, searched);
      if (at < 0) break;
      if (rest.length - at < FENCE_LENGTH) return this.#hold(rest, at);
      const run = this.#take(rest.subarray(at + PREFIX.length, at + FENCE_LENGTH));
      searched = at + 1;
      if (run === undefined) continue;
      this.#emit(rest.subarray(0, at));
      run();
      rest = rest.subarray(at + FENCE_LENGTH);
      searched = 0;
    }
    this.#hold(rest, rest.length - partialPrefix(rest));
  }

  /** Hands out what is held back: nothing more will come. */
  flush(): void {
    this.#emit(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #take(tail: Buffer): (() => void) | undefined {
    if (tail[NAME_LENGTH] !== BEL) return undefined;
    const name = tail.toString('latin1', 0, NAME_LENGTH);
    const run = this.#expected.get(name);
    this.#expected.delete(name);
    return run;
  }

  #hold(bytes: Buffer, from: number): void {
    this.#emit(bytes.subarray(0, from));
    // A copy, so that 40 bytes don't keep a whole chunk in memory.
    this.#held = Buffer.from(bytes.subarray(from));
  }

  #emit(bytes: Buffer): void {
    if (bytes.length > 0) this.#onData(bytes);
  }
}

/** Length of the longest end of `bytes` that a fence could begin with. */
function partialPrefix(bytes: Buffer): number {
  for (let length = Math.min(PREFIX.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(PREFIX.subarray(0, length))) return length;
  }
  return 0;
}
