import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All descendants of a process, children before grandchildren. Empty on Windows. */
export function descendants(pid: number): ProcessInfo[] {
  const all = listProcesses();
  const found: ProcessInfo[] = [];
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter((process) => parents.has(process.parent));
    found.push(...children);
    parents = new Set(children.map((child) => child.pid));
  }
  return found;
}

/** Ends a process and everything it started, at once. Synchronous, so that an `exit` handler can use it. */
export function killTree(pid: number): void {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F']);
    return;
  }
  // Taken before the kill: an orphan is no longer a descendant.
  const children = descendants(pid);
  for (const each of [pid, ...children.map((child) => child.pid)]) signal(each, 'SIGKILL');
}

/** True while the process runs. One that has ended and that nobody has waited for does not. */
export function isRunning(pid: number): boolean {
  if (process.platform !== 'linux') return signal(pid, 0);
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z');
  } catch {
    return false;
  }
}

/** Sends a signal; false when there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const endings = new Set<() => void>();

/**
 * Runs `end` when this process ends, whatever ends it short of SIGKILL. Returns a function that takes it back.
 * `end` must be synchronous.
 */
export function atExit(end: () => void): () => void {
  if (endings.size === 0) installExitHandlers();
  endings.add(end);
  return () => endings.delete(end);
}

let installed = false;

function installExitHandlers(): void {
  if (installed) return;
  installed = true;
  process.on('exit', () => {
    for (const end of endings) end();
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(130));
}

function listProcesses(): ProcessInfo[] {
  if (process.platform === 'linux') return readdirSync('/proc').flatMap((name) => readProcess(name));
  if (process.platform === 'win32') return [];
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }] : [];
  });
}

function readProcess(name: string): ProcessInfo[] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold blanks and parentheses itself.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return [{ pid: Number(name), parent, command }];
  } catch {
    return []; // It ended while we looked.
  }
}
