import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ROOT } from '../vscode/bootstrap.mjs';
import { whyNoHost } from '../vscode/hosts.ts';
import type { HostName } from '../vscode/hosts.ts';
import { exec } from './exec.ts';
import { RESULTS_VARIABLE } from './record.ts';
import { countResults, passedTitles } from './results.ts';
import { createMemory, fingerprint } from './unchanged.ts';

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  /** Tests that were skipped. */
  readonly skipped?: number;
  /** What went wrong besides failing tests. */
  readonly problem?: string;
  /** Why the suite can't run on this machine. It then counts neither as passed nor as failed. */
  readonly notRun?: string;
  /** Full titles of the tests that passed. */
  readonly titles?: readonly string[];
}

export interface Suite {
  readonly name: string;
  readonly timeoutMs: number;
  /** Runs alone and before all that do not, and speaks as it goes. The others run two at a time and are heard when they have ended. */
  readonly alone?: boolean;
  /** Suites whose outcome on disk this one needs. */
  readonly after?: readonly string[];
  /** Takes no lane of its own: it waits for clocks, disks and other processes for half of its time. */
  readonly beside?: boolean;
  run(timeoutMs: number, onOutput?: (text: string) => void): Promise<Outcome>;
}

const MINUTE = 60_000;
const CACHE = join(ROOT, 'out', 'cache');
/** Walks the demo as `npm start` shows it, in the newest version. */
const DEMO_TESTS = ['start.test.ts'];
/** Walks the demo step by step, with all that a window has to do: in the oldest version, since the newest walks it above. */
const MIN_TESTS = ['wholePath.test.ts'];
const bin = (name: string, path: string): string => join(ROOT, 'node_modules', name, path);
const ESLINT = bin('eslint', 'bin/eslint.js');
const DEPCRUISE = bin('dependency-cruiser', 'bin/dependency-cruise.mjs');
const KNIP = bin('knip', 'bin/knip.js');
const PRETTIER = bin('prettier', 'bin/prettier.cjs');
const TSC = bin('typescript', 'bin/tsc');
const MOCHA = bin('mocha', 'bin/mocha.js');
const REPORTER = ['--reporter', join(ROOT, 'test', 'runner', 'reporter.cjs')];
/** What says the same of the same files is not asked again. Tests always run. */
const memory = createMemory(join(CACHE, 'unchanged.json'));
const tsx = (...args: string[]): string[] => ['--import', 'tsx', ...args];

/** Everything that `npm test` runs, in this order: what fails fast comes first. */
export const suites: readonly Suite[] = [
  alone(
    checks(
      'lint',
      8 * MINUTE,
      {
        // In two halves, one for each core; the second is everything that the first leaves out.
        'eslint, product': [ESLINT, '--max-warnings=0', 'src', 'media'],
        'eslint, the rest': [
          ESLINT,
          '--max-warnings=0',
          '.',
          '--ignore-pattern',
          'src/**',
          '--ignore-pattern',
          'media/**',
        ],
        'import rules': [DEPCRUISE, '--config', '.dependency-cruiser.cjs', 'src', 'media'],
        'dead code': [KNIP, '--no-config-hints'],
        format: [PRETTIER, '--check', '--log-level=warn', '--cache', '--cache-strategy=content', '.'],
        waivers: tsx('test/runner/waivers.ts'),
        'rules, budgets and texts': [MOCHA, 'test/lint/*.test.ts'],
      },
      memory,
    ),
  ),
  alone(
    checks(
      'typecheck',
      4 * MINUTE,
      { 'src and test': typecheck('.'), media: typecheck('media'), 'test/ui': typecheck('test/ui') },
      memory,
    ),
  ),
  alone(checks('build', 8 * MINUTE, { bundles: ['esbuild.js'], editors: tsx('test/runner/editors.ts') })),
  { ...mocha('unit', 5 * MINUTE, [MOCHA, 'test/unit/**/*.test.ts', ...REPORTER]), beside: true },
  checks('package', 3 * MINUTE, { vsix: tsx('test/runner/package.ts') }, memory),
  // The longest first, so that no lane ends long after the other.
  after(
    'package',
    onServer('ui-latest', 10 * MINUTE, 'latest', () =>
      tsx('test/ui/run.ts', ...uiFiles((file) => !DEMO_TESTS.includes(file) && !MIN_TESTS.includes(file))),
    ),
  ),
  mocha('webview', 5 * MINUTE, [MOCHA, 'test/webview/**/*.test.{ts,tsx}', ...REPORTER]),
  // Packaging and these write the same bundles: one after the other.
  after(
    'package',
    onServer('host-latest', 6 * MINUTE, 'latest', (name) => tsx('test/host/run.ts', name)),
  ),
  after(
    'host-latest',
    onServer('host-min', 6 * MINUTE, 'min', (name) => tsx('test/host/run.ts', name)),
  ),
  after(
    'package',
    onServer('ui-min', 6 * MINUTE, 'min', () => tsx('test/ui/run.ts', ...uiFiles((file) => MIN_TESTS.includes(file)))),
  ),
  after(
    'package',
    onServer('ui-demo', 6 * MINUTE, 'latest', () =>
      tsx('test/ui/run.ts', ...uiFiles((file) => DEMO_TESTS.includes(file))),
    ),
  ),
  desktop(),
];

