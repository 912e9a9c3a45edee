import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { judge } from '../conformance/table.ts';
import type { Passed } from '../conformance/table.ts';
import { ROOT } from '../vscode/bootstrap.mjs';
import { passedTitles } from './results.ts';
import type { Outcome } from './suites.ts';

export const TABLE = join(ROOT, 'test', 'conformance.md');

/** Compares what a run has shown with the table that is committed. The table as it should be goes to `out`. */
export function checkConformance(passed: Passed): Outcome {
  const { text, problems } = judge(passed, existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '');
  mkdirSync(join(ROOT, 'out'), { recursive: true });
  writeFileSync(join(ROOT, 'out', 'conformance.md'), text);
  for (const problem of problems) console.log(`  ✘ ${problem}`);
  if (problems.length === 0) return { passed: 1, failed: 0 };
  return { passed: 0, failed: 1, problem: `${problems.length} rows; npm run conformance writes the table anew` };
}

/** `npm run conformance`: writes the table from the results of the last runs, and says what is wrong with it. */
export function writeTable(): void {
  const folder = join(ROOT, 'out', 'results');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : [];
  const passed = new Map(files.map((name) => [basename(name, '.jsonl'), passedTitles(join(folder, name))]));
  const { text } = judge(passed, existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '');
  writeFileSync(TABLE, text);
  for (const problem of judge(passed, text).problems) console.log(`  ✘ ${problem}`);
}
