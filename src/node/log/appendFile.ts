import * as l10n from '@vscode/l10n';
import type { FileHandle } from 'node:fs/promises';
import { UserError } from '../../core/errors.ts';
import type { LogFs } from './logFs.ts';
import type { WriterLock } from './writerLock.ts';

export interface AppendFileOptions {
  readonly fs: LogFs;
  readonly path: string;
  /** Opened for appending (`O_APPEND`). */
  readonly handle: FileHandle;
  readonly lock: WriterLock;
  /** Bytes of the file that are whole lines; what is behind them is cut before the first write. */
  readonly length: number;
  /** Bytes of the file. */
  readonly size: number;
  /** The last whole line lacks its line feed. */
  readonly unterminated: boolean;
}

/** Another window has taken the session over; this one may only read from now on. */
export class LockLostError extends UserError {}

/** The end of one file, where whole lines are added. One call at a time. */
export class AppendFile {
  readonly #options: AppendFileOptions;
  #length: number;
  /** Behind `#length` is a torn line, or what a failed write left. */
  #dirty: boolean;
  #unterminated: boolean;

  constructor(options: AppendFileOptions) {
    this.#options = options;
    this.#length = options.length;
    this.#dirty = options.size > options.length;
    this.#unterminated = options.unterminated;
  }

  /**
   * Cuts a torn tail, too, so that it is worth calling with no lines. One write per line and one `fdatasync` for all of them. Says how many of the lines are durable and what stopped the
   * others, of which nothing stays in the file. Never rejects.
   */
  async append(lines: readonly Uint8Array[]): Promise<{ readonly durable: number; readonly failure?: unknown }> {
    let durable = 0;
    let end = 0;
    let failure: unknown;
    try {
      await this.#prepare();
      end = this.#length;
      this.#dirty = true;
      for (const line of lines) {
        await this.#write(line);
        end += line.length;
        durable += 1;
      }
    } catch (error) {
      failure = error;
    }
    try {
      if (durable > 0) await this.#sync(end);
    } catch (error) {
      failure = error;
      durable = 0;
    }
    if (failure === undefined) {
      this.#dirty = false;
      return { durable };
    }
    await this.#cut().catch(() => undefined); // tried again before the next write
    return { durable, failure };
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await this.#options.handle.close().catch(() => undefined);
    await this.#options.lock.release();
  }

  async #prepare(): Promise<void> {
    const { handle, lock } = this.#options;
    if (!(await lock.held())) {
      throw new LockLostError(l10n.t('Another window writes this session now; this one can only read it.'));
    }
    const { nlink, size } = await handle.stat();
    if (nlink === 0) throw new UserError(l10n.t('The file of this session was deleted. Start a new session to go on.'));
    if (this.#dirty ? size < this.#length : size !== this.#length) {
      throw new UserError(l10n.t('Another program changed the file of this session. Open the session again to go on.'));
    }
    await this.#cut();
    if (!this.#unterminated) return;
    this.#dirty = true;
    await this.#write(Uint8Array.of(0x0a));
    this.#length += 1;
    this.#unterminated = false;
    this.#dirty = false;
  }

  async #write(line: Uint8Array): Promise<void> {
    const { bytesWritten } = await this.#options.handle.write(line, 0, line.length);
    // On a full disk a write may end early without an error.
    if (bytesWritten !== line.length) throw Object.assign(new Error('Short write'), { code: 'ENOSPC' });
  }

  async #sync(end: number): Promise<void> {
    await this.#options.handle.datasync();
    this.#length = end;
  }

  /** By path: Windows does not let a handle that only appends cut its file. */
  async #cut(): Promise<void> {
    if (!this.#dirty) return;
    await this.#options.fs.truncate(this.#options.path, this.#length);
    this.#dirty = false;
  }
}
