import { spawn } from 'node:child_process';
import { ROOT } from '../vscode/bootstrap.mjs';
import { withoutCredentials } from '../vscode/environment.ts';
import { atExit, killTree } from '../vscode/processes.ts';

export interface ExecOptions {
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a Node program with its output on ours and without credentials. Resolves to what went wrong, or to undefined.
 * It and everything it started is ended at the timeout, and with this process.
 */
export function exec(args: readonly string[], { timeoutMs, env }: ExecOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...withoutCredentials(), ...env },
    });
    const end = (): void => {
      if (child.pid !== undefined) killTree(child.pid);
    };
    const forget = atExit(end);
    let problem: string | undefined;
    const timer = setTimeout(() => {
      problem = `no end within ${Math.round(timeoutMs / 1000)} s`;
      end();
    }, timeoutMs);
    child.once('error', (error) => (problem ??= error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      forget();
      resolve(problem ?? (code === 0 ? undefined : `ended with ${code ?? signal}`));
    });
  });
}
