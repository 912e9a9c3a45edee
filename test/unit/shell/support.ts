import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBash } from '../../../src/node/shell/findBash.ts';
import {
  startShell,
  type ManagedShell,
  type RunResult,
  type ShellOptions,
} from '../../../src/node/shell/managedShell.ts';
import { scrubEnvironment } from '../../../src/node/shell/scrubEnvironment.ts';
import { fakeLogger } from '../../support/fakes.ts';

export interface TestShell {
  readonly shell: ManagedShell;
  /** A scratch folder, the shell's first directory. */
  readonly folder: string;
  readonly recordsDir: string;
  /** What came while no command ran. */
  background(): string;
  /** Runs a command to its end (10 s at most). */
  run(command: string, options?: Partial<Parameters<ManagedShell['run']>[1]>): Promise<RunResult & { output: string }>;
  /** `output|end`, for a table of expectations. */
  line(command: string): Promise<string>;
  dispose(): Promise<void>;
}

/** A real bash in a scratch folder. */
export function testShell(options: Partial<ShellOptions> = {}): TestShell {
  const folder = mkdtempSync(path.join(tmpdir(), 'shell-test-'));
  const recordsDir = path.join(folder, '.records');
  let background = '';
  const shell = startShell({
    bash: () => findBash(),
    cwd: folder,
    env: () => scrubEnvironment(process.env),
    recordsDir,
    logger: fakeLogger(),
    onBackground: (bytes) => void (background += bytes.toString()),
    ...options,
  });
  const run: TestShell['run'] = async (command, runOptions = {}) => {
    const chunks: Buffer[] = [];
    const result = await shell.run(command, {
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      onData: (bytes) => void chunks.push(bytes),
      ...runOptions,
    });
    return { ...result, output: Buffer.concat(chunks).toString() };
  };
  return {
    shell,
    folder,
    recordsDir,
    background: () => background,
    run,
    async line(command) {
      const { output, end } = await run(command);
      return `${output}|${end.kind === 'exit' || end.kind === 'shellEnded' ? `${end.kind} ${end.code}` : end.kind}`;
    },
    async dispose() {
      shell.dispose();
      await waitFor(() => !shell.busy);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Polls until the condition holds. Fails after `limitMs`. */
export async function waitFor(condition: () => boolean, limitMs = 3_000): Promise<void> {
  const until = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > until) throw new Error('The condition did not come to hold.');
    await pause(5);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