/** What did not change since the last run is not checked again: the compiler keeps account of it itself. */
function typecheck(project: string): readonly string[] {
  const notes = join(CACHE, `${project.replaceAll(/\W/g, '-')}.tsbuildinfo`);
  return [TSC, '-p', project, '--incremental', '--tsBuildInfoFile', notes];
}

function alone(suite: Suite): Suite {
  return { ...suite, alone: true };
}

function after(name: string, suite: Suite): Suite {
  return { ...suite, after: [name] };
}

/** The UI suite in two: how one gets to the demo by `npm start`, and all the rest. */
function uiFiles(isWanted: (file: string) => boolean): string[] {
  const folder = join(ROOT, 'test', 'ui');
  const files = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
  return files.filter(isWanted).map((file) => join(folder, file));
}

/**
 * Programs that pass or fail as a whole: one check each. Two run at a time, each shows its output when it has ended.
 * With a memory, one that passed on the very same files is not run again; CI runs all.
 */
function checks(
  name: string,
  timeoutMs: number,
  programs: Readonly<Record<string, readonly string[]>>,
  memory?: ReturnType<typeof createMemory>,
): Suite {
  return {
    name,
    timeoutMs,
    async run(limit, onOutput = console.log) {
      const deadline = Date.now() + limit;
      const print = memory === undefined ? undefined : fingerprint(ROOT);
      const waiting = Object.entries(programs);
      let failed = 0;
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [check, args] = next;
          if (print !== undefined && !process.env['CI'] && memory?.passed(check, print)) {
            onOutput(`  ✔ ${check} (nothing changed since it passed)`);
          } else {
            const { passed, output } = await runCheck(check, args, deadline);
            onOutput(output);
            if (!passed) failed++;
            else if (print !== undefined) memory?.remember(check, print);
          }
        }
      };
      await Promise.all([work(), work()]);
      return { passed: Object.keys(programs).length - failed, failed };
    },
  };
}

async function runCheck(
  name: string,
  args: readonly string[],
  deadline: number,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  let output = '';
  const timeoutMs = Math.max(1000, deadline - Date.now());
  const problem = await exec(args, { timeoutMs, onOutput: (text) => (output = text.trimEnd()) });
  const verdict = problem === undefined ? `  ✔ ${name}` : `  ✘ ${name}: ${problem}`;
  return { passed: problem === undefined, output: output === '' ? verdict : `${output}\n${verdict}` };
}

/** A mocha run that writes a results file; what it wrote is what counts, not how its process ended. */
function mocha(name: string, timeoutMs: number, args: readonly string[], env: Record<string, string> = {}): Suite {
  return {
    name,
    timeoutMs,
    async run(limit, onOutput) {
      // A file of this run alone: another run in the same checkout must not count here.
      const folder = mkdtempSync(join(tmpdir(), 'loopdock-results-'));
      const results = join(folder, `${name}.jsonl`);
      const options = { timeoutMs: limit, env: { ...env, [RESULTS_VARIABLE]: results } };
      const ended = await exec(args, { ...options, ...(onOutput ? { onOutput } : {}) });
      const counts = { ...countResults(results), titles: passedTitles(results) };
      keep(results);
      rmSync(folder, { recursive: true });
      if (counts.failed > 0 || ended === undefined) return counts;
      // All tests passed, and the process failed all the same.
      return { ...counts, failed: 1, problem: ended };
    },
  };
}

/** For who wants to look at it after the run. */
function keep(results: string): void {
  const folder = join(ROOT, 'out', 'results');
  mkdirSync(folder, { recursive: true });
  if (existsSync(results)) cpSync(results, join(folder, basename(results)));
}

/** A suite that needs the npm-delivered VS Code server. */
function onServer(name: string, timeoutMs: number, host: HostName, args: (host: HostName) => string[]): Suite {
  const suite = mocha(name, timeoutMs, args(host), { LOOPDOCK_HOST: host });
  return {
    ...suite,
    run(limit, onOutput) {
      const notRun = whyNoHost();
      return notRun === undefined ? suite.run(limit, onOutput) : Promise.resolve({ passed: 0, failed: 0, notRun });
    },
  };
}

/** The host suite in a desktop VS Code, where `LOOPDOCK_DESKTOP` names one. */
function desktop(): Suite {
  const suite = mocha('desktop', 10 * MINUTE, tsx('test/host/runDesktop.ts'));
  return {
    ...suite,
    run(limit) {
      if (process.env['LOOPDOCK_DESKTOP']) return suite.run(limit);
      const notRun = 'set LOOPDOCK_DESKTOP to the path of a desktop VS Code, or to a version to download (stable)';
      return Promise.resolve({ passed: 0, failed: 0, notRun });
    },
  };
}
