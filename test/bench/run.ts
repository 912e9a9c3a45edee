/**
 * `npm run bench [-- B1 B7 …]`: prints the figures of the benches and keeps the newest of each in test/bench/results.md.
 * Never fails on a figure: a target that is missed is said.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './harness.ts';

const RESULTS = join(__dirname, 'results.md');
const TIMEOUT_MS = 20 * 60_000;
const BENCHES = ['B1', 'B2', 'B3', 'B7', 'B8', 'B10', 'B11'];
const HEAD = [
  '# Bench results',
  '',
  'Written by `npm run bench`; the newest run of each. A ratio is the least time of all rounds ÷ that of the baseline in',
  'the same process: see the head of each file for what is compared. Growth is the time at twice the size ÷ the time.',
  '',
  '| bench | workload | ratio | target | growth | heap | note | date | machine | commit |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
];

function main(): void {
  const asked = process.argv.slice(2).filter((name) => BENCHES.includes(name));
  let failed = false;
  for (const id of asked.length === 0 ? BENCHES : asked) {
    const { status, stdout } = spawnSync(process.execPath, [join(__dirname, `${id}.js`), '--json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: TIMEOUT_MS,
    });
    if (status !== 0) {
      console.error(`${id}: could not be measured`);
      failed = true;
      continue;
    }
    const { figures } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { figures: readonly Figure[] };
    const rows = figures.map((figure) => rowOf(id, figure));
    for (const row of rows) console.log(row);
    record(id, rows);
  }
  process.exitCode = failed ? 1 : 0;
}

function rowOf(id: string, figure: Figure): string {
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const cells = [
    id,
    figure.workload,
    figure.ratio.toFixed(2),
    targetOf(figure.ratio, figure.target),
    figure.growth === undefined ? '' : `${figure.growth.toFixed(2)} (${targetOf(figure.growth, figure.growthTarget)})`,
    figure.heapMb === undefined ? '' : `${figure.heapMb.toFixed(1)} MB`,
    figure.note ?? '',
    new Date().toISOString().slice(0, 10),
    machine,
    commit(),
  ];
  return `| ${cells.join(' | ')} |`;
}

function targetOf(value: number, target: number | undefined): string {
  if (target === undefined) return '';
  return value <= target ? `≤ ${target}` : `≤ ${target}, falls short`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: __dirname, encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/** Replaces the rows of this bench. */
function record(id: string, rows: readonly string[]): void {
  const known = existsSync(RESULTS)
    ? readFileSync(RESULTS, 'utf8')
        .split('\n')
        .filter((line) => /^\| B\d/.test(line))
    : [];
  const kept = known.filter((line) => !line.startsWith(`| ${id} |`));
  const all = [...kept, ...rows].sort((a, b) => BENCHES.indexOf(idOf(a)) - BENCHES.indexOf(idOf(b)));
  const notes = existsSync(RESULTS) ? (readFileSync(RESULTS, 'utf8').split('\n## ')[1] ?? '') : '';
  writeFileSync(RESULTS, `${[...HEAD, ...all].join('\n')}\n${notes === '' ? '' : `\n## ${notes}`}`);
}

function idOf(row: string): string {
  return row.split(' ')[1] ?? '';
}

main();
