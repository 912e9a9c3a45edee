import type { FileHandle } from 'node:fs/promises';
import type { LogEntry } from '../../core/session/entries.ts';
import { isEntry } from './entryShape.ts';
import type { LogFs } from './logFs.ts';

/** Bytes that are read from the end of a session's file at first, and at most where they hold no whole entry. */
const FIRST_WINDOW = 128 * 1024;
const LARGEST_WINDOW = 4 * 1024 * 1024;

/**
 * The last entries of a session, from the end of its file, however large that is: what a first screen needs. None where
 * the file is so small that it can be read as a whole as fast. Takes no lock. Never rejects: what is wrong with the file
 * is said when it is opened.
 */
export async function readTail(fs: LogFs, path: string): Promise<readonly LogEntry[]> {
  let file: FileHandle | undefined;
  try {
    file = await fs.open(path, 'r');
    const { size } = await file.stat();
    for (let window = FIRST_WINDOW; window < size && window <= LARGEST_WINDOW; window *= 2) {
      const entries = await entriesOf(file, size - window, window);
      if (entries.length > 0) return entries;
    }
    return [];
  } catch {
    return [];
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** The whole entries from there on; what comes before the first line end is the rest of an earlier one. */
async function entriesOf(file: FileHandle, position: number, length: number): Promise<readonly LogEntry[]> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  const start = buffer.indexOf('\n') + 1;
  if (start === 0) return [];
  const lines = buffer.toString('utf8', start, bytesRead).split('\n');
  return lines.flatMap((line) => {
    const value = parse(line);
    return isEntry(value) ? [value] : [];
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
