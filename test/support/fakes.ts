/** In-memory implementations of the ports that have nothing to do with VS Code or the network. */
import { createHash } from 'node:crypto';
import { toDisposable, type Disposable } from '../../src/core/base/disposable.ts';
import { CancelledError, UserError } from '../../src/core/errors.ts';
import type { AttachmentPort, Clock, Ids, Logger, LogStorePort, SessionLog, StoredFile } from '../../src/core/ports.ts';
import { LOG_VERSION, type LogEntry, type NewEntry, type SessionHeader } from '../../src/core/session/entries.ts';
import type { SessionSummary } from '../../src/protocol/messages.ts';

export interface FakeClock extends Clock {
  /** Moves time on and runs what became due, in order; lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock without running anything: a clock that jumps. */
  jump(ms: number): void;
  /** Timers and sleeps that wait. */
  readonly waiting: number;
}

interface Waiting {
  readonly due: number;
  readonly run: () => void;
}

/** Time stands still until `advance`. With `auto` a sleep or timer of any length is due at once, and time jumps to it. */
export function fakeClock(options: { readonly start?: number; readonly auto?: boolean } = {}): FakeClock {
  let now = options.start ?? Date.UTC(2026, 0, 1);
  let waiting: Waiting[] = [];
  const timer = (ms: number, run: () => void): Disposable => {
    const item: Waiting = { due: now + Math.max(0, ms), run };
    waiting.push(item);
    if (options.auto) setImmediate(() => fire(item));
    return toDisposable(() => (waiting = waiting.filter((other) => other !== item)));
  };
  function fire(item: Waiting): void {
    if (!waiting.includes(item)) return;
    waiting = waiting.filter((other) => other !== item);
    now = Math.max(now, item.due);
    item.run();
  }
  return {
    now: () => now,
    timer,
    sleep: (ms, signal) =>
      new Promise<void>((resolve, reject) => {
        if (signal.aborted) return reject(new CancelledError());
        const onAbort = (): void => {
          pending.dispose();
          reject(new CancelledError());
        };
        const pending = timer(ms, () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        });
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const next = waiting.filter((item) => item.due <= end).sort((a, b) => a.due - b.due)[0];
        if (!next) break;
        fire(next);
        await settle();
      }
      now = end;
    },
    jump: (ms) => (now += ms),
    get waiting() {
      return waiting.length;
    },
  };
}

/** Lets every promise that can go on do so: one turn of the event loop. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Readable and repeatable: `id-1`, `id-2`, … The hash is the real one. */
export function fakeIds(prefix = 'id'): Ids {
  let count = 0;
  return {
    random: () => `${prefix}-${++count}`,
    hash: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
  };
}

export interface FakeLogger extends Logger {
  readonly lines: readonly { readonly level: 'info' | 'warn' | 'error' | 'trace'; readonly text: string }[];
  /** The errors and warnings, as text. */
  problems(): readonly string[];
}

export function fakeLogger(): FakeLogger {
  const lines: { level: 'info' | 'warn' | 'error' | 'trace'; text: string }[] = [];
  const textOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
  return {
    lines,
    info: (text) => void lines.push({ level: 'info', text }),
    warn: (text) => void lines.push({ level: 'warn', text }),
    trace: (text) => void lines.push({ level: 'trace', text }),
    error: (text, error) =>
      void lines.push({ level: 'error', text: error === undefined ? text : `${text}: ${textOf(error)}` }),
    problems: () => lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ text }) => text),
  };
}

export interface FakeLogStore extends LogStorePort {
  /** The entries of a session as they are 'on disk'. */
  stored(id: string): readonly LogEntry[];
  /** Puts a session there, as if an earlier run had written it. */
  seed(id: string, entries: readonly LogEntry[], folders?: readonly string[]): void;
  /** The next appends fail with this error, until called with undefined. */
  failWith(error: Error | undefined): void;
  /** Another window holds these sessions: they open read-only. */
  readonly heldElsewhere: Set<string>;
  /** Called after each append, with the entry. */
  onAppend: ((entry: LogEntry, sessionId: string) => void) | undefined;
}

