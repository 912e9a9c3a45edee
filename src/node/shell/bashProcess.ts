import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { openOutputPipe, type OutputPipe } from './outputPipe.ts';
import type { ChildEnvironment } from './scrubEnvironment.ts';
import { controlLines, START_FILE } from './startFile.ts';

/** How a command ended in a shell: with a report, or because the shell itself is gone. */
export type Completion =
  | { readonly kind: 'reported'; readonly code: number; readonly cwd: string }
  | { readonly kind: 'died'; readonly code: number | null; readonly signal: string | null };

export type OutputSink = (bytes: Buffer) => Promise<void> | void;

export interface BashOptions {
  readonly bash: string;
  readonly cwd: string;
  readonly env: ChildEnvironment;
  /** A folder of mode 0700 for this process alone. */
  readonly folder: string;
  /** What background jobs write while no command runs. */
  readonly onBackground: OutputSink;
}

interface Running {
  readonly end: string;
  readonly sink: OutputSink;
  readonly resolve: (completion: Completion) => void;
  fenced: boolean;
  record: { readonly code: number; readonly cwd: string } | undefined;
  /** Our end of the command's standard input; undefined when that is /dev/null. */
  input: number | undefined;
}

/** How long output that was written before a shell's death is waited for. */
const DRAIN_MS = 1_000;

/** Starts one bash. Rejects when a program is missing or the folder is unusable. */
export async function startBash(options: BashOptions): Promise<BashProcess> {
  const output = path.join(options.folder, 'out');
  const rc = path.join(options.folder, 'rc');
  writeFileSync(rc, START_FILE, { mode: 0o600 });
  await promisify(execFile)('mkfifo', ['-m', '600', output, path.join(options.folder, 'in')], { env: options.env });
  return new BashProcess(options, output, rc);
}

/**
 * One interactive bash whose own standard input is the control pipe. Its output is a named pipe; records of finished
 * commands come through a channel that no child inherits. A command is over when its fence stood in the output AND its
 * record has come, or when the shell is gone. One command at a time.
 */
export class BashProcess {
  readonly pid: number;
  /** Settles when the shell is gone and all of its output was delivered. Never rejects. */
  readonly exited: Promise<void>;
  readonly #options: BashOptions;
  readonly #child: ChildProcess;
  readonly #output: OutputPipe;
  #running: Running | undefined;
  #inOutput = false;
  #records = '';
  #count = 0;
  #alive = true;

  constructor(options: BashOptions, output: string, rc: string) {
    this.#options = options;
    this.#output = openOutputPipe(output, (bytes) =>
      this.#inOutput && this.#running ? this.#running.sink(bytes) : options.onBackground(bytes),
    );
    // The shell's own standard output and error go nowhere: prompts, traces of the control lines and job notices.
    const start = 'exec "$0" --noprofile --rcfile "$1" --noediting -i 8>"$2" 9>&3 3>&- >/dev/null 2>&1';
    this.#child = spawn('/bin/sh', ['-c', start, options.bash, rc, output], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    // 0 when it could not be started: no signal is ever sent to that.
    this.pid = this.#child.pid ?? 0;
    this.exited = new Promise((resolve) => {
      this.#child.once('error', () => void this.#die(null, null).then(resolve));
      this.#child.once('exit', (code, signal) => void this.#die(code, signal).then(resolve));
    });
    this.#control.on('error', () => undefined);
    const records = this.#child.stdio[3] as Readable;
    records.on('error', () => undefined);
    records.setEncoding('utf8').on('data', (text: string) => this.#readRecords(text));
  }

  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Runs the text of a command. With `input`, `write` reaches its standard input; else that is /dev/null. `onBegin` is
   * called when bash has taken the command up: a signal that comes before would not find it.
   */
  execute(command: string, input: boolean, sink: OutputSink, onBegin?: () => void): Promise<Completion> {
    if (!this.#alive) return Promise.resolve({ kind: 'died', code: null, signal: null });
    const file = path.join(this.#options.folder, `command-${++this.#count}`);
    writeFileSync(file, `${command}\n`, { mode: 0o600 });
    const begin = randomBytes(16).toString('hex');
    const end = randomBytes(16).toString('hex');
    const stdin = input ? path.join(this.#options.folder, 'in') : '/dev/null';
    return new Promise<Completion>((resolve) => {
      this.#running = {
        end,
        sink,
        resolve: (completion) => {
          rmSync(file, { force: true });
          resolve(completion);
        },
        fenced: false,
        record: undefined,
        // Opened for both directions, which never blocks, and before the shell opens it.
        input: input ? openSync(stdin, constants.O_RDWR | constants.O_NONBLOCK) : undefined,
      };
      this.#output.expect(begin, () => {
        this.#inOutput = true;
        onBegin?.();
      });
      this.#output.expect(end, () => this.#fenced(end));
      this.#control.write(controlLines({ file, stdin, begin, end }));
    });
  }

  /** Sends bytes to the running command's standard input. What does not fit into the pipe is dropped: false. */
  write(bytes: Uint8Array): boolean {
    const input = this.#running?.input;
    if (input === undefined) return false;
    try {
      return writeSync(input, bytes) === bytes.length;
    } catch {
      return false;
    }
  }

  /** Ends the running command's standard input. */
  endInput(): void {
    if (this.#running?.input === undefined) return;
    closeSync(this.#running.input);
    this.#running.input = undefined;
  }

  get #control(): Writable {
    return this.#child.stdin as Writable;
  }

  #fenced(end: string): void {
    this.#inOutput = false;
    if (this.#running?.end !== end) return;
    this.#running.fenced = true;
    this.#finishIfReported();
  }

  #readRecords(text: string): void {
    this.#records += text;
    for (let at = this.#records.indexOf('\0'); at >= 0; at = this.#records.indexOf('\0')) {
      const [name = '', code = '', ...cwd] = this.#records.slice(0, at).split(';');
      this.#records = this.#records.slice(at + 1);
      if (this.#running?.end !== name) continue;
      this.#running.record = { code: Number(code), cwd: cwd.join(';').replace(/\n$/, '') };
      this.#finishIfReported();
    }
  }

  #finishIfReported(): void {
    const { fenced, record } = this.#running ?? {};
    if (fenced === true && record !== undefined) this.#settle({ kind: 'reported', ...record });
  }

  async #die(code: number | null, signal: string | null): Promise<void> {
    this.#alive = false;
    // Strays may go on writing, so the pipe's present end is marked and not its last.
    await this.#output.drain(randomBytes(16).toString('hex'), DRAIN_MS);
    this.#settle({ kind: 'died', code, signal });
    this.#output.close();
    this.#control.destroy();
    (this.#child.stdio[3] as Readable).destroy();
  }

  #settle(completion: Completion): void {
    const running = this.#running;
    if (running === undefined) return;
    this.endInput();
    this.#output.forget(running.end);
    this.#running = undefined;
    this.#inOutput = false;
    running.resolve(completion);
  }
}
