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

/**
 * A file is under its hash before its session's log says so: one that the user gave for as long as its upload takes.
 * What a session had and let go of needs no such patience. Milliseconds.
 */
const MAY_BE_NEW_MS = 24 * 60 * 60 * 1000;
const JUST_STORED_MS = 60_000;
const HASH = /^[0-9a-f]{64}$/;

export function createStorage(options: StorageOptions): Storage {
  const dir = join(options.dir, 'blobs');
  return {
    blobs: () => sizesIn(dir),
    clean: (isOld = () => false) => underLock(options, () => clean(options, isOld)),
  };
}

/** Bytes that the store in `dir` takes. */
export async function usedBytes(dir: string): Promise<number> {
  const sizes = await sizesIn(join(dir, 'blobs'));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function sizesIn(blobs: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const hash of await hashesIn(blobs)) {
    const stat = await lstat(join(blobs, hash)).catch(() => undefined);
    if (stat?.isFile()) sizes.set(hash, stat.size);
  }
  return sizes;
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
  const { kept, letGo } = await standing(inventory, isOld);
  const trash = join(dir, 'tmp');
  await mkdir(trash, { recursive: true, mode: 0o700 });
  let [removed, freed] = [0, 0];
  for (const hash of await hashesIn(join(dir, 'blobs'))) {
    if (kept.has(hash)) continue;
    const youngest = clock.now() - (letGo.has(hash) ? JUST_STORED_MS : MAY_BE_NEW_MS);
    const size = await discard(join(dir, 'blobs', hash), join(trash, ids.random()), youngest);
    if (size === undefined) continue;
    removed += 1;
    freed += size;
  }
  return { removed, freed };
}

interface Standing {
  readonly kept: ReadonlySet<string>;
  readonly letGo: ReadonlySet<string>;
}

async function standing(inventory: Inventory, isOld: (file: LoggedFile) => boolean): Promise<Standing> {
  const sessions = await inventory.read().catch((error: unknown) => {
    throw new UserError(l10n.t('A session can’t be read, so nothing was cleaned up.'), { cause: error });
  });
  const kept = new Set(sessions.flatMap(({ needs }) => [...needs]));
  const letGo = new Set(sessions.flatMap(({ released }) => [...released]));
  for (const file of sessions.flatMap(({ files }) => files)) {
    if (file.hash !== undefined) (isOld(file) ? letGo : kept).add(file.hash);
  }
  return { kept, letGo };
}

/** Its size; undefined when it stays. It is out of the way before it is looked at: it may be stored again right now. */
async function discard(blob: string, trash: string, youngest: number): Promise<number | undefined> {
  try {
    const before = await lstat(blob);
    if (!before.isFile() || before.mtimeMs > youngest) return undefined;
    await rename(blob, trash);
    const { size, mtimeMs } = await lstat(trash);
    if (mtimeMs > youngest) {
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

async function hashesIn(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => HASH.test(name));
}
