import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disposable } from '../../core/base/disposable.ts';
import { CancelledError, messageOf, ToolError } from '../../core/errors.ts';
import type { Logger, ShellEnd } from '../../core/ports.ts';
import { startBash, type BashProcess, type Completion, type OutputSink } from './bashProcess.ts';
import { MARK, privateFolderPrefix, recordShell } from './orphans.ts';
import { descendants, killTree, sendSignal, uptime } from './processes.ts';
import type { ChildEnvironment } from './scrubEnvironment.ts';
import { Turns } from './turns.ts';

export interface ShellOptions {
  /** Absolute path of bash, from `findBash`; may throw `ToolError`. Called whenever a shell is started. */
  readonly bash: () => string;
  /** Where the first shell starts, and every one after `restart`. */
  readonly cwd: string;
  /** Called whenever a shell is started. */
  readonly env: () => ChildEnvironment;
  /** Where running shells are written down for `sweepOrphans`. */
  readonly recordsDir: string;
  readonly logger: Logger;
  /** What background jobs write while no command runs. */
  readonly onBackground: OutputSink;
}

export interface RunOptions {
  /** Infinity for none. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The output, byte for byte. While a returned promise is pending, the command's writes wait. */
  readonly onData: OutputSink;
  /** Opens the command's standard input for `write`; otherwise it is /dev/null. */
  readonly stdin?: boolean;
  /** The command has got its turn: `write` reaches it from now on, and nothing of its output has come yet. */
  readonly onStart?: () => void;
}

export interface RunResult {
  readonly end: ShellEnd;
  /** The working directory after it. */
  readonly cwd: string;
  readonly durationMs: number;
}

type Stop = Extract<ShellEnd, { kind: 'timeout' | 'interrupted' | 'terminalClosed' }>;

/**
 * One persistent shell. Commands run one after the other and share cwd, variables and functions. When the shell dies,
 * the next command gets a new one in the last working directory.
 */
export interface ManagedShell {
  /** Where the next command would run. */
  cwd(): string;
  /** A command runs now. */
  readonly busy: boolean;
  /** Rejects with `CancelledError` when aborted before it began and with `ToolError` when no shell can be had; otherwise the result says how it ended. */
  run(command: string, options: RunOptions): Promise<RunResult>;
  /** To the running command's standard input, when it was opened. False when (part of) it could not be taken. */
  write(data: string): boolean;
  endInput(): void;
  /** Ends the running command: SIGINT, then SIGKILL to what it started. The shell survives where it can. */
  interrupt(kind: 'interrupted' | 'terminalClosed'): void;
  /** Kills everything at once and starts a clean shell in the first directory. Throws like `run`. */
  restart(signal: AbortSignal): Promise<void>;
  /** Kills everything that was started here, at once. */
  dispose(): void;
}

export function startShell(options: ShellOptions): ManagedShell {
  return new Shell(options);
}

/** One bash with what belongs to it. */
interface Generation {
  readonly bash: BashProcess;
  readonly folder: string;
  readonly assignment: string;
  readonly record: Disposable;
}

const BEGIN_MS = 200;
/** A signal can be lost between a fork and its exec, so it is sent again. */
const INTERRUPTS_MS = [60, 60, 80];
const KILL_MS = 1_000;
const START_MS = 10_000;

