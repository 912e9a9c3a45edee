import * as l10n from '@vscode/l10n';
import { UserError } from '../../core/errors.ts';
import type { Clock, Ids, Logger, SessionLog } from '../../core/ports.ts';
import type { LogEntry, NewEntry, SessionHeader } from '../../core/session/entries.ts';
import { LockLostError, type AppendFile } from './appendFile.ts';
import { diskError } from './logErrors.ts';
import { redactEntry } from './redactEntry.ts';

/** An entry is written by one system call and read as one line: bytes. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

export interface SessionLogDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Credentials that must not reach the disk. */
  readonly secrets: () => readonly string[];
  /** Told when a log begins to let go of its file; `closed` never rejects. */
  readonly onClosing: (id: string, closed: Promise<void>) => void;
}

export interface OpenedLog {
  readonly header: SessionHeader;
  readonly entries: readonly LogEntry[];
  readonly repairs: readonly string[];
  /** Absent where this window only reads. */
  readonly file: AppendFile | undefined;
}

interface Pending {
  readonly entry: LogEntry;
  readonly line: Uint8Array;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: UserError) => void;
}

/** A session's log over its file. Appends that come while others are being written share one `fdatasync`. */
export class FileSessionLog implements SessionLog {
  readonly header: SessionHeader;
  readonly repairs: readonly string[];
  readonly #deps: SessionLogDeps;
  readonly #entries: LogEntry[];
  #snapshot: readonly LogEntry[] | undefined;
  #file: AppendFile | undefined;
  #queue: Pending[] = [];
  #lastId: string | null;
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: OpenedLog, deps: SessionLogDeps) {
    this.header = opened.header;
    this.repairs = opened.repairs;
    this.#entries = [...opened.entries];
    this.#file = opened.file;
    this.#deps = deps;
    this.#lastId = lastId(this.#entries);
  }

  get readOnly(): boolean {
    return this.#file === undefined;
  }

  /** As they were when asked; later appends don't change the array. */
  entries(): readonly LogEntry[] {
    this.#snapshot ??= [...this.#entries];
    return this.#snapshot;
  }

  append(entry: NewEntry): Promise<LogEntry> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw new UserError(l10n.t('This session is closed.'));
      if (this.readOnly) throw new UserError(l10n.t('Another window writes this session; this one can only read it.'));
      const { whole, line } = this.#serialise(entry);
      this.#lastId = whole.id;
      this.#queue.push({ entry: whole, line, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** What is still queued is written; then the file and the lock are let go. */
  dispose(): void {
    if (this.#closing) return;
    this.#closing = (async () => {
      await this.#draining;
      await this.#letGo();
    })();
    this.#deps.onClosing(this.header.id, this.#closing);
  }

  /** The line as it goes to disk, and what will be read back from it: memory never knows more than the file. */
  #serialise(entry: NewEntry): { readonly whole: LogEntry; readonly line: Uint8Array } {
    const at = new Date(this.#deps.clock.now()).toISOString();
    // These come first in the line: the loader finds the beginnings of damaged records by them.
    const identity = { id: this.#deps.ids.random(), parentId: this.#lastId, at };
    let text: string;
    try {
      text = JSON.stringify({ ...identity, ...redactEntry(entry, this.#deps.secrets()), ...identity });
    } catch (error) {
      throw new UserError(l10n.t('This can’t be saved in the session: it is nested too deep.'), { cause: error });
    }
    const line = Buffer.from(`${text}\n`, 'utf8');
    if (line.length > MAX_ENTRY_BYTES) {
      const size = Math.ceil(line.length / (1024 * 1024));
      throw new UserError(l10n.t('This is too large to be saved in the session ({0} MB).', size));
    }
    return { whole: JSON.parse(text) as LogEntry, line };
  }

  async #drain(): Promise<void> {
    await Promise.resolve(); // appends of the same tick go together
    while (this.#queue.length > 0) await this.#writeBatch(this.#queue.splice(0));
    this.#draining = undefined;
  }

  /** After a failure everything that was queued fails too: it came after what is now missing. */
  async #writeBatch(batch: readonly Pending[]): Promise<void> {
    const { durable, failure } = (await this.#file?.append(batch.map(({ line }) => line))) ?? { durable: 0 };
    const done = batch.slice(0, durable);
    this.#entries.push(...done.map(({ entry }) => entry));
    this.#snapshot = undefined;
    for (const { entry, resolve } of done) resolve(entry);
    if (done.length === batch.length) return;
    const error = diskError(failure);
    const lost = [...batch.slice(durable), ...this.#queue.splice(0)];
    this.#lastId = lastId(this.#entries);
    this.#deps.logger.error(`Session ${this.header.id}: ${lost.length} entries were not written`, failure);
    for (const { reject } of lost) reject(error);
    if (failure instanceof LockLostError) await this.#letGo();
  }

  async #letGo(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

function lastId(entries: readonly LogEntry[]): string | null {
  return entries.at(-1)?.id ?? null;
}
