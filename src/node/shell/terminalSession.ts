import * as l10n from '@vscode/l10n';
import type { Disposable } from '../../core/base/disposable.ts';
import { CancelledError, messageOf } from '../../core/errors.ts';
import type { Logger, ShellResult, TerminalPort } from '../../core/ports.ts';
import { DisplayText } from './displayText.ts';
import { EscapeParser } from './escapes.ts';
import { LineEditor, type LineEvent } from './lineEditor.ts';
import { startShell, type ManagedShell, type RunResult, type ShellOptions } from './managedShell.ts';
import { OutputCapture, type CaptureLimits, type CapturedOutput } from './outputCapture.ts';
import { commandLine, displayCutNote, endMark, ERASE_LINE, greeting, prompt, restartedNote } from './terminalText.ts';

/** A terminal that can be written to. The user may close it at any time; what is written then is lost. */
export interface Screen {
  /** Makes the terminal where there is none; true when it is a new one. Never takes the focus. */
  open(): boolean;
  /** Text with terminal escapes. */
  write(text: string): void;
}

export interface TerminalSessionOptions {
  readonly shell: Omit<ShellOptions, 'onBackground'>;
  /** For whole outputs that the model gets only a part of. */
  readonly outputDir: string;
  /** Read for each command of the model; the user's own commands have no timeout. */
  readonly timeoutMs: () => number;
  readonly screen: Screen;
  readonly logger: Logger;
  readonly limits?: Partial<CaptureLimits>;
}

export interface TerminalSession extends TerminalPort, Disposable {
  /** What the user typed into the terminal. */
  input(data: string): void;
  /** The user closed the terminal: a running command ends with it. The shell is kept. */
  closed(): void;
  /** Opens the terminal when it is not there. */
  show(): void;
}

/** One shell, and the terminal that it is shown in: the model's commands and the user's go through the same queue. */
export function createTerminalSession(options: TerminalSessionOptions): TerminalSession {
  return new Session(options);
}

interface Run {
  readonly by: 'model' | 'user';
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onLive: (text: string) => void;
  readonly limits: Partial<CaptureLimits>;
}

/** Nothing of what the user runs is kept. */
const TYPED_LIMITS: Partial<CaptureLimits> = { model: 0, live: 0, fileBytes: 0 };

class Session implements TerminalSession {
  readonly #options: TerminalSessionOptions;
  readonly #shell: ManagedShell;
  readonly #editor = new LineEditor();
  readonly #ended = new AbortController();
  #running: Run['by'] | undefined;
  /** What was typed for the user's command while it waited for its turn. */
  #typedAhead: (() => void)[] = [];
  #begun = false;
  /** The cursor stands at the start of a line. */
  #atStart = true;

  constructor(options: TerminalSessionOptions) {
    this.#options = options;
    this.#shell = startShell({ ...options.shell, onBackground: (bytes) => this.#showBackground(bytes) });
  }

  cwd(): string {
    return this.#shell.cwd();
  }

  async run(command: string, signal: AbortSignal, onOutput: (chunk: string) => void): Promise<ShellResult> {
    if (this.#running === 'user') {
      onOutput(`${l10n.t('Waiting for the command that was typed in the terminal.')}\n`);
    }
    const limits = this.#options.limits ?? {};
    const timeoutMs = this.#options.timeoutMs();
    const [result, output] = await this.#run(command, { by: 'model', signal, timeoutMs, onLive: onOutput, limits });
    const { text, totalBytes, truncated, fullOutputPath } = output;
    return {
      ...result,
      output: text,
      totalBytes,
      truncated,
      ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    };
  }

  async restart(signal: AbortSignal): Promise<void> {
    await this.#shell.restart(signal);
    this.#write(ERASE_LINE + restartedNote());
    this.#showPrompt();
  }

