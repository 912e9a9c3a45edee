import { spawn } from 'node:child_process';
import { ROOT } from '../vscode/bootstrap.mjs';
import { withoutCredentials } from '../vscode/environment.ts';
import { atExit, killTree } from '../vscode/processes.ts';

export interface ExecOptions {
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Takes the output, all at once at the end; without it the output goes to ours as it comes. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Runs a Node program without credentials. Resolves to what went wrong, or to undefined.
 * It and everything it started is ended at the timeout, and with this process.
 */
export function exec(args: readonly string[], { timeoutMs, env, onOutput }: ExecOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ['ignore', onOutput ? 'pipe' : 'inherit', onOutput ? 'pipe' : 'inherit'],
      env: { ...withoutCredentials(), ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
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
      onOutput?.(output);
      resolve(problem ?? (code === 0 ? undefined : `ended with ${code ?? signal}`));
    });
  });
}
