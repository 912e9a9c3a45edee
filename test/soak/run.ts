/**
 * `npm run soak [-- name …]`: what is too long for every run. Each job is a suite of `npm test` at full size; the figures
 * go to test/soak/results.md. Exits with 1 when a job fails. Give names to run only some; `--ui-runs=10` sets how often
 * the UI suite runs in a row.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const RESULTS = join(__dirname, 'results.md');
const TIMEOUT_MS = 60 * 60_000;

interface Job {
  readonly name: string;
  readonly what: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly times?: number;
}

const uiRuns = Number(process.argv.find((argument) => argument.startsWith('--ui-runs='))?.split('=')[1] ?? 10);
const mocha = (file: string): readonly string[] => ['npx', 'mocha', '--reporter', 'dot', '--timeout', '3600000', file];

const JOBS: readonly Job[] = [
  {
    name: 'fuzz',
    what: '10,000 random sessions: every prefix of every log projects to a request that the simulator takes',
    command: mocha('test/unit/agent/cancel.test.ts'),
    env: { LOOPDOCK_FUZZ_RUNS: '10000' },
  },
  {
    name: 'cancel',
    what: 'cancel after each single stream event of a recorded turn; the next prompt is accepted',
    command: mocha('test/unit/integration/simulated.test.ts'),
    env: { LOOPDOCK_SOAK: '1' },
  },
  {
    name: 'faults',
    what: 'every fault of the simulator at every event of every answer of a turn; the log is whole, the next prompt accepted',
    command: mocha('test/unit/integration/faults.test.ts'),
    env: { LOOPDOCK_FAULT_STEP: '1' },
  },
  {
    name: 'kills',
    what: '1,000 SIGKILLs of a process that appends to a session log; no acknowledged entry is lost',
    command: mocha('test/unit/node/logProcesses.test.ts'),
    env: { LOOPDOCK_KILLS: '1000' },
  },
  {
    name: 'attachments',
    what: 'a download of 1 GB into the attachment store, through the real client: the process grows by less than 64 MB',
    command: mocha('test/unit/node/attachmentMemory.test.ts'),
    env: { LOOPDOCK_DOWNLOAD_MB: '1024' },
  },
  {
    name: 'doctor',
    what: '20,000 generated and damaged histories, three times: doctor-clean and accepted by the simulator are the same',
    command: mocha('test/unit/session/doctor.test.ts'),
    env: { LOOPDOCK_DOCTOR_RUNS: '20000' },
  },
  {
    name: 'upload',
    what: 'a file of 500 MB is attached and uploaded; the process grows by less than 64 MB',
    command: mocha('test/unit/integration/uploadSize.test.ts'),
    env: { LOOPDOCK_UPLOAD_MB: '499' },
  },
  {
    name: 'whole-path',
    what: 'the whole path in a real workbench, ten times in a row',
    command: ['npx', 'tsx', 'test/ui/run.ts', 'test/ui/wholePath.test.ts'],
    times: 10,
  },
  {
    name: 'ui',
    what: `the UI suite, ${String(uiRuns)} times in a row`,
    command: ['npx', 'tsx', 'test/ui/run.ts'],
    times: uiRuns,
  },
];

function main(): void {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  let failed = false;
  for (const job of JOBS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const figure = run(job);
    console.log(`${job.name}: ${figure.text}`);
    record(job, figure.text);
    failed ||= !figure.ok;
  }
  process.exitCode = failed ? 1 : 0;
}

function run(job: Job): { readonly ok: boolean; readonly text: string } {
  const times = job.times ?? 1;
  const began = Date.now();
  for (let nth = 1; nth <= times; nth++) {
    const [program = '', ...args] = job.command;
    const { status } = spawnSync(program, args, {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...process.env, ...job.env },
      timeout: TIMEOUT_MS,
    });
    if (status !== 0) return { ok: false, text: `FAILED in run ${String(nth)} of ${String(times)}` };
  }
  return {
    ok: true,
    text: `passed ${String(times)} of ${String(times)} in ${String(Math.round((Date.now() - began) / 1000))} s`,
  };
}

/** Replaces the job's row. */
function record(job: Job, text: string): void {
  const machine = `${String(cpus().length)} cores, ${String(Math.round(totalmem() / 2 ** 30))} GiB, Node ${process.version}`;
  const head = [
    '# Soak results',
    '',
    'Written by `npm run soak`; the newest run of each job.',
    '',
    '| job | what | figure | date | machine |',
    '| --- | --- | --- | --- | --- |',
  ];
  const known = existsSync(RESULTS)
    ? readFileSync(RESULTS, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('| ') && !line.startsWith('| job') && !line.startsWith('| ---'))
    : [];
  const rows = known.filter((line) => !line.startsWith(`| ${job.name} |`));
  rows.push(`| ${job.name} | ${job.what} | ${text} | ${new Date().toISOString().slice(0, 10)} | ${machine} |`);
  writeFileSync(RESULTS, [...head, ...rows, ''].join('\n'));
}

main();