export function fakeLogStore(clock: Clock = fakeClock(), ids: Ids = fakeIds('entry')): FakeLogStore {
  const sessions = new Map<string, { header: SessionHeader; entries: LogEntry[] }>();
  const writers = new Set<string>();
  const heldElsewhere = new Set<string>();
  let failure: Error | undefined;
  const iso = (): string => new Date(clock.now()).toISOString();

  function attach(id: string): SessionLog {
    const session = sessions.get(id);
    if (!session) throw new UserError(`There is no session ${id}.`);
    const readOnly = heldElsewhere.has(id) || writers.has(id);
    if (!readOnly) writers.add(id);
    let disposed = false;
    return {
      header: session.header,
      repairs: [],
      readOnly,
      entries: () => [...session.entries],
      async append(entry: NewEntry) {
        if (disposed) throw new UserError('The session is closed.');
        if (readOnly) throw new UserError('The session is read-only.');
        if (failure) throw failure;
        const parentId = session.entries.at(-1)?.id ?? null;
        const whole = structuredClone({ ...entry, id: ids.random(), parentId, at: iso() }) as LogEntry;
        session.entries.push(whole);
        store.onAppend?.(whole, id);
        await Promise.resolve();
        return whole;
      },
      dispose() {
        if (!disposed && !readOnly) writers.delete(id);
        disposed = true;
      },
    };
  }

  const store: FakeLogStore = {
    create: async (folders) => {
      const id = ids.random();
      sessions.set(id, { header: { type: 'session', v: LOG_VERSION, id, created: iso(), folders }, entries: [] });
      return Promise.resolve(attach(id));
    },
    open: async (id) => Promise.resolve().then(() => attach(id)),
    tail: () => Promise.resolve([]),
    branch: async (origin, entries) => {
      const id = ids.random();
      const link = { session: origin.id, entry: entries.at(-1)?.id ?? '' };
      const header = { type: 'session', v: LOG_VERSION, id, created: iso(), folders: origin.folders } as const;
      sessions.set(id, { header: { ...header, origin: link }, entries: structuredClone([...entries]) });
      return Promise.resolve(id);
    },
    list: async () => Promise.resolve([...sessions].map(([id, session]) => summaryOf(id, session)).sort(newestFirst)),
    stored: (id) => sessions.get(id)?.entries ?? [],
    seed: (id, entries, folders = []) =>
      void sessions.set(id, {
        header: { type: 'session', v: LOG_VERSION, id, created: iso(), folders },
        entries: [...entries],
      }),
    failWith: (error) => void (failure = error),
    heldElsewhere,
    onAppend: undefined,
  };
  return store;
}

function summaryOf(id: string, session: { header: SessionHeader; entries: readonly LogEntry[] }): SessionSummary {
  const titles = session.entries.filter((entry) => entry.type === 'titleSet');
  const first = session.entries.find((entry) => entry.type === 'userMessage');
  return {
    id,
    title: titles.at(-1)?.title ?? first?.text ?? id,
    updated: session.entries.at(-1)?.at ?? session.header.created,
  };
}

function newestFirst(a: SessionSummary, b: SessionSummary): number {
  return b.updated.localeCompare(a.updated);
}

export interface FakeAttachments extends AttachmentPort {
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  /** The next stores fail with this error, until called with undefined. */
  failWith(error: Error | undefined): void;
}

export function fakeAttachments(): FakeAttachments {
  const blobs = new Map<string, Uint8Array>();
  const files = new Map<string, StoredFile>();
  let failure: Error | undefined;
  return {
    blobs,
    failWith: (error) => void (failure = error),
    async store(content, signal) {
      const parts: Uint8Array[] = [];
      for await (const part of content) {
        if (signal.aborted) throw new CancelledError();
        parts.push(part);
      }
      if (signal.aborted) throw new CancelledError();
      if (failure) throw failure;
      const bytes = Buffer.concat(parts);
      const hash = createHash('sha256').update(bytes).digest('hex');
      const png = bytes.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
      const file: StoredFile = {
        hash,
        size: bytes.length,
        imageType: png ? 'image/png' : null,
        path: `/attachments/blobs/${hash}`,
      };
      blobs.set(hash, bytes);
      files.set(hash, file);
      return file;
    },
    find: async (hash) => Promise.resolve(files.get(hash)),
  };
}
