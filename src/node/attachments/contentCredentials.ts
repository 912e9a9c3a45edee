import { X509Certificate } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { readCbor, type Cbor } from './cbor.ts';
import { readPiece } from './readPiece.ts';

/** What a file says about where it comes from. Nothing of it is verified: the signature is not checked. */
export interface ContentCredentials {
  /** Whom the signing certificate names: its organization, else its common name. */
  readonly issuer?: string;
  /** When a time-stamping authority saw the signature: ISO 8601. */
  readonly at?: string;
}

/** Larger manifests are only said to be there: bytes. */
const MOST_MANIFEST = 16 * 1024 * 1024;
const MOST_PARTS = 100_000;
/** Of a whole manifest; real ones have some hundred. */
const MOST_BOXES = 20_000;
/** Of a signature with its certificates and time stamps: bytes. */
const MOST_SIGNATURE = 1024 * 1024;
const MOST_DEPTH = 8;
const X5CHAIN = 33;

/**
 * The Content Credentials (C2PA) of a PNG, JPEG or RIFF file (WebP, WAV); undefined where it has none. Never throws: a
 * manifest that can't be read is there all the same, without issuer and time.
 */
export async function readCredentials(path: string): Promise<ContentCredentials | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const manifest = await manifestOf(file, (await file.stat()).size);
      return manifest && readManifest(manifest);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

// --- Where formats keep the manifest -----------------------------------------------------------------------------------

async function manifestOf(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const head = Buffer.from(await readPiece(file, 0, 12));
  if (head.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return pngManifest(file, size);
  if (head[0] === 0xff && head[1] === 0xd8) return jpegManifest(file, size);
  return head.toString('latin1', 0, 4) === 'RIFF' ? riffManifest(file, size) : undefined;
}

async function pngManifest(file: FileHandle, size: number): Promise<Buffer | undefined> {
  for (let at = 8, nth = 0; at + 12 <= size && nth < MOST_PARTS; nth++) {
    const head = Buffer.from(await readPiece(file, at, 8));
    const length = head.readUInt32BE(0);
    if (head.toString('latin1', 4) === 'caBX') return content(file, at + 8, length);
    at += 12 + length;
  }
  return undefined;
}

/** APP11 segments of the type `JP`; those of one box follow each other, and each repeats the box's head. */
async function jpegManifest(file: FileHandle, size: number): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let held = 0;
  for (let at = 2, nth = 0; at + 4 <= size && nth < MOST_PARTS && held < MOST_MANIFEST; nth++) {
    const head = Buffer.from(await readPiece(file, at, 4));
    if (head[0] !== 0xff || head[1] === 0xda || head[1] === 0xd9) break;
    const length = head.readUInt16BE(2);
    if (head[1] === 0xeb) {
      const segment = Buffer.from(await readPiece(file, at + 4, length - 2));
      if (segment.toString('latin1', 0, 2) === 'JP') {
        parts.push(segment.subarray(parts.length === 0 ? 8 : 16));
        held += segment.length;
      }
    }
    at += 2 + length;
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

async function riffManifest(file: FileHandle, size: number): Promise<Buffer | undefined> {
  for (let at = 12, nth = 0; at + 8 <= size && nth < MOST_PARTS; nth++) {
    const head = Buffer.from(await readPiece(file, at, 8));
    const length = head.readUInt32LE(4);
    if (head.toString('latin1', 0, 4) === 'C2PA') return content(file, at + 8, length);
    at += 8 + length + (length % 2);
  }
  return undefined;
}

async function content(file: FileHandle, at: number, length: number): Promise<Buffer> {
  return Buffer.from(await readPiece(file, at, Math.min(length, MOST_MANIFEST)));
}

// --- What it says ------------------------------------------------------------------------------------------------------

/** Undefined when it is something else that only sits in the same place. */
function readManifest(store: Buffer): ContentCredentials | undefined {
  const budget: Budget = { boxes: MOST_BOXES };
  const [root] = boxesIn(store, budget);
  if (root?.type !== 'jumb' || labelOf(root.content, budget) !== 'c2pa') return undefined;
  // The newest manifest comes last, and is the one that counts.
  const active = boxesIn(root.content, budget).findLast(({ type }) => type === 'jumb');
  const signature = active && find(active.content, 'c2pa.signature', { budget, depth: 0 });
  const sealed = signature && boxesIn(signature, budget).find(({ type }) => type === 'cbor');
  if (!sealed || sealed.content.length > MOST_SIGNATURE) return {};
  try {
    return { ...issuerOf(sealed.content), ...timeOf(sealed.content) };
  } catch {
    return {};
  }
}

interface Box {
  readonly type: string;
  readonly content: Buffer;
}

/** What may still be read: a hostile file nests millions of boxes, and would hold up the whole host. */
interface Budget {
  boxes: number;
}

/** The boxes of a JUMBF content (ISO 19566-5), as far as they are whole and the budget goes. */
function boxesIn(bytes: Buffer, budget: Budget): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length && budget.boxes > 0; budget.boxes--) {
    const length = bytes.readUInt32BE(at);
    // 0: up to the end. 1: a length of eight bytes, which no manifest of ours needs.
    const end = length === 0 ? bytes.length : at + length;
    if (length === 1 || end < at + 8 || end > bytes.length) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, end) });
    at = end;
  }
  return boxes;
}

