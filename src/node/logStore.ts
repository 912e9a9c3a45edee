import * as l10n from '@vscode/l10n';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../core/errors.ts';
import type { LogStorePort, SessionLog } from '../core/ports.ts';
import { LOG_VERSION, type LogEntry, type SessionHeader } from '../core/session/entries.ts';
import { AppendFile } from './log/appendFile.ts';
import { diskError } from './log/logErrors.ts';
import { errorCode, nodeFs, type LogFs } from './log/logFs.ts';
import { parseLog, type ParsedLog } from './log/parseLog.ts';
import { FileSessionLog, type SessionLogDeps } from './log/sessionLog.ts';
import { createSessionList, isSessionId } from './log/sessionList.ts';
import { readTail } from './log/tail.ts';
import { takeLock, type WriterLock } from './log/writerLock.ts';

export interface LogStoreOptions extends Omit<SessionLogDeps, 'onClosing'> {
  /** Absolute path of the folder that holds one `<id>.jsonl` per session; made when it is missing. */
  readonly dir: string;
  readonly fs?: LogFs;
}

type Context = SessionLogDeps & { readonly dir: string; readonly fs: LogFs };

const suffix = '.jsonl';
/** Windows has no `O_NOFOLLOW`. */
const writeFlags = constants.O_RDWR | constants.O_APPEND | ((constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0);

/** Session logs as files. What the files say is the truth: no index is trusted. */
export function createLogStore(options: LogStoreOptions): LogStorePort {
  /** Sessions of this store that are being closed: opening one again waits until its lock is free. */
  const closing = new Map<string, Promise<void>>();
  const context: Context = {
    ...options,
    fs: options.fs ?? nodeFs,
    onClosing(id, closed) {
      const all = Promise.all([closing.get(id), closed]).then(() => {
        if (closing.get(id) === all) closing.delete(id);
      });
      closing.set(id, all);
    },
  };
  return {
    create: (folders) => create(context, folders),
    async open(id) {
      await closing.get(id);
      return open(context, id);
    },
    branch: (origin, entries) => branch(context, origin, entries),
    tail: (id) => (isSessionId(id) ? readTail(context.fs, pathOf(context, id)) : Promise.resolve([])),
    list: createSessionList({ fs: context.fs, dir: context.dir, suffix }),
  };
}

async function create(context: Context, folders: readonly string[]): Promise<SessionLog> {
  const id = context.ids.random();
  const created = new Date(context.clock.now()).toISOString();
  const header: SessionHeader = { type: 'session', v: LOG_VERSION, id, created, folders };
  const path = pathOf(context, id);
  try {
    await makeDir(context);
    const lock = await takeLock(`${path}.lock`, context);
    if (!lock) throw Object.assign(new Error('The lock of a new session is taken'), { code: 'EEXIST' });
    const file = await createFile(context, path, lock);
    const { durable, failure } = await file.append([headerLine(header)]);
    if (durable === 0) {
      await context.fs.unlink(path).catch(() => undefined);
      await file.close();
      throw failure;
    }
    await syncDir(context);
    return new FileSessionLog({ header, entries: [], repairs: [], file }, context);
  } catch (error) {
    throw diskError(error);
  }
}

/** The entries keep their ids: what refers to them by id still finds them. */
async function branch(context: Context, origin: SessionHeader, entries: readonly LogEntry[]): Promise<string> {
  const id = context.ids.random();
  const created = new Date(context.clock.now()).toISOString();
  const link = { session: origin.id, entry: entries.at(-1)?.id ?? '' };
  const header = { type: 'session', v: LOG_VERSION, id, created, folders: origin.folders, origin: link } as const;
  const path = pathOf(context, id);
  try {
    await makeDir(context);
    const handle = await context.fs.open(`${path}.new`, 'wx', 0o600);
    try {
      await handle.writeFile(Buffer.concat([headerLine(header), ...entries.map(lineOf)]));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await context.fs.rename(`${path}.new`, path);
    await syncDir(context);
    return id;
  } catch (error) {
    await context.fs.unlink(`${path}.new`).catch(() => undefined);
    throw diskError(error);
  }
}

async function createFile(context: Context, path: string, lock: WriterLock): Promise<AppendFile> {
  try {
    const handle = await context.fs.open(path, writeFlags | constants.O_CREAT | constants.O_EXCL, 0o600);
    return new AppendFile({ fs: context.fs, path, handle, lock, length: 0, size: 0, unterminated: false });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function open(context: Context, id: string): Promise<SessionLog> {
  if (!isSessionId(id)) throw noSuchSession(id);
  const path = pathOf(context, id);
  const stat = await context.fs.lstat(path).catch(() => undefined);
  if (!stat?.isFile()) throw noSuchSession(id);
  const { writer, problem } = await tryToWrite(context, path);
  try {
    const bytes = await (writer ? writer.handle.readFile() : context.fs.readFile(path));
    const parsed = parseLog(bytes, writer === undefined && problem === undefined);
    const header = headerOf(parsed, id, stat.mtimeMs);
    const file = writer && (await appendTo(context, { path, writer, parsed, header, size: bytes.length }));
    const repairs = problem === undefined ? parsed.repairs : [...parsed.repairs, problem];
    return new FileSessionLog({ header, entries: parsed.entries, repairs, file }, context);
  } catch (error) {
    await writer?.handle.close().catch(() => undefined);
    await writer?.lock.release();
    throw new UserError(l10n.t('The session can’t be opened ({0}).', reasonOf(error)), { cause: error });
  }
}

/** Its own id and not the one in the file: a copied file is another session. */
function headerOf(parsed: ParsedLog, id: string, modifiedMs: number): SessionHeader {
  if (parsed.header) return { ...parsed.header, id };
  const created = parsed.entries[0]?.at ?? new Date(modifiedMs).toISOString();
  return { type: 'session', v: LOG_VERSION, id, created, folders: [] };
}

function reasonOf(error: unknown): string {
  return errorCode(error) || String(error);
}

interface Writer {
  readonly handle: FileHandle;
  readonly lock: WriterLock;
}

/** No writer when another window has the lock, or when the file or its folder can't be written (then with a `problem`). */
async function tryToWrite(context: Context, path: string): Promise<{ writer?: Writer; problem?: string }> {
  let lock: WriterLock | undefined;
  try {
    lock = await takeLock(`${path}.lock`, context);
    if (!lock) return {};
    return { writer: { lock, handle: await context.fs.open(path, writeFlags) } };
  } catch (error) {
    await lock?.release();
    context.logger.error(`Session file ${path} can only be read`, error);
    return {
      problem: l10n.t('The file of this session can’t be written ({0}), so it can only be read here.', reasonOf(error)),
    };
  }
}

interface Found {
  readonly path: string;
  readonly writer: Writer;
  readonly parsed: ParsedLog;
  readonly header: SessionHeader;
  readonly size: number;
}

/** Undefined, with the writer closed, for a file that must stay as it is: of a newer version, or not a session at all. */
async function appendTo(context: Context, found: Found): Promise<AppendFile | undefined> {
  const { path, writer, parsed, header, size } = found;
  const { keep, unterminated } = parsed;
  const file = new AppendFile({ fs: context.fs, path, ...writer, length: keep, size, unterminated });
  const foreign = parsed.header === undefined && parsed.entries.length === 0 && keep > 0;
  if (header.v > LOG_VERSION || foreign) {
    await file.close();
    return undefined;
  }
  // The window was killed between making the file and writing its header.
  const { durable, failure } = await file.append(keep === 0 ? [headerLine(header)] : []);
  if (keep === 0 && durable === 0) throw failure;
  return file;
}

function pathOf({ dir }: Context, id: string): string {
  return join(dir, id + suffix);
}

function noSuchSession(id: string): UserError {
  return new UserError(l10n.t('There is no session {0}.', id.slice(0, 128)));
}

function headerLine(header: SessionHeader): Uint8Array {
  return lineOf(header);
}

function lineOf(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`, 'utf8');
}

async function makeDir({ fs, dir }: Context): Promise<void> {
  await fs.mkdir(dir, { recursive: true, mode: 0o700 });
  await fs.chmod(dir, 0o700).catch(() => undefined);
}

/** Makes the new name durable too. Windows can't, and needs not. */
async function syncDir({ fs, dir }: Context): Promise<void> {
  try {
    const handle = await fs.open(dir, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // The entries themselves are synced.
  }
}
