import { CancelledError } from '../../src/core/errors.ts';
import type { ShellResult, TerminalPort } from '../../src/core/ports.ts';

export interface FakeTerminal extends TerminalPort {
  /** Every command that was run, in order; `restart` stands for a restart. */
  readonly log: readonly string[];
  /** The next commands run here. */
  moveTo(cwd: string): void;
}

type Answer = Partial<ShellResult> | ((signal: AbortSignal) => Promise<Partial<ShellResult>>);

/** A shell that answers from a table; a command that isn't in it succeeds without output. One at a time, as the real one. */
export function fakeTerminal(answers: Readonly<Record<string, Answer>> = {}, start = '/workspace'): FakeTerminal {
  const log: string[] = [];
  let cwd = start;
  let last: Promise<unknown> = Promise.resolve();
  const answer = async (command: string, signal: AbortSignal): Promise<ShellResult> => {
    if (signal.aborted) throw new CancelledError();
    log.push(command);
    const found = answers[command] ?? {};
    const given = typeof found === 'function' ? await found(signal) : found;
    const output = given.output ?? '';
    return {
      end: { kind: 'exit', code: 0 },
      output,
      totalBytes: output.length,
      truncated: false,
      cwd,
      durationMs: 1,
      ...given,
    };
  };
  return {
    log,
    moveTo: (to) => (cwd = to),
    cwd: () => cwd,
    run(command, signal, onOutput) {
      const run = last.then(async () => {
        const result = await answer(command, signal);
        cwd = result.cwd;
        if (result.output !== '') onOutput(result.output);
        return result;
      });
      last = run.catch(() => undefined);
      return run;
    },
    restart(signal) {
      if (signal.aborted) return Promise.reject(new CancelledError());
      log.push('restart');
      cwd = start;
      return Promise.resolve();
    },
  };
}
