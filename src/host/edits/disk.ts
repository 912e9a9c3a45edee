import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, opendir, lstat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathFacts } from '../../core/approval/effects.ts';
import { ToolError } from '../../core/errors.ts';
import type { DirectoryEntry } from '../../core/ports.ts';
import { NOT_FOUND, pathForModel, showSize } from '../../core/tools/textEditorText.ts';

export interface DiskFile {
  readonly bytes: Uint8Array;
  /** SHA-256, hex. */
  readonly hash: string;
}

const MAX_ENTRIES = 5000;
/** Never through a link that came meanwhile, and never waiting for the other end of a pipe. Windows has neither: `| undefined` adds nothing. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The bytes of a regular file; undefined when there is none. Throws `ToolError` for anything else, for more than
 * `maxBytes` (also when the file grows while it is read) and where reading is not permitted.
 */
export async function readDisk(path: PathFacts, maxBytes: number): Promise<DiskFile | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path.canonical, READ_FLAGS);
    const stat = await file.stat();
    if (!stat.isFile()) throw new ToolError(`Error: ${pathForModel(path)} is not a regular file.`);
    if (stat.size > maxBytes) throw tooLarge(path, stat.size, maxBytes);
    const bytes = await readUpTo(file, maxBytes);
    if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
    return { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw readFailure(path, error);
  } finally {
    await file?.close();
  }
}

async function readUpTo(file: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total <= maxBytes) {
    const chunk = new Uint8Array(Math.min(1 << 20, maxBytes + 1 - total));
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    total += bytesRead;
  }
  return Buffer.concat(chunks);
}

function tooLarge(path: PathFacts, size: number, maxBytes: number): ToolError {
  const limit = `${showSize(size)}; the limit is ${showSize(maxBytes)}`;
  return new ToolError(`Error: ${pathForModel(path)} has ${limit}. Use bash for files of this size.`);
}

function readFailure(path: PathFacts, error: unknown): ToolError {
  const { code } = error as NodeJS.ErrnoException;
  const name = pathForModel(path);
  if (code === 'EACCES' || code === 'EPERM') return new ToolError(`Error: Permission denied. Cannot read ${name}.`);
  if (code === 'ELOOP') return new ToolError(`Error: ${name} has become a symbolic link meanwhile.`);
  return new ToolError(`Error: ${name} could not be read (${code ?? 'unknown error'}).`);
}

/** The entries of one directory, at most 5,000. Links are not followed. Throws `ToolError`. */
export async function listDisk(path: PathFacts): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  try {
    for await (const entry of await opendir(path.canonical)) {
      if (entries.length >= MAX_ENTRIES) break;
      const kind = entry.isDirectory()
        ? 'directory'
        : entry.isFile()
          ? 'file'
          : entry.isSymbolicLink()
            ? 'link'
            : 'other';
      entries.push({
        name: entry.name,
        kind,
        size: kind === 'file' ? await sizeOf(join(path.canonical, entry.name)) : 0,
      });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === 'ENOENT' ? new ToolError(NOT_FOUND) : readFailure(path, error);
  }
  return entries;
}

async function sizeOf(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
