import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import type { StoredFile } from '../../core/ports.ts';
import { sanitizeFileName } from '../../node/attachments/fileName.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Read-only copies under their own names, for editors and other programs: a blob's name is its hash. */
export interface LocalCopies {
  /** The path of the copy. */
  of(blob: StoredFile, name: string): Promise<string>;
}

export function createLocalCopies(folder: string): LocalCopies {
  let pruned: Promise<void> | undefined;
  return {
    async of(blob, name) {
      pruned ??= prune(folder);
      await pruned;
      return copyOf(folder, blob, sanitizeFileName(name));
    },
  };
}

/** One folder per content, so that equal names don't collide and a second Open finds the first copy. */
async function copyOf(root: string, blob: StoredFile, name: string): Promise<string> {
  const folder = join(root, blob.hash.slice(0, 24));
  const copy = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const there = await stat(copy).catch(() => undefined);
  if (there?.size === blob.size) return copy;
  await rm(copy, { force: true });
  await copyFile(blob.path, copy, constants.COPYFILE_FICLONE);
  await chmod(copy, 0o444);
  return copy;
}

/** Copies are not kept for ever. A folder that can't be removed is left for the next time. */
async function prune(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  for (const name of names) {
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > KEPT_MS) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
