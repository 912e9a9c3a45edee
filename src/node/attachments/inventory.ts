import { join } from 'node:path';
import type { FileHandle } from 'node:fs/promises';
import { createSerial } from '../../core/base/serial.ts';
import type { AttachmentStored } from '../../core/session/entries.ts';
import { isEntry } from '../log/entryShape.ts';
import { errorCode, nodeFs, type LogFs } from '../log/logFs.ts';

/** A file that a server tool made, as the newest entry of its session's log has it. */
export interface LoggedFile extends AttachmentStored {
  readonly sessionId: string;
}

/** What one session's log says about files. */
export interface SessionFiles {
  readonly sessionId: string;
  /** Newest first. */
  readonly files: readonly LoggedFile[];
  /**
   * Hashes that the log names beside what server tools made: what the user gave, and whatever stands in damaged lines
   * and in entries of unknown types.
   */
  readonly needs: ReadonlySet<string>;
  /** Hashes that its files had before they were deleted, or made again. */
  readonly released: ReadonlySet<string>;
}

export interface Inventory {
  /**
   * Reads what is new in the logs since the last time. Throws what the file system throws, but for logs that are gone:
   * who decides by it what is no longer needed must not take a log that can't be read for an empty one.
   */
  read(): Promise<readonly SessionFiles[]>;
}

const SUFFIX = '.jsonl';
const CHUNK_BYTES = 256 * 1024;
/** An entry about a file is shorter; of longer lines only the beginning is ever in memory. Bytes. */
const LONGEST_LINE = 64 * 1024;
const MARK = Buffer.from('"hash":"');
const HASH_LENGTH = 64;
const LINE_FEED = 0x0a;
/** How every entry begins that our log writes. */
const BEGINNING = /^\{"id":"[^"\\]*","parentId":(?:null|"[^"\\]*"),"at":"[^"\\]*","type":"attachmentStored"/;

/** The files of all sessions, from the logs and nothing else. Only what was appended since is read again. */
export function createInventory(dir: string, fs: LogFs = nodeFs): Inventory {
  const known = new Map<string, Scan>();
  const serial = createSerial();
  return {
    read: () => serial.run(() => readAll(dir, fs, known)),
  };
}

async function readAll(dir: string, fs: LogFs, known: Map<string, Scan>): Promise<readonly SessionFiles[]> {
  const waiting = await sessionsIn(dir, fs);
  for (const id of known.keys()) if (!waiting.includes(id)) known.delete(id);
  const found: SessionFiles[] = [];
  const work = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const scan = await bringUpToDate(join(dir, id + SUFFIX), known.get(id), fs);
      if (scan === undefined) continue;
      known.set(id, scan);
      found.push(summaryOf(id, scan));
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return found;
}

interface Scan {
  readonly inode: number;
  /** Behind the last whole line, bytes. */
  offset: number;
  /** By the API's file id. */
  readonly files: Map<string, AttachmentStored>;
  /** How often each hash is named, but for entries about files of server tools. */
  readonly others: Map<string, number>;
  readonly released: Set<string>;
  /** Where the last hash was found, bytes. */
  lastMark: number;
}

async function sessionsIn(dir: string, fs: LogFs): Promise<string[]> {
  try {
    const names = await fs.readdir(dir);
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined for a log that is gone, or is no file. */
async function bringUpToDate(path: string, before: Scan | undefined, fs: LogFs): Promise<Scan | undefined> {
  let file: FileHandle;
  try {
    if (!(await fs.lstat(path)).isFile()) return undefined;
    file = await fs.open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, size } = await file.stat();
    const goesOn = before !== undefined && before.inode === ino && before.offset <= size;
    const scan = goesOn
      ? before
      : { inode: ino, offset: 0, files: new Map(), others: new Map(), released: new Set<string>(), lastMark: -1 };
    if (scan.offset < size) await readOn(file, scan);
    return scan;
  } finally {
    await file.close();
  }
}

async function readOn(file: FileHandle, scan: Scan): Promise<void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let line: Buffer[] = [];
  let length = 0;
  let overlap = Buffer.alloc(0);
  for (let at = scan.offset; ;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    const chunk = buffer.subarray(0, bytesRead);
    // A mark may lie across the border of two chunks.
    const seam = Buffer.concat([overlap, chunk.subarray(0, MARK.length + HASH_LENGTH)]);
    collectHashes(seam, at - overlap.length, scan);
    collectHashes(chunk, at, scan);
    overlap = Buffer.from(chunk.subarray(-(MARK.length + HASH_LENGTH)));
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      take(Buffer.concat([...line, keep(chunk.subarray(start, end), length)]), scan);
      [line, length] = [[], 0];
      start = end + 1;
      scan.offset = at + start;
    }
    const rest = keep(chunk.subarray(start), length);
    if (rest.length > 0) line.push(Buffer.from(rest));
    length += rest.length;
    at += bytesRead;
  }
}

function keep(part: Buffer, have: number): Buffer {
  return part.subarray(0, Math.max(0, LONGEST_LINE - have));
}

/** `start`: where the bytes are in the file. */
function collectHashes(bytes: Buffer, start: number, scan: Scan): void {
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    const hash = bytes.toString('latin1', at + MARK.length, at + MARK.length + HASH_LENGTH);
    if (start + at <= scan.lastMark || !/^[0-9a-f]{64}$/.test(hash)) continue;
    scan.lastMark = start + at;
    count(scan, hash, 1);
  }
}

function count({ others }: Scan, hash: string, by: 1 | -1): void {
  const now = (others.get(hash) ?? 0) + by;
  if (now === 0) others.delete(hash);
  else others.set(hash, now);
}

function take(line: Buffer, scan: Scan): void {
  if (!BEGINNING.test(line.toString('latin1', 0, 600))) return;
  const entry = parse(line.toString('utf8'));
  if (!isEntry(entry) || entry.type !== 'attachmentStored') return;
  if (entry.hash !== undefined) count(scan, entry.hash, -1);
  const before = scan.files.get(entry.fileId)?.hash;
  if (before !== undefined && before !== entry.hash) scan.released.add(before);
  // The newest comes last.
  scan.files.delete(entry.fileId);
  scan.files.set(entry.fileId, entry);
}

function summaryOf(sessionId: string, { files, others, released }: Scan): SessionFiles {
  const all = [...files.values()].reverse().map((entry) => ({ ...entry, sessionId }));
  const needs = [...others].filter(([, times]) => times > 0).map(([hash]) => hash);
  return { sessionId, files: all, needs: new Set(needs), released };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
