import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells one process from every other one, also after its number was given to another. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system tells it; '' where it doesn't (only Linux does, here). */
  readonly start: string;
  /** Machine and process namespace: numbers of another one say nothing here. */
  readonly space: string;
}

export type Life = 'alive' | 'gone' | 'unknown';

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) ?? '', space: ownSpace() };
}

/** Whether that very process still runs. 'unknown' when it can't be told: another machine or namespace, or no start time. */
export function lifeOf(identity: ProcessIdentity): Life {
  if (identity.space !== ownSpace()) return 'unknown';
  if (!exists(identity.pid)) return 'gone';
  if (identity.start === '') return 'unknown';
  const start = startOf(identity.pid);
  return start === identity.start ? 'alive' : 'gone';
}

function exists(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0); // signal 0 only asks
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Boot and clock tick of the start; undefined when the process is gone, was killed and not yet reaped, or off Linux. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name in parentheses may hold anything, also parentheses and spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || /^[ZX]/.test(fields[0] ?? '')) return undefined;
  return `${read('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}:${fields[19] ?? ''}`;
}

let space: string | undefined;
function ownSpace(): string {
  space ??= `${hostname()} ${readLink('/proc/self/ns/pid') ?? ''}`;
  return space;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
