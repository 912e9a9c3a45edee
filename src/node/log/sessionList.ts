import * as l10n from '@vscode/l10n';
import { join } from 'node:path';
import { isObject, stringAt } from '../../core/base/json.ts';
import { UserError } from '../../core/errors.ts';
import type { SessionSummary } from '../../protocol/messages.ts';
import { errorCode, type LogFs } from './logFs.ts';
import { summarise, unknownTime } from './summary.ts';

/** Where the sessions are, one `<id><suffix>` each. */
export interface SessionFolder {
  readonly fs: LogFs;
  /** Absolute path. */
  readonly dir: string;
  readonly suffix: string;
}

/** What a file said when it had this stamp. Undefined: a session without an entry, which is not listed. */
interface Known {
  readonly stamp: string;
  readonly summary: SessionSummary | undefined;
}

/** Sessions that are looked at side by side. */
const lanes = 8;
/** From so many files that had to be read on, what they say is kept for the next window. */
const worthKeeping = 16;
const memoryName = 'sessions.cache';

/**
 * A function that lists the sessions of a folder, the newest first. The files are the truth: each is looked at every
 * time, and read unless it has inode, size and times of when it was read last. What was read is remembered, and kept in
 * a file beside the sessions for the next window; without that file, or with any other content in it, all files are read.
 * Rejects with a `UserError` when the folder can't be read; a folder that is missing holds no session.
 */
export function createSessionList(folder: SessionFolder): () => Promise<readonly SessionSummary[]> {
  let known: Promise<Map<string, Known>> | undefined;
  return async () => {
    const ids = await idsIn(folder);
    const before = await (known ??= recall(folder));
    const now = new Map<string, Known>();
    const summaries: SessionSummary[] = [];
    const waiting = [...ids];
    let read = 0;
    const work = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const path = join(folder.dir, id + folder.suffix);
        const stamp = await stampOf(folder.fs, path);
        const seen = before.get(id);
        const isSame = seen !== undefined && seen.stamp === stamp;
        if (!isSame) read++;
        const summary = isSame ? seen.summary : await summarise(folder.fs, path, id);
        // What can't be read may be readable the next time.
        if (stamp !== undefined && summary?.updated !== unknownTime) now.set(id, { stamp, summary });
        if (summary) summaries.push(summary);
      }
    };
    await Promise.all(Array.from({ length: lanes }, work));
    known = Promise.resolve(now);
    // No title outlives its session.
    const isGone = [...before.keys()].some((id) => !now.has(id));
    if (read >= worthKeeping || isGone) await keep(folder, now);
    return summaries.sort((a, b) => Date.parse(b.updated) - Date.parse(a.updated) || a.id.localeCompare(b.id));
  };
}

/** Ids become file names; one that comes from elsewhere must not become a path. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,128}$/.test(id);
}

async function idsIn({ fs, dir, suffix }: SessionFolder): Promise<readonly string[]> {
  try {
    const names = await fs.readdir(dir);
    const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    return ids.filter(isSessionId);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new UserError(l10n.t('The sessions can’t be listed ({0}).', errorCode(error)), { cause: error });
  }
}

async function stampOf(fs: LogFs, path: string): Promise<string | undefined> {
  const stat = await fs.lstat(path).catch(() => undefined);
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

async function recall({ fs, dir }: SessionFolder): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  try {
    const file = await fs.open(join(dir, memoryName), 'r');
    const text = await file.readFile('utf8').finally(() => file.close());
    for (const line of text.split('\n')) {
      const record: unknown = JSON.parse(line);
      const [id, stamp] = [stringAt(record, 'id'), stringAt(record, 'stamp')];
      const [title, updated] = [stringAt(record, 'title'), stringAt(record, 'updated')];
      if (id === undefined || stamp === undefined || !isObject(record)) continue;
      if (title === undefined || updated === undefined) known.set(id, { stamp, summary: undefined });
      else if (!Number.isNaN(Date.parse(updated))) known.set(id, { stamp, summary: { id, title, updated } });
    }
  } catch {
    // It only spares the reading: the files say it all again.
  }
  return known;
}

/** Two windows may write at once: the last one stays, and each line is checked against its file. */
async function keep({ fs, dir }: SessionFolder, known: ReadonlyMap<string, Known>): Promise<void> {
  const lines = [...known].map(([id, { stamp, summary }]) => JSON.stringify({ id, stamp, ...summary }));
  const part = join(dir, `${memoryName}.${process.pid}`);
  try {
    const file = await fs.open(part, 'w', 0o600);
    await file.writeFile(lines.join('\n')).finally(() => file.close());
    await fs.rename(part, join(dir, memoryName));
  } catch {
    await fs.unlink(part).catch(() => undefined);
  }
}