/** The label in a superbox's description: behind a UUID and one byte of flags, up to a NUL. */
function labelOf(superbox: Buffer, budget: Budget): string | undefined {
  const description = boxesIn(superbox, budget).find(({ type }) => type === 'jumd')?.content;
  if (!description) return undefined;
  const end = description.indexOf(0, 17);
  return description.toString('latin1', 17, end < 0 ? undefined : end);
}

function find(
  superbox: Buffer,
  label: string,
  { budget, depth }: { readonly budget: Budget; readonly depth: number },
): Buffer | undefined {
  if (depth > MOST_DEPTH) return undefined;
  for (const { type, content: inner } of boxesIn(superbox, budget)) {
    if (type !== 'jumb') continue;
    const found = labelOf(inner, budget) === label ? inner : find(inner, label, { budget, depth: depth + 1 });
    if (found) return found;
  }
  return undefined;
}

/** Of a COSE_Sign1: the first certificate of its chain, which may be in either header. */
function issuerOf(cose: Buffer): { readonly issuer?: string } {
  const [sealedHeader, openHeader] = signOne(cose);
  const header = sealedHeader instanceof Uint8Array && sealedHeader.length > 0 ? readCbor(sealedHeader) : undefined;
  const chain = mapAt(header, X5CHAIN) ?? mapAt(openHeader, X5CHAIN) ?? mapAt(openHeader, 'x5chain');
  const first: unknown = Array.isArray(chain) ? chain[0] : chain;
  if (!(first instanceof Uint8Array)) return {};
  const fields = new X509Certificate(Buffer.from(first)).subject.split('\n').map((line) => line.split(/=(.*)/s));
  const name = ['O', 'CN'].map((key) => fields.find(([field]) => field === key)?.[1]).find(Boolean);
  return name === undefined ? {} : { issuer: name };
}

function signOne(cose: Buffer): readonly Cbor[] {
  const value = readCbor(cose);
  return Array.isArray(value) ? (value as readonly Cbor[]) : [];
}

function mapAt(map: Cbor, key: string | number): Cbor {
  return map instanceof Map ? (map as ReadonlyMap<Cbor, Cbor>).get(key) : undefined;
}

/** The time in an RFC 3161 token: the first one behind the type of its content (`id-ct-TSTInfo`). */
function timeOf(cose: Buffer): { readonly at?: string } {
  const type = Buffer.from('060b2a864886f70d0109100104', 'hex');
  const start = cose.indexOf(type);
  if (start < 0) return {};
  const rest = cose.toString('latin1', start, start + 1000);
  const match = /(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z/.exec(rest);
  // A GeneralizedTime: its tag, and a length of one byte.
  if (!match || cose[start + match.index - 2] !== 0x18) return {};
  const found = match.slice(1);
  const [year, month, day, hour, minute, second] = found.map(Number);
  const at = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return { at: new Date(at).toISOString() };
}
