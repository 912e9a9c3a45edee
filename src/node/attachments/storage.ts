import * as l10n from '@vscode/l10n';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../core/errors.ts';
import type { Clock, Ids } from '../../core/ports.ts';
import { nodeFs } from '../log/logFs.ts';
import { takeLock } from '../log/writerLock.ts';
import type { Inventory, LoggedFile } from './inventory.ts';

export interface StorageOptions {
  /** The attachment store's folder. */
  readonly dir: string;
  readonly inventory: Inventory;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface Cleaned {
  /** Blobs. */
  readonly removed: number;
  /** Bytes. */
  readonly freed: number;
}

export interface Storage {
  /** What is on disk: the size of each blob in bytes, by its hash. */
  blobs(): Promise<ReadonlyMap<string, number>>;
  /**
   * Removes what no session has any more, and the files that `isOld` names, but never what a session still needs. What
   * is needed is read from all logs, under a lock over all windows. Throws `UserError` when another window is at it or
   * a log can't be read: nothing was removed then.
   */
  clean(isOld?: (file: LoggedFile) => boolean): Promise<Cleaned>;
}

/** A file is under its hash a moment before its session's log says so. Milliseconds. */
const JUST_STORED_MS = 60_000;
const HASH = /^[0-9a-f]{64}$/;

export function createStorage(options: StorageOptions): Storage {
  const dir = join(options.dir, 'blobs');
  return {
    async blobs() {
      const sizes = new Map<string, number>();
      for (const hash of await hashesIn(dir)) {
        const stat = await lstat(join(dir, hash)).catch(() => undefined);
        if (stat?.isFile()) sizes.set(hash, stat.size);
      }
      return sizes;
    },
    clean: (isOld = () => false) => underLock(options, () => clean(options, isOld)),
  };
}

async function underLock<T>({ dir, clock, ids }: StorageOptions, run: () => Promise<T>): Promise<T> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const lock = await takeLock(join(dir, 'clean.lock'), { fs: nodeFs, clock, ids });
  if (!lock) throw new UserError(l10n.t('Another window is cleaning up right now.'));
  try {
    return await run();
  } finally {
    await lock.release();
  }
}

async function clean({ dir, inventory, clock, ids }: StorageOptions, isOld: (file: LoggedFile) => boolean) {
  const kept = await neededHashes(inventory, isOld);
  const trash = join(dir, 'tmp');
  await mkdir(trash, { recursive: true, mode: 0o700 });
  let [removed, freed] = [0, 0];
  for (const hash of await hashesIn(join(dir, 'blobs'))) {
    if (kept.has(hash)) continue;
    const size = await discard(join(dir, 'blobs', hash), join(trash, ids.random()), clock.now());
    if (size === undefined) continue;
    removed += 1;
    freed += size;
  }
  return { removed, freed };
}

async function neededHashes(inventory: Inventory, isOld: (file: LoggedFile) => boolean): Promise<ReadonlySet<string>> {
  const sessions = await inventory.read().catch((error: unknown) => {
    throw new UserError(l10n.t('A session can’t be read, so nothing was cleaned up.'), { cause: error });
  });
  const files = sessions.flatMap((session) => session.files.filter((file) => !isOld(file)));
  const made = files.flatMap(({ hash }) => (hash === undefined ? [] : [hash]));
  return new Set([...made, ...sessions.flatMap(({ needs }) => [...needs])]);
}

/** Its size; undefined when it stays. It is out of the way before it is looked at: it may be stored again right now. */
async function discard(blob: string, trash: string, now: number): Promise<number | undefined> {
  try {
    const before = await lstat(blob);
    if (!before.isFile() || isJustStored(before.mtimeMs, now)) return undefined;
    await rename(blob, trash);
    const { size, mtimeMs } = await lstat(trash);
    if (isJustStored(mtimeMs, now)) {
      await rename(trash, blob);
      return undefined;
    }
    await rm(trash, { force: true });
    return size;
  } catch {
    // Open in a program on Windows, or gone: the next time.
    return undefined;
  }
}

function isJustStored(mtimeMs: number, now: number): boolean {
  return Math.abs(now - mtimeMs) < JUST_STORED_MS;
}

async function hashesIn(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => HASH.test(name));
}
