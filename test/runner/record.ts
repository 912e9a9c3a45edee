import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Runner, Test } from 'mocha';

/** One line of a results file. A run without an `end` did not end: its host died. */
export type ResultLine =
  | { readonly type: 'pass'; readonly title: string; readonly ms: number }
  | { readonly type: 'fail'; readonly title: string; readonly error: string }
  | { readonly type: 'pending'; readonly title: string }
  /** A figure that a test wants to be seen, see `report`. */
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'end'; readonly passes: number; readonly failures: number; readonly pending: number };

/** The environment variable that names the results file. */
export const RESULTS_VARIABLE = 'LOOPDOCK_RESULTS';

/**
 * Writes what a mocha run does to the results file, line by line, as it happens: the process that reads it may be
 * another one than ours, and ours may be killed. Does nothing when no file is named.
 */
export function recordResults(runner: Runner): void {
  runner.on('pass', (test: Test) => write({ type: 'pass', title: test.fullTitle(), ms: test.duration ?? 0 }));
  runner.on('pending', (test: Test) => write({ type: 'pending', title: test.fullTitle() }));
  runner.on('fail', (test: Test, error: unknown) =>
    write({ type: 'fail', title: test.fullTitle(), error: describe(error) }),
  );
  runner.on('end', () => {
    const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
    write({ type: 'end', passes, failures, pending });
  });
}

/** Shows a figure in the output of the run, from inside a test of any suite. */
export function report(text: string): void {
  if (process.env[RESULTS_VARIABLE]) write({ type: 'note', text });
  else console.log(text);
}

function write(line: ResultLine): void {
  const file = process.env[RESULTS_VARIABLE];
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { expected, actual } = error as { expected?: unknown; actual?: unknown };
  const difference = expected === undefined ? '' : `\n  expected: ${short(expected)}\n  actual:   ${short(actual)}`;
  return `${error.stack ?? error.message}${difference}`;
}

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 10 });
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
