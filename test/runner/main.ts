import { checkConformance } from './conformance.ts';
import { runLanes } from './lanes.ts';
import { suites } from './suites.ts';
import type { Outcome, Suite } from './suites.ts';

/** All suites together. What is left of it limits each suite, so that nothing hangs. */
const TOTAL_MS = 24 * 60_000;
/** More suites wait than work, but two browsers and two editors are all that two cores take without time-outs. */
const LANES = 2;

interface Row extends Outcome {
  readonly name: string;
  readonly seconds: number;
}

/**
 * `npm test`, or `npm test -- --only=unit,ui`. The last line is always `N passed, M failed`; the exit code is 0 only
 * when nothing failed and every suite that can run here has run something.
 */
async function main(): Promise<void> {
  const started = Date.now();
  const left = (): number => TOTAL_MS - (Date.now() - started);
  const all = chosen();
  const rows: Row[] = [];
  for (const suite of all.filter(({ alone }) => alone)) rows.push(await runTimed(suite, left(), false));
  const rest = all.filter(({ alone }) => !alone);
  rows.push(...(await runLanes(rest, LANES, (suite) => runTimed(suite, left(), rest.length > 1))));
  rows.push(...conformance(rows));
  const passed = sum(rows.map((row) => row.passed));
  const failed = sum(rows.map((row) => row.failed));
  console.log(`\n${'suite'.padEnd(14)}${'passed'.padStart(8)}${'failed'.padStart(8)}${'seconds'.padStart(10)}`);
  for (const row of rows) console.log(describe(row));
  console.log(`\nin ${((Date.now() - started) / 1000).toFixed(0)} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

/** Only where the suites ran that run everywhere: a part of the tests shows a part of the rows. */
function conformance(rows: readonly Row[]): readonly Row[] {
  const ran = new Map(rows.flatMap(({ name, titles, notRun }) => (titles && !notRun ? [[name, titles] as const] : [])));
  if (!ran.has('unit') || !ran.has('webview')) return [];
  console.log('\n━━ conformance');
  return [{ ...checkConformance(ran), name: 'conformance', seconds: 0 }];
}

/** Quiet: heard when it has ended, because another speaks meanwhile. */
async function runTimed(suite: Suite, left: number, quiet: boolean): Promise<Row> {
  const begun = Date.now();
  const title = `\n━━ ${suite.name} ${'━'.repeat(Math.max(3, 100 - suite.name.length))}`;
  console.log(quiet ? `… ${suite.name}` : title);
  let heard = '';
  const outcome = await run(suite, left, quiet ? (text) => (heard += `${text}\n`) : undefined);
  if (quiet) console.log(`${title}\n${heard}`);
  return { ...outcome, name: suite.name, seconds: (Date.now() - begun) / 1000 };
}

/** Runs a suite. What throws, and what ran nothing, is a failure. */
async function run(suite: Suite, left: number, onOutput?: (text: string) => void): Promise<Outcome> {
  if (left <= 0) return { passed: 0, failed: 1, problem: 'no time was left' };
  try {
    const outcome = await suite.run(Math.min(suite.timeoutMs, left), onOutput);
    if (outcome.notRun === undefined && outcome.passed + outcome.failed === 0) {
      return { ...outcome, failed: 1, problem: 'no test was run' };
    }
    return outcome;
  } catch (error) {
    console.error(error);
    return { passed: 0, failed: 1, problem: error instanceof Error ? error.message : String(error) };
  }
}

function chosen(): readonly Suite[] {
  const only = process.argv.find((argument) => argument.startsWith('--only='))?.slice('--only='.length);
  if (only === undefined) return suites;
  const names = only.split(',');
  // `host` stands for `host-latest` and `host-min`.
  const found = suites.filter((suite) =>
    names.some((name) => suite.name === name || suite.name.startsWith(`${name}-`)),
  );
  if (found.length === 0) {
    console.error(`No such suite: ${only}. There are ${suites.map(({ name }) => name).join(', ')}.`);
    process.exit(1);
  }
  return found;
}

function describe(row: Row): string {
  const name = row.name.padEnd(14);
  if (row.notRun !== undefined) return `${name} NOT RUN HERE: ${row.notRun}`;
  const counts = `${String(row.passed).padStart(8)}${String(row.failed).padStart(8)}${row.seconds.toFixed(1).padStart(10)}`;
  const skipped = row.skipped ? `  ${row.skipped} skipped` : '';
  return `${name}${counts}${skipped}${row.problem ? `  ✘ ${row.problem}` : ''}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

void main();
