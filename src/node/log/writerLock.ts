import { toDisposable, type Disposable } from '../../core/base/disposable.ts';
import { isObject } from '../../core/base/json.ts';
import type { Clock, Ids } from '../../core/ports.ts';
import { errorCode, type LogFs } from './logFs.ts';
import { lifeOf, ownIdentity, type ProcessIdentity } from './processIdentity.ts';

export interface LockDeps {
  readonly fs: LogFs;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** One writer per session, over processes and windows. */
export interface WriterLock {
  /**
   * Whether the lock file still is ours. Asked before each write: whoever took it over is the writer now. It is taken
   * over only after a long silence, so the file is not read again within a few seconds.
   */
  held(): Promise<boolean>;
  /** Never rejects. */
  release(): Promise<void>;
}

interface Holder extends ProcessIdentity {
  readonly nonce: string;
}

/** How often a holder shows that it lives, and after which silence it is taken for gone where nothing else can tell. Milliseconds. */
const heartbeat = 15_000;
const longestSilence = 60_000;
/** How long an answer about the lock file counts: a small part of `longestSilence`. Milliseconds. */
const freshness = 5_000;
/** A lock that can't be read may be one that is just being written. Milliseconds. */
const writingTime = 5_000;

/**
 * Takes the lock, or returns undefined when a live process has it. A lock whose holder is gone is taken over. Throws
 * what the file system throws when no lock file can be made there.
 */
export async function takeLock(path: string, deps: LockDeps): Promise<WriterLock | undefined> {
  const nonce = deps.ids.random();
  if (!(await acquire(path, nonce, { ...deps, depth: 0 }))) return undefined;
  const alive = keepAlive(path, deps);
  const isOurs = async (): Promise<boolean> => (await readHolder(path, deps))?.nonce === nonce;
  let confirmed = -Infinity;
  return {
    async held() {
      const now = deps.clock.now();
      // After sleep or a jump of the clock the difference is large, or negative.
      if (now >= confirmed && now - confirmed < freshness) return true;
      if (!(await isOurs())) return false;
      confirmed = now;
      return true;
    },
    async release() {
      alive.dispose();
      try {
        if (await isOurs()) await deps.fs.unlink(path);
      } catch {
        // A lock that stays is taken over as stale.
      }
    },
  };
}

type Acquire = LockDeps & { readonly depth: number };

async function acquire(path: string, nonce: string, deps: Acquire): Promise<boolean> {
  const { fs } = deps;
  const own = `${path}.${nonce}.new`;
  try {
    await writeHolder(own, nonce, deps);
    for (let attempt = 0; attempt < 3; attempt++) {
      if (await linkNew(own, path, deps)) return true;
      const holder = await readHolder(path, deps);
      if (holder === undefined) continue; // released meanwhile
      if (await isLive(path, holder, deps)) return false;
      if (await replaceStale(path, own, holder, deps)) return true;
    }
    return false;
  } finally {
    await fs.unlink(own).catch(() => undefined);
  }
}

/**
 * Only one process may replace a stale lock, and only that very one: it first takes a lock named after the stale one's
 * nonce, looks again, and then renames its own lock over it, so that there is no moment without a lock.
 */
async function replaceStale(path: string, own: string, stale: Holder, deps: Acquire): Promise<boolean> {
  if (deps.depth >= 3) return false;
  const claim = `${path}.${stale.nonce === '' ? 'unreadable' : stale.nonce}`;
  if (!(await acquire(claim, deps.ids.random(), { ...deps, depth: deps.depth + 1 }))) return false;
  try {
    const now = await readHolder(path, deps);
    if (now?.nonce !== stale.nonce) return false;
    await deps.fs.rename(own, path);
    return true;
  } finally {
    await deps.fs.unlink(claim).catch(() => undefined);
  }
}

/** Makes `path` the file `own`, or says false when there is one. The content is there from the first moment. */
async function linkNew(own: string, path: string, { fs }: LockDeps): Promise<boolean> {
  try {
    await fs.link(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EACCES', 'UNKNOWN'].includes(errorCode(error)))
      throw error;
  }
  // A file system without hard links: a reader may see this one still empty, and waits for `writingTime`.
  const text = await fs.readFile(own);
  try {
    const file = await fs.open(path, 'wx', 0o600);
    await file.writeFile(text).finally(() => file.close());
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function writeHolder(path: string, nonce: string, { fs, clock }: LockDeps): Promise<void> {
  const file = await fs.open(path, 'wx', 0o600);
  const holder: Holder = { ...ownIdentity(), nonce };
  await file.writeFile(JSON.stringify(holder)).finally(() => file.close());
  await touch(path, { fs, clock });
}

/** Undefined when there is no lock; a nonce of '' when it can't be read. */
async function readHolder(path: string, { fs }: Pick<LockDeps, 'fs'>): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await fs.readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const unreadable: Holder = { pid: 0, start: '', space: '', nonce: '' };
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return unreadable;
    const { pid, start, space, nonce } = value;
    if (typeof pid !== 'number' || typeof start !== 'string' || typeof space !== 'string') return unreadable;
    return typeof nonce === 'string' && /^[\w-]{1,100}$/.test(nonce) ? { pid, start, space, nonce } : unreadable;
  } catch {
    return unreadable;
  }
}

async function isLive(path: string, holder: Holder, deps: LockDeps): Promise<boolean> {
  const life = holder.nonce === '' ? 'unknown' : lifeOf(holder);
  if (life !== 'unknown') return life === 'alive';
  try {
    const silence = deps.clock.now() - (await deps.fs.lstat(path)).mtimeMs;
    return silence < (holder.nonce === '' ? writingTime : longestSilence);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function keepAlive(path: string, deps: LockDeps): Disposable {
  let stopped = false;
  let timer: Disposable;
  const arm = (): void => {
    timer = deps.clock.timer(heartbeat, () => {
      void touch(path, deps).then(() => (stopped ? undefined : arm()));
    });
  };
  arm();
  return toDisposable(() => {
    stopped = true;
    timer.dispose();
  });
}

/** Never rejects. */
async function touch(path: string, { fs, clock }: Pick<LockDeps, 'fs' | 'clock'>): Promise<void> {
  const now = new Date(clock.now());
  await fs.utimes(path, now, now).catch(() => undefined);
}
