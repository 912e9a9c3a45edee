import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync, readdirSync, rmSync, statSync, type WriteStream } from 'node:fs';
import path from 'node:path';

/** Output up to this size is held in memory; a file is begun when there is more, or when it is asked for. */
const MEMORY_BYTES = 128 * 1024;

/** The whole output of one command, byte for byte, in a file of mode 0600 that is only made when it is needed. */
export class OutputFile {
  readonly path: string;
  readonly #maxBytes: number;
  #memory: Buffer[] = [];
  #size = 0;
  #kept = 0;
  #stream: WriteStream | undefined;
  #failed = false;

  constructor(directory: string, maxBytes: number) {
    this.path = path.join(directory, `output-${randomUUID()}.txt`);
    this.#maxBytes = maxBytes;
  }

  /** Bytes that came. */
  get size(): number {
    return this.#size;
  }

  /** Everything that came is (or will be) in the file. */
  get complete(): boolean {
    return !this.#failed && this.#kept === this.#size;
  }

  /** The promise settles when the disk has caught up; it never rejects. */
  write(bytes: Buffer): Promise<void> | undefined {
    this.#size += bytes.length;
    const taken = bytes.subarray(0, Math.max(0, this.#maxBytes - this.#kept));
    if (taken.length === 0 || this.#failed) return undefined;
    this.#kept += taken.length;
    if (this.#stream) return this.#writeTo(this.#stream, taken);
    this.#memory.push(taken);
    return this.#kept > MEMORY_BYTES ? this.#begin() : undefined;
  }

  /** Ends the file. Undefined when none was needed, or when the disk refused it. */
  async finish(needed: boolean): Promise<string | undefined> {
    if (needed && !this.#stream && !this.#failed) await this.#begin();
    const stream = this.#stream;
    this.#memory = [];
    if (!stream) return undefined;
    await new Promise<void>((resolve) => {
      stream.once('close', resolve);
      if (stream.closed) resolve();
      else stream.end();
    });
    if (needed && !this.#failed) return this.path;
    rmSync(this.path, { force: true });
    return undefined;
  }

  #begin(): Promise<void> | undefined {
    try {
      mkdirSync(path.dirname(this.path), { recursive: true, mode: 0o700 });
    } catch {
      this.#failed = true;
      return undefined;
    }
    const stream = createWriteStream(this.path, { mode: 0o600, flags: 'wx' });
    stream.once('error', () => (this.#failed = true));
    this.#stream = stream;
    const bytes = Buffer.concat(this.#memory);
    this.#memory = [];
    return this.#writeTo(stream, bytes);
  }

  #writeTo(stream: WriteStream, bytes: Buffer): Promise<void> | undefined {
    if (stream.write(bytes)) return undefined;
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off('drain', settle).off('close', settle);
        resolve();
      };
      stream.once('drain', settle).once('close', settle);
    });
  }
}

/** Removes whole outputs that are older than `maxAgeMs`, in the folders of all sessions. Never throws. */
export function pruneOutputs(directory: string, maxAgeMs: number): void {
  try {
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(directory, name);
      const old = Date.now() - statSync(file).mtimeMs > maxAgeMs;
      if (old && path.basename(name).startsWith('output-')) rmSync(file, { force: true });
    }
  } catch {
    // No folder yet, or another window was faster.
  }
}
