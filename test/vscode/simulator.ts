import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { cleanEnvironment } from './environment.ts';
import { atExit } from './processes.ts';

const START_TIMEOUT_MS = 20_000;

export interface Simulator {
  readonly url: string;
  readonly key: string;
  /** For an editor's environment: with it the extension talks to this simulator. */
  readonly env: Readonly<Record<string, string>>;
  /** What it has written to stderr so far. */
  output(): string;
  stop(): void;
}

export interface SimulatorOptions {
  /** Name of a scenario of the simulator, or the path of a scenario file. */
  readonly scenario: string;
  /** Default: a free one. */
  readonly port?: number;
  /** More arguments of `dist/simulator.js`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `dist/simulator.js`, which must have been built. It ends with this process. Throws when it does not start. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const child = spawn(
    process.execPath,
    [
      join(ROOT, 'dist', 'simulator.js'),
      ...['--scenario', options.scenario, '--port', String(options.port ?? 0)],
      ...(options.args ?? []),
    ],
    { env: cleanEnvironment(options.env), stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000)));
  child.stdin.on('error', () => undefined);
  const end = (): void => {
    child.stdin.end();
    child.kill('SIGKILL');
  };
  const forget = atExit(end);
  const { url, key } = await address(child, () => output);
  child.stdout.resume();
  return {
    url,
    key,
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, LOOPDOCK_SIMULATED: '1' },
    output: () => output,
    stop: () => {
      forget();
      end();
    },
  };
}

/** The first line of its output, as JSON. */
function address(child: ChildProcess, output: () => string): Promise<{ url: string; key: string }> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`The simulator ${why}\n${output()}`));
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    let line = '';
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.stdout?.on('data', (chunk: Buffer) => {
      line += chunk.toString();
      const end = line.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      resolve(JSON.parse(line.slice(0, end)) as { url: string; key: string });
    });
  });
}
