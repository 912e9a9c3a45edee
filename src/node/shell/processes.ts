import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** One row of the process table. */
interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** In the unit of `uptime`; Infinity where the system does not say. */
  readonly start: number;
}

/** Sends a signal. A process that is gone is not an error. A negative `pid` means its group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  if (!isOrdinary(Math.abs(pid))) return;
  try {
    process.kill(pid, constants.signals[signal]);
  } catch {
    // Gone already, or not ours.
  }
}

/** When a process began, in units of the system's own; undefined when there is none. With the pid it names one process for ever. */
export function startTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'))[19];
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Time since the system's start, in the unit of the process table (1/100 s); 0 where that is not known. */
export function uptime(): number {
  try {
    return Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 100);
  } catch {
    return 0;
  }
}

/**
 * 0 and 1 stand for groups, the kernel and the first process: below them is everything that runs. Nor do we end
 * ourselves or what started us.
 */
function isOrdinary(pid: number): boolean {
  return Number.isInteger(pid) && pid > 1 && pid !== process.pid && pid !== process.ppid;
}

/** All processes below `pid` that began at `since` (an `uptime`) or later; none when we ourselves are among them. */
export function descendants(pid: number, since = 0): number[] {
  if (!isOrdinary(pid)) return [];
  const rows = processTable();
  const found = new Set([pid]);
  for (const parent of found) for (const row of rows) if (row.parent === parent) found.add(row.pid);
  if (found.has(process.pid)) return [];
  return rows.filter((row) => row.pid !== pid && found.has(row.pid) && row.start >= since).map((row) => row.pid);
}

/** Processes whose environment holds `NAME=value` as it was when they began: also those that left the group and the tree. */
export function processesWithVariable(assignment: string): number[] {
  if (!/^\w+=\S+$/.test(assignment)) return [];
  if (process.platform !== 'linux') return processesByPs(assignment);
  const wanted = Buffer.from(`\0${assignment}\0`);
  return pidsInProc().filter((pid) => {
    try {
      const environ = readFileSync(`/proc/${pid}/environ`);
      return Buffer.concat([Buffer.of(0), environ]).includes(wanted);
    } catch {
      return false;
    }
  });
}

/** Kills the group, the tree and whoever carries the variable, twice: something may have been forked in between. */
export function killTree(pid: number, assignment: string): void {
  for (let round = 0; round < 2; round++) {
    const targets = [...descendants(pid), ...processesWithVariable(assignment)];
    sendSignal(-pid, 'SIGKILL');
    for (const target of targets) sendSignal(target, 'SIGKILL');
  }
}

function processTable(): ProcessRow[] {
  if (process.platform !== 'linux') {
    return psLines(['-axo', 'pid=,ppid=']).map((line) => {
      const [pid = 0, parent = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, start: Infinity };
    });
  }
  return pidsInProc().flatMap((pid) => {
    try {
      const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return [{ pid, parent: Number(fields[1]), start: Number(fields[19]) }];
    } catch {
      return [];
    }
  });
}

function pidsInProc(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** The fields after the name, which may itself hold spaces and brackets: [0] is the state, [1] the parent, [19] the start time. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function processesByPs(assignment: string): number[] {
  return psLines(['-axEwwo', 'pid=,command='])
    .filter((line) => line.includes(` ${assignment}`))
    .map((line) => Number.parseInt(line, 10));
}

function psLines(args: readonly string[]): string[] {
  try {
    const text = execFileSync('ps', args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 });
    return text.split('\n').filter((line) => line.trim() !== '');
  } catch {
    return [];
  }
}
