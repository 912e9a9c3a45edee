import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isObject, stringAt } from '../../core/base/json.ts';
import { toDisposable, type Disposable } from '../../core/base/disposable.ts';
import { killTree, processesWithVariable, sendSignal, startTime } from './processes.ts';

/** The variable that marks everything that a shell started; its value is random and new for each shell. */
export const MARK = 'LOOPDOCK_SHELL';
const FOLDER_PREFIX = 'loopdock-shell-';

export interface ShellRecord {
  readonly pid: number;
  readonly mark: string;
  /** The shell's private folder. */
  readonly folder: string;
}

/** The name of a new private folder, without its random end (for `mkdtemp`). */
export function privateFolderPrefix(): string {
  return path.join(tmpdir(), FOLDER_PREFIX);
}

/** Writes down that a shell runs, so that a later window can end it when this one is killed. Dispose when it has ended. */
export function recordShell(directory: string, shell: ShellRecord): Disposable {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${shell.mark}.json`);
  const record = {
    ...shell,
    start: startTime(shell.pid),
    owner: process.pid,
    ownerStart: startTime(process.pid),
  };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
  return toDisposable(() => rmSync(file, { force: true }));
}

/**
 * Ends the shells whose window was killed, with everything that they started, and removes their private folders. Shells
 * of windows that live are left alone. Returns how many shells were swept. Never throws.
 */
export function sweepOrphans(directory: string): number {
  let files: string[];
  try {
    files = readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return 0;
  }
  return files.filter((name) => sweepOne(path.join(directory, name))).length;
}

function sweepOne(file: string): boolean {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isObject(record)) throw new TypeError('not a record');
    if (typeof record['owner'] === 'number' && isSame(record['owner'], record['ownerStart'])) return false;
    end(record['pid'], record['start'], stringAt(record, 'mark') ?? '');
    removePrivateFolder(stringAt(record, 'folder') ?? '');
  } catch {
    // Unreadable: nothing can be known about it.
  }
  rmSync(file, { force: true });
  return true;
}

function end(pid: unknown, start: unknown, mark: string): void {
  if (!/^[0-9a-f]{32}$/.test(mark)) return;
  const assignment = `${MARK}=${mark}`;
  const marked = processesWithVariable(assignment);
  // Its group and tree are ended only where the process that has the pid now is the shell itself.
  if (typeof pid === 'number' && isSame(pid, start) && marked.includes(pid)) killTree(pid, assignment);
  else for (const stray of marked) sendSignal(stray, 'SIGKILL');
}

/** A pid is used again after a while; together with the start time it names one process. */
function isSame(pid: number, start: unknown): boolean {
  const now = startTime(pid);
  return now !== undefined && now === start;
}

function removePrivateFolder(folder: string): void {
  if (path.dirname(folder) === path.dirname(privateFolderPrefix()) && path.basename(folder).startsWith(FOLDER_PREFIX)) {
    rmSync(folder, { recursive: true, force: true });
  }
}
