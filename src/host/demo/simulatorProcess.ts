import { spawn, type ChildProcess } from 'node:child_process';
import * as l10n from '@vscode/l10n';
import { CancelledError, UserError } from '../../core/errors.ts';
import { isObject } from '../../core/base/json.ts';

export interface RunningSimulator {
  /** Base URL on loopback. */
  readonly url: string;
  /** The only key that it takes; random per start. */
  readonly key: string;
  /** Ends it. It also ends by itself when this process is gone, because its stdin closes. */
  dispose(): void;
}

export interface SimulatorOptions {
  /** Absolute path of `dist/simulator.js`. */
  readonly script: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly onExit: (code: number | null) => void;
  readonly onOutput: (line: string) => void;
}

const START_DEADLINE_MS = 15_000;
const LONGEST_FIRST_LINE = 4096;

/** Starts the simulator by the editor's own Node. Throws `UserError` when it does not come up in time. */
export async function startSimulator(options: SimulatorOptions, signal?: AbortSignal): Promise<RunningSimulator> {
  const child = spawn(process.execPath, [options.script, '--scenario', 'demo', '--port', '0'], {
    env: { ...options.environment, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => options.onOutput(text.trimEnd()));
  child.stdin.on('error', () => undefined);
  try {
    const { url, key } = await firstLine(child, signal);
    child.stdout.resume();
    child.once('exit', options.onExit);
    return { url, key, dispose: () => end(child) };
  } catch (error) {
    end(child);
    throw error;
  }
}

function end(child: ChildProcess): void {
  child.stdin?.end();
  child.kill();
}

function firstLine(child: ChildProcess, signal?: AbortSignal): Promise<{ readonly url: string; readonly key: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (error: Error) => {
      clearTimeout(deadline);
      reject(error);
    };
    const failed = () => fail(new UserError(l10n.t('The offline demo could not be started. The log says more.')));
    const deadline = setTimeout(failed, START_DEADLINE_MS);
    signal?.addEventListener('abort', () => fail(new CancelledError()), { once: true });
    child.once('error', failed);
    child.once('exit', failed);
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.includes('\n')) return;
      text += chunk;
      if (text.length > LONGEST_FIRST_LINE) return failed();
      if (!text.includes('\n')) return;
      clearTimeout(deadline);
      const address = readAddress(text);
      if (address) resolve(address);
      else failed();
    });
  });
}

function readAddress(text: string): { readonly url: string; readonly key: string } | undefined {
  try {
    const value: unknown = JSON.parse(text.slice(0, text.indexOf('\n')));
    if (!isObject(value)) return undefined;
    const { url, key } = value;
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : undefined;
  } catch {
    return undefined;
  }
}