  input(data: string): void {
    for (const event of this.#editor.feed(data)) {
      if (event.kind === 'interrupt') this.#interrupt();
      else if (this.#running === undefined) this.#typeAtPrompt(event);
      else if (this.#running === 'user') this.#typeAtCommand(event);
      else this.#editor.clear();
    }
  }

  closed(): void {
    this.#editor.clear();
    this.#shell.interrupt('terminalClosed');
  }

  show(): void {
    if (!this.#options.screen.open()) return;
    this.#write(greeting());
    if (this.#running === undefined) this.#showPrompt();
  }

  dispose(): void {
    this.#ended.abort();
    this.#shell.dispose();
  }

  async #run(command: string, run: Run): Promise<[RunResult, CapturedOutput]> {
    const capture = new OutputCapture({
      directory: this.#options.outputDir,
      onDisplay: (text) => this.#write(text),
      onLive: run.onLive,
      limits: run.limits,
    });
    const result = await this.#shell.run(command, {
      timeoutMs: run.timeoutMs,
      signal: run.signal,
      stdin: run.by === 'user',
      onData: (bytes) => capture.write(bytes),
      onStart: () => this.#begin(command, run.by),
    });
    const output = await capture.finish();
    this.#finished();
    this.#showEnd(result, output);
    return [result, output];
  }

  #begin(command: string, by: Run['by']): void {
    this.#running = by;
    this.#begun = true;
    if (this.#options.screen.open()) this.#write(greeting());
    // What the user typed themselves stands there already.
    if (by === 'model') this.#write(ERASE_LINE + commandLine(command, this.cwd()));
    for (const typed of this.#typedAhead.splice(0)) typed();
  }

  #showEnd(result: RunResult, output: CapturedOutput): void {
    this.#write('\x1b[0m');
    if (!this.#atStart) this.#write('\r\n');
    if (output.displayCut) this.#write(displayCutNote(output.totalBytes));
    this.#write(endMark(result.end, result.durationMs));
    this.#showPrompt();
  }

  #typeAtPrompt(event: LineEvent): void {
    if (event.kind === 'echo') this.#write(event.text);
    else if (event.kind === 'line') void this.#runTyped(event.line);
  }

  #typeAtCommand(event: LineEvent): void {
    if (event.kind === 'echo') return this.#write(event.text);
    const pass = (): void => {
      if (event.kind === 'line') this.#shell.write(`${event.line}\n`);
      else this.#shell.endInput();
    };
    if (this.#begun) pass();
    else this.#typedAhead.push(pass);
  }

  #finished(): void {
    this.#running = undefined;
    this.#begun = false;
    this.#typedAhead = [];
  }

  async #runTyped(line: string): Promise<void> {
    if (line.trim() === '') return this.#showPrompt();
    this.#running = 'user';
    try {
      await this.#run(line, {
        by: 'user',
        signal: this.#ended.signal,
        timeoutMs: Infinity,
        onLive: () => undefined,
        limits: TYPED_LIMITS,
      });
    } catch (error) {
      this.#finished();
      if (error instanceof CancelledError) return;
      this.#options.logger.error('A typed command could not be run.', error);
      this.#write(`${messageOf(error)}\r\n`);
      this.#showPrompt();
    }
  }

  #interrupt(): void {
    if (this.#running === undefined) {
      this.#write('^C\r\n');
      this.#showPrompt();
    } else {
      this.#write('^C');
      this.#shell.interrupt('interrupted');
    }
  }

  #showBackground(bytes: Buffer): void {
    const display = new DisplayText(64 * 1024);
    new EscapeParser(display).feed(bytes.toString('utf8'));
    if (this.#running !== undefined) return this.#write(display.take());
    this.#write(ERASE_LINE + display.take());
    if (!this.#atStart) this.#write('\r\n');
    this.#showPrompt();
  }

  #showPrompt(): void {
    this.#write(`${ERASE_LINE}${prompt(this.cwd())}${this.#editor.line.replaceAll('\n', '\r\n')}`);
  }

  #write(text: string): void {
    if (text === '') return;
    this.#options.screen.write(text);
    // eslint-disable-next-line no-control-regex -- colours do not move the cursor
    const visible = text.replace(/\x1b\[[\d;]*m/g, '');
    if (visible !== '') this.#atStart = visible.endsWith('\n');
  }
}
