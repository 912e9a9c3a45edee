import * as l10n from '@vscode/l10n';
import { constants, type Stats } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { basename, extname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foldNames, looksSecret } from '../../core/approval/paths.ts';
import { imageType } from '../../core/base/image.ts';
import { UserError } from '../../core/errors.ts';
import type { InputPort, LocalFile } from '../../core/inputPort.ts';
import { sanitizeFileName } from '../attachments/fileName.ts';
import { mimeTypeOf } from './mimeTypes.ts';

const CHUNK_BYTES = 256 * 1024;
/** Enough to tell a text from a binary file. */
const HEAD_BYTES = 8 * 1024;

export interface LocalFilesOptions {
  /** Absolute paths of the workspace folders, for names that are shown and for what is secret. */
  readonly roots: () => readonly string[];
  /** Whether the project leaves this file out of its history. Never rejects. */
  readonly isIgnored: (path: string) => Promise<boolean>;
}

/** Files of this computer. Each one is opened without waiting and judged by what was opened, so that a pipe hangs nothing. */
export function createLocalFiles(options: LocalFilesOptions): Pick<InputPort, 'look' | 'read' | 'readStored'> {
  return {
    async look(uri) {
      const path = pathOf(uri);
      const { stats, head } = await opened(path, async (file, found) => ({ stats: found, head: await headOf(file) }));
      const shown = shownPath(path, options.roots());
      const caution = looksSecret(foldNames(shown.split('/')))
        ? 'secret'
        : (await options.isIgnored(path))
          ? 'ignored'
          : undefined;
      return {
        uri,
        path: shown,
        name: sanitizeFileName(basename(path)),
        size: stats.size,
        ...kindOf(path, head),
        stamp: stampOf(stats),
        ...(caution === undefined ? {} : { caution }),
      };
    },
    read: (file) => readUnchanged(file),
    readStored: ({ path }) => readStored(path),
  };
}

/** A file that is stored already, under another name than its own. It is judged by its first bytes and by `name`. */
export async function lookStored(path: string, name: string): Promise<Pick<LocalFile, 'mimeType' | 'content'>> {
  return kindOf(name, await opened(path, headOf));
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    throw new UserError(l10n.t('Only files on this computer can be attached.'));
  }
}

function shownPath(path: string, roots: readonly string[]): string {
  const root = roots.find((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  return (root === undefined ? path : relative(root, path)).split(sep).join('/');
}

/** Opens a regular file for the time of `use`. Throws `UserError` for everything else. */
async function opened<T>(path: string, use: (file: FileHandle, stats: Stats) => Promise<T>): Promise<T> {
  const file = await openRegular(path);
  try {
    return await use(file.handle, file.stats);
  } finally {
    await file.handle.close();
  }
}

async function openRegular(path: string): Promise<{ readonly handle: FileHandle; readonly stats: Stats }> {
  const name = basename(path);
  let handle: FileHandle;
  try {
    // A pipe without a writer would keep a plain open waiting for ever.
    handle = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw unreadable(name, error);
  }
  try {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw new UserError(l10n.t('{0} is a folder. Attach the files in it, or a ZIP of it.', name));
    if (!stats.isFile())
      throw new UserError(l10n.t('{0} is no regular file (a pipe or a device), so it can’t be attached.', name));
    return { handle, stats };
  } catch (error) {
    await handle.close();
    throw error instanceof UserError ? error : unreadable(name, error);
  }
}

function unreadable(name: string, error: unknown): UserError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const texts: Readonly<Record<string, string>> = {
    ENOENT: l10n.t('{0} is not there any more.', name),
    EACCES: l10n.t('You may not read {0}.', name),
    EPERM: l10n.t('You may not read {0}.', name),
    EISDIR: l10n.t('{0} is a folder. Attach the files in it, or a ZIP of it.', name),
    ENXIO: l10n.t('{0} is no regular file (a pipe or a device), so it can’t be attached.', name),
  };
  return new UserError(texts[code] ?? l10n.t('{0} could not be read ({1}).', name, code), { cause: error });
}

async function headOf(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

function kindOf(path: string, head: Uint8Array): Pick<LocalFile, 'mimeType' | 'content'> {
  const image = imageType(head);
  if (image !== null) return { mimeType: image, content: 'image' };
  const named = mimeTypeOf(extname(path));
  if (Buffer.from(head.subarray(0, 1024)).includes('%PDF-')) return { mimeType: 'application/pdf', content: 'pdf' };
  if (isText(head)) return { mimeType: named ?? 'text/plain', content: 'text' };
  return { mimeType: named ?? 'application/octet-stream', content: 'binary' };
}

/** UTF-8 without control characters, but for a character that the head cuts. */
function isText(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    // eslint-disable-next-line no-control-regex -- what no text file holds
    return !/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(text);
  } catch {
    return false;
  }
}

function stampOf({ size, mtimeMs, ino }: Stats): string {
  return `${String(size)}-${String(mtimeMs)}-${String(ino)}`;
}

async function* readUnchanged(file: LocalFile): AsyncGenerator<Uint8Array> {
  const { handle, stats } = await openRegular(pathOf(file.uri));
  try {
    if (stampOf(stats) !== file.stamp) throw changed(file);
    // One buffer for all: freed one by one they would pile up until the next collection.
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    yield* chunksOf(handle, () => buffer);
    if (stampOf(await handle.stat()) !== file.stamp) throw changed(file);
  } finally {
    await handle.close();
  }
}

function changed({ name }: LocalFile): UserError {
  return new UserError(l10n.t('{0} changed while it was read. Nothing of it was kept; attach it again.', name));
}

async function* readStored(path: string): AsyncGenerator<Uint8Array> {
  const file = await fs.open(path, 'r');
  try {
    // What is written to a socket may still be on its way when the next one is asked for.
    yield* chunksOf(file, () => Buffer.allocUnsafeSlow(CHUNK_BYTES));
  } finally {
    await file.close();
  }
}

async function* chunksOf(file: FileHandle, nextBuffer: () => Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { buffer, bytesRead } = await file.read(nextBuffer(), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
