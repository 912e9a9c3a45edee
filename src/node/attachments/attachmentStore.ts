import * as l10n from '@vscode/l10n';
import { createHash } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { CancelledError, UserError } from '../../core/errors.ts';
import type { AttachmentPort, Ids, StoredFile } from '../../core/ports.ts';
import { imageType, SNIFF_BYTES } from '../../core/base/image.ts';
import { usedBytes } from './storage.ts';

export interface AttachmentStoreOptions {
  /** Absolute path; `blobs/<hash>` and `tmp/` are made in it. */
  readonly dir: string;
  /** Of one file, counted as the bytes arrive: what the server says about the size is not asked. */
  readonly maxBytes: number;
  readonly ids: Ids;
  /** Of all files together, bytes; 0 for no limit. Asked anew for each file. */
  readonly quota?: () => number;
}

/** Files by the hash of their content. A blob is whole or not there: it gets its name after its last byte is durable. */
export function createAttachmentStore(options: AttachmentStoreOptions): AttachmentPort {
  const blobs = join(options.dir, 'blobs');
  const parts = join(options.dir, 'tmp');
  let tidied: Promise<void> | undefined;
  return {
    async store(content, signal) {
      const part = join(parts, options.ids.random());
      let received: Received;
      try {
        await makeFolders(blobs, parts);
        tidied ??= removeOldParts(parts);
        await tidied;
        received = await receive(content, part, { signal, maxBytes: options.maxBytes, room: await roomIn(options) });
        await publish(part, join(blobs, received.hash));
      } catch (error) {
        await fs.rm(part, { force: true }).catch(() => undefined);
        throw error;
      }
      return { ...received, path: join(blobs, received.hash) };
    },
    find: (hash) => find(blobs, hash),
  };
}

interface Received {
  readonly hash: string;
  readonly size: number;
  readonly imageType: StoredFile['imageType'];
}

interface Limits {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** What the quota leaves, bytes. */
  readonly room: number;
}

/** What is there is looked at, never counted along: other windows store and clean up too. */
async function roomIn({ dir, quota }: AttachmentStoreOptions): Promise<number> {
  const most = quota?.() ?? 0;
  return most === 0 ? Infinity : most - (await usedBytes(dir));
}

/** The next chunk is asked for when the last one is written, so that nothing piles up in memory. */
async function receive(content: AsyncIterable<Uint8Array>, part: string, limits: Limits): Promise<Received> {
  if (limits.signal.aborted) throw new CancelledError();
  const file = await disk(fs.open(part, 'wx', 0o600));
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  try {
    await eachChunk(content, limits.signal, async (chunk) => {
      size += chunk.length;
      if (size > limits.maxBytes) throw tooLarge(limits.maxBytes);
      if (size > limits.room) throw noRoom();
      hash.update(chunk);
      if (head.length < SNIFF_BYTES) head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
      await disk(writeAll(file, chunk));
    });
    await disk(file.sync());
  } finally {
    await file.close();
  }
  return { hash: hash.digest('hex'), size, imageType: imageType(head) };
}

/** Abort ends the waiting at once, also when the source never yields again. */
async function eachChunk(
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  use: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const source = content[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await orAborted(source.next(), signal);
      if (step.done) return;
      await use(step.value);
    }
  } catch (error) {
    // Tells the source to stop, without waiting for one that hangs.
    void source.return?.().then(undefined, () => undefined);
    throw error;
  }
}

/** No race against one promise for all chunks: it would hold each of them until its own end. */
function orAborted<T>(step: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(new CancelledError());
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new CancelledError());
    signal.addEventListener('abort', onAbort, { once: true });
    step.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done);
    if (bytesWritten === 0) throw Object.assign(new Error('Nothing was written'), { code: 'ENOSPC' });
    done += bytesWritten;
  }
}

async function publish(part: string, blob: string): Promise<void> {
  try {
    await fs.rename(part, blob);
  } catch (error) {
    // Windows refuses to replace a file that is open somewhere; the same hash is the same content.
    if (!(await fs.stat(blob).catch(() => undefined))?.isFile()) throw diskError(error);
    await fs.rm(part, { force: true });
  }
}

async function find(blobs: string, hash: string): Promise<StoredFile | undefined> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const path = join(blobs, hash);
  try {
    const file = await fs.open(path, 'r');
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return undefined;
      const head = Buffer.alloc(SNIFF_BYTES);
      const { bytesRead } = await file.read(head, 0, SNIFF_BYTES, 0);
      return { hash, size: stat.size, imageType: imageType(head.subarray(0, bytesRead)), path };
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

async function makeFolders(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await disk(fs.mkdir(folder, { recursive: true, mode: 0o700 }));
}

const oldPart = 24 * 60 * 60 * 1000;

/** What a killed window left. Another window's download that runs right now is younger. */
async function removeOldParts(parts: string): Promise<void> {
  for (const name of await fs.readdir(parts).catch(() => [])) {
    const path = join(parts, name);
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat && Date.now() - stat.mtimeMs > oldPart) await fs.rm(path, { force: true }).catch(() => undefined);
  }
}

/** What our own disk refuses becomes a sentence; what the source throws goes through as it is. */
async function disk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw diskError(error);
  }
}

function diskError(error: unknown): UserError {
  const code = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error);
  const text =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? l10n.t('The disk is full, so the file could not be kept. Free some space and try again.')
      : l10n.t('The file could not be kept on this computer ({0}).', code);
  return new UserError(text, { cause: error });
}

function tooLarge(maxBytes: number): UserError {
  return new UserError(l10n.t('The file is larger than {0} MB, the most that is kept.', Math.floor(maxBytes / 1e6)));
}

function noRoom(): UserError {
  return new UserError(
    l10n.t(
      'The space for attachments is used up, so the file was not kept. Free some with Loopdock: Attachment Storage.',
    ),
  );
}
