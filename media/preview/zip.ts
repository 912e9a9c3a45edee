import type { ByteSource } from './source.ts';

/** Why a file is not read any further. The name is a key of the page's strings. */
export class RefusedError extends Error {
  readonly reason: 'notSpreadsheet' | 'zipTooMany' | 'zipBomb' | 'zipEncrypted' | 'tableTooLarge';

  constructor(reason: RefusedError['reason']) {
    super(reason);
    this.reason = reason;
  }
}

export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly encrypted: boolean;
  /** Bytes in the package. */
  readonly packed: number;
  /** Where its local header is. */
  readonly offset: number;
}

const MOST_ENTRIES = 10_000;
const MOST_DIRECTORY = 4 * 1024 * 1024;
/** What little is packed may hold much; beyond this much it may not be as thin as that. */
const FREE_BYTES = 1024 * 1024;
const HIGHEST_RATIO = 250;
/** One piece unfolds to a thousand times its size at most: bytes. */
const PIECE = 16 * 1024;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;

/**
 * The directory of a ZIP package, by name. Nothing is unpacked, and names are only looked up. Throws `RefusedError` for
 * what is none, for ZIP64 and for too many entries.
 */
export async function readDirectory(source: ByteSource): Promise<ReadonlyMap<string, ZipEntry>> {
  const length = Math.min(source.size, END_BYTES + 0xffff);
  const tail = await source.read(source.size - length, length);
  const end = findEnd(view(tail));
  if (end === undefined) throw new RefusedError('notSpreadsheet');
  const count = view(tail).getUint16(end + 10, true);
  const size = view(tail).getUint32(end + 12, true);
  const offset = view(tail).getUint32(end + 16, true);
  if (count > MOST_ENTRIES || size > MOST_DIRECTORY) throw new RefusedError('zipTooMany');
  if (offset + size > source.size) throw new RefusedError('notSpreadsheet');
  return entriesOf(await source.read(offset, size), count);
}

function findEnd(tail: DataView): number | undefined {
  for (let at = tail.byteLength - END_BYTES; at >= 0; at--) if (tail.getUint32(at, true) === END) return at;
  return undefined;
}

function entriesOf(directory: Uint8Array, count: number): ReadonlyMap<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  const data = view(directory);
  for (let at = 0, nth = 0; nth < count && at + 46 <= directory.length; nth++) {
    if (data.getUint32(at, true) !== ENTRY) break;
    const nameLength = data.getUint16(at + 28, true);
    const name = new TextDecoder().decode(directory.subarray(at + 46, at + 46 + nameLength));
    entries.set(name, {
      name,
      method: data.getUint16(at + 10, true),
      encrypted: (data.getUint16(at + 8, true) & 1) === 1,
      packed: data.getUint32(at + 20, true),
      offset: data.getUint32(at + 42, true),
    });
    at += 46 + nameLength + data.getUint16(at + 30, true) + data.getUint16(at + 32, true);
  }
  return entries;
}

export interface Unpacked {
  readonly text: string;
  /** The entry has more. */
  readonly cut: boolean;
}

/** The beginning of an entry as text, `most` bytes of it, in memory only. Throws `RefusedError`. */
export async function readEntry(source: ByteSource, entry: ZipEntry, most: number): Promise<Unpacked> {
  if (entry.encrypted) throw new RefusedError('zipEncrypted');
  if (entry.method !== 0 && entry.method !== 8) throw new RefusedError('notSpreadsheet');
  const header = await source.read(entry.offset, 30);
  if (header.length < 30) throw new RefusedError('notSpreadsheet');
  const start = entry.offset + 30 + view(header).getUint16(26, true) + view(header).getUint16(28, true);
  const packed = pieces(source, start, entry.packed);
  const { bytes, cut } = await collect(entry.method === 0 ? packed : inflate(packed), most);
  return { text: new TextDecoder().decode(bytes), cut };
}

interface Piece {
  readonly bytes: Uint8Array;
  /** How many packed bytes were read for all that came so far. */
  readonly packed: number;
}

async function* pieces(source: ByteSource, start: number, length: number): AsyncGenerator<Piece> {
  for (let at = 0; at < length;) {
    const bytes = await source.read(start + at, Math.min(PIECE, length - at));
    if (bytes.length === 0) return;
    at += bytes.length;
    yield { bytes, packed: at };
  }
}

/** Asks for the next piece only when what came of the last one was taken. */
async function* inflate(packed: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  let read = 0;
  const feed = (async () => {
    for await (const piece of packed) {
      read = piece.packed;
      await writer.ready;
      await writer.write(piece.bytes as Uint8Array<ArrayBuffer>);
    }
    await writer.close();
  })();
  feed.catch(() => undefined);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { bytes: value, packed: read };
    }
  } catch {
    throw new RefusedError('notSpreadsheet');
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function collect(unpacked: AsyncGenerator<Piece>, most: number): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const { bytes, packed } of unpacked) {
    total += bytes.length;
    if (total > FREE_BYTES && total > packed * HIGHEST_RATIO) throw new RefusedError('zipBomb');
    parts.push(bytes);
    if (total > most) return { bytes: join(parts, most), cut: true };
  }
  return { bytes: join(parts, total), cut: false };
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part.subarray(0, length - at), at);
    at += part.length;
  }
  return whole;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
