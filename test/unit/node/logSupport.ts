import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogStorePort, SessionLog } from '../../../src/core/ports.ts';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { createLogStore, type LogStoreOptions } from '../../../src/node/logStore.ts';
import { fakeLogger } from '../../support/fakes.ts';

/** A folder of its own with real stores over it; `end` closes what was opened and removes the folder. */
export interface LogBench {
  readonly dir: string;
  /** Another window: every call makes a store that knows nothing of the others. */
  store(options?: Partial<LogStoreOptions>): LogStorePort;
  path(id: string): string;
  /** A closed session with these messages. */
  written(...texts: readonly string[]): Promise<{ readonly id: string; readonly entries: readonly LogEntry[] }>;
  /** Disposes it and waits for its lock to go, for so many tries. */
  close(log: SessionLog, tries?: number): Promise<void>;
  end(): Promise<void>;
}

export async function logBench(): Promise<LogBench> {
  const dir = await fs.mkdtemp(join(tmpdir(), 'loopdock-log-'));
  const opened = new Set<SessionLog>();
  const keep = (log: SessionLog): SessionLog => {
    opened.add(log);
    return log;
  };
  const bench: LogBench = {
    dir,
    store(options) {
      const base = { dir, clock: createClock(), ids: createIds(), logger: fakeLogger(), secrets: () => [] };
      const store = createLogStore({ ...base, ...options });
      return {
        create: async (folders) => keep(await store.create(folders)),
        open: async (id) => keep(await store.open(id)),
        tail: (id) => store.tail(id),
        branch: (origin, entries) => store.branch(origin, entries),
        list: () => store.list(),
      };
    },
    path: (id) => join(dir, `${id}.jsonl`),
    async written(...texts) {
      const log = await bench.store().create(['file:///w']);
      for (const text of texts) await log.append(said(text));
      await bench.close(log);
      return { id: log.header.id, entries: log.entries() };
    },
    async close(log, tries = 500) {
      opened.delete(log);
      const wrote = !log.readOnly;
      log.dispose();
      if (!wrote) return;
      for (let i = 0; i < tries && (await isThere(`${bench.path(log.header.id)}.lock`)); i++) await pause(2);
    },
    async end() {
      for (const log of [...opened]) await bench.close(log);
      await fs.rm(dir, { recursive: true, force: true });
    },
  };
  return bench;
}

export const said = (text: string): NewEntry => ({ type: 'userMessage', content: [{ type: 'text', text }], text });

export function textsOf(entries: readonly LogEntry[]): readonly string[] {
  return entries.map((entry) => (entry.type === 'userMessage' ? entry.text : entry.type));
}

/** Every entry names the one before it. */
export function assertChain(entries: readonly LogEntry[]): void {
  assert.deepEqual(
    entries.map(({ parentId }) => parentId),
    entries.map((_, i) => entries[i - 1]?.id ?? null),
  );
}

export async function isThere(path: string): Promise<boolean> {
  return fs.lstat(path).then(
    () => true,
    () => false,
  );
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
