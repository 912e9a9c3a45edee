import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';

const LONGEST_WAIT_MS = 2_000;

/**
 * Whether git leaves a file out: it asks git, which alone knows all the rules. False where there is no git, no repository,
 * or no answer in time. Nothing that a repository's settings name is run for it.
 */
export function isGitIgnored(path: string): Promise<boolean> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const args = ['-c', 'core.fsmonitor=false', 'check-ignore', '--quiet', '--', basename(path)];
  const options = { cwd: dirname(path), env, timeout: LONGEST_WAIT_MS, windowsHide: true };
  return new Promise((resolve) => execFile('git', args, options, (error) => resolve(error === null)));
}