class Shell implements ManagedShell {
  readonly #options: ShellOptions;
  readonly #turns = new Turns();
  #cwd: string;
  #generation: Generation | undefined;
  #stop: ((kind: Stop) => void) | undefined;
  #disposed = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
  }

  get busy(): boolean {
    return this.#stop !== undefined;
  }

  cwd(): string {
    return this.#cwd;
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    const release = await this.#turns.take(options.signal);
    try {
      const generation = await this.#ensure();
      if (options.signal.aborted) throw new CancelledError();
      return await this.#runIn(generation, command, options);
    } catch (error) {
      throw asToolError(error, 'The command could not be run');
    } finally {
      release();
    }
  }

  write(data: string): boolean {
    return this.#generation?.bash.write(Buffer.from(data)) ?? false;
  }

  endInput(): void {
    this.#generation?.bash.endInput();
  }

  interrupt(kind: 'interrupted' | 'terminalClosed'): void {
    this.#stop?.({ kind });
  }

  async restart(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new CancelledError();
    // Ends the running command, so that the turn comes at once; what still waited before it may start another shell.
    if (this.#generation) kill(this.#generation);
    const release = await this.#turns.take(signal);
    try {
      if (this.#generation) kill(this.#generation);
      await this.#generation?.bash.exited;
      this.#cwd = this.#options.cwd;
      await this.#ensure();
    } finally {
      release();
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#stop?.({ kind: 'interrupted' });
    if (this.#generation) kill(this.#generation);
  }

  async #runIn(generation: Generation, command: string, options: RunOptions): Promise<RunResult> {
    const started = performance.now();
    let stopped: Stop | undefined;
    let begun: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const since = uptime();
    const completion = generation.bash.execute(command, options.stdin === true, options.onData, begun);
    const stop = (kind: Stop): void => {
      if (stopped) return;
      stopped = kind;
      void climbLadder(generation, { beginning, completion, since, keepShell: kind.kind !== 'timeout' });
    };
    const release = stopLater(options, stop);
    this.#stop = stop;
    options.onStart?.();
    const done = await completion;
    this.#stop = undefined;
    release();
    if (done.kind === 'reported') this.#cwd = done.cwd;
    // After a timeout the shell may still hold something of the command that did not end: it is not used again.
    if (stopped?.kind === 'timeout') kill(generation);
    if (!generation.bash.alive || stopped?.kind === 'timeout') this.#forget(generation);
    return { end: stopped ?? endOf(done), cwd: this.#cwd, durationMs: Math.round(performance.now() - started) };
  }

  async #ensure(): Promise<Generation> {
    this.#checkOpen();
    const current = this.#generation;
    if (current?.bash.alive && existsSync(current.folder)) return current;
    // Its folder was cleaned away from under it.
    if (current) kill(current);
    const generation = await this.#start();
    this.#generation = generation;
    try {
      this.#checkOpen();
    } catch (error) {
      kill(generation);
      throw error;
    }
    return generation;
  }

  #checkOpen(): void {
    if (this.#disposed) throw new ToolError('The shell of this session has been closed.');
  }

  async #start(): Promise<Generation> {
    const bash = this.#options.bash();
    this.#cwd = existingDirectory([this.#cwd, this.#options.cwd]);
    const folder = mkdtempSync(privateFolderPrefix());
    const mark = randomBytes(16).toString('hex');
    // With PWD it keeps the name of the directory as it was given, links included.
    const env = { ...this.#options.env(), [MARK]: mark, PWD: this.#cwd };
    try {
      const child = await startBash({ bash, cwd: this.#cwd, env, folder, onBackground: this.#options.onBackground });
      const assignment = `${MARK}=${mark}`;
      const generation = {
        bash: child,
        folder,
        assignment,
        record: recordShell(this.#options.recordsDir, { pid: child.pid, mark, folder }),
      };
      void child.exited.then(() => {
        // What it left behind goes with it: the next command finds a clean machine.
        killTree(child.pid, assignment);
        generation.record.dispose();
        rmSync(folder, { recursive: true, force: true });
        this.#forget(generation);
      });
      await firstReport(generation);
      return generation;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      this.#options.logger.error('The shell could not be started.', error);
      throw asToolError(error, 'The shell could not be started');
    }
  }

  #forget(generation: Generation): void {
    if (this.#generation === generation) this.#generation = undefined;
  }
}

/** A shell counts as started when it has answered once. */
async function firstReport(generation: Generation): Promise<void> {
  const first = generation.bash.execute(':', false, () => undefined);
  if (await settlesWithin(first, START_MS)) {
    const done = await first;
    if (done.kind === 'reported') return;
    throw new ToolError(`The shell could not be started: bash ended with code ${done.code ?? done.signal}.`);
  }
  kill(generation);
  throw new ToolError(`The shell could not be started: bash did not answer within ${START_MS / 1000} seconds.`);
}

/** Stops at the timeout or when the signal aborts. Returns what calls that off. */
function stopLater({ timeoutMs, signal }: RunOptions, stop: (kind: Stop) => void): () => void {
  const onAbort = (): void => stop({ kind: 'interrupted' });
  const onTimeout = (): void => stop({ kind: 'timeout', afterMs: timeoutMs });
  const timer = Number.isFinite(timeoutMs) ? setTimeout(onTimeout, timeoutMs) : undefined;
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

interface RunningCommand {
  /** Settles when bash has taken it up. */
  readonly beginning: Promise<void>;
  readonly completion: Promise<Completion>;
  /** When it began, as an `uptime`. */
  readonly since: number;
  /** The shell is used again when it survives. */
  readonly keepShell: boolean;
}

/**
 * SIGINT to the group, and USR1, with which bash drops the rest of the script; then SIGKILL to all that the command
 * started (a child that ignores INT keeps bash waiting); then everything.
 */
async function climbLadder(generation: Generation, command: RunningCommand): Promise<void> {
  const { pid } = generation.bash;
  await settlesWithin(Promise.race([command.beginning, command.completion]), BEGIN_MS);
  const send = (to: number, signal: NodeJS.Signals): void => {
    if (generation.bash.alive) sendSignal(to, signal);
  };
  send(pid, 'SIGUSR1');
  for (const ms of INTERRUPTS_MS) {
    send(-pid, 'SIGINT');
    if (await settlesWithin(command.completion, ms)) return;
  }
  if (!command.keepShell) return kill(generation);
  send(pid, 'SIGUSR1');
  for (const child of descendants(pid, command.since)) send(child, 'SIGKILL');
  if (await settlesWithin(command.completion, KILL_MS)) return;
  kill(generation);
}

function kill(generation: Generation): void {
  // A pid that has ended may be another's by now.
  if (generation.bash.alive) killTree(generation.bash.pid, generation.assignment);
}

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal, ref: false }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return settled;
}

function endOf(done: Completion): ShellEnd {
  if (done.kind === 'reported') return { kind: 'exit', code: done.code };
  return { kind: 'shellEnded', code: done.code, signal: done.signal };
}

function asToolError(error: unknown, what: string): Error {
  if (error instanceof ToolError || error instanceof CancelledError) return error;
  return new ToolError(`${what}: ${messageOf(error)}`);
}

function existingDirectory(candidates: readonly string[]): string {
  const found = candidates.find((candidate) => statSync(candidate, { throwIfNoEntry: false })?.isDirectory());
  if (found === undefined) throw new ToolError('The working directory does not exist any more.');
  return found;
}
