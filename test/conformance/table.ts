import { attacks, fieldCases } from './cases.ts';
import type { Row } from './row.ts';
import { rules } from './rules.ts';

/** Suites in the order in which one of several tests is chosen: what runs everywhere comes first. */
const SUITES = ['unit', 'webview', 'host', 'ui', 'desktop'];
const TAG = /^(?<name>.*?)\s*\[(?<ids>[A-Z]{1,2}\d+(?:,\s*[A-Z]{1,2}\d+)*)\]$/s;
const MOST_NOT_APPLICABLE = 10;

/** Full titles of the tests that passed, by suite. A suite that did not run is not in it. */
export type Passed = ReadonlyMap<string, readonly string[]>;

export interface Verdict {
  /** The table as this run shows it. */
  readonly text: string;
  /** What is wrong, a sentence each; empty when every row has what it needs and `committed` says the same. */
  readonly problems: readonly string[];
}

const sections: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  ['Rules of the API', rules],
  ['Cases from the field', fieldCases],
  ['Faults and attacks', attacks],
];

/**
 * Which test shows which row, by the ids at the end of the titles (`… [C35, G1]`), compared with the table that is
 * committed. What the suites that did not run show is taken from that one.
 */
export function judge(passed: Passed, committed: string, all = sections): Verdict {
  const shown = byId(passed);
  const before = cells(committed);
  const ran = new Set([...passed.keys()].map(family));
  const rows = all.flatMap(([, list]) => list);
  const proofOf = (row: Row): string => proof(row, shown.get(row.id) ?? [], before.get(row.id) ?? '', ran);
  const known = new Set(rows.map(({ id }) => id));
  const problems = [
    ...[...shown.keys()].filter((id) => !known.has(id)).map((id) => `no row has the id ${id}: ${shown.get(id)?.[0]}`),
    ...rows.flatMap((row) => contradiction(row, shown.get(row.id) ?? [])),
    ...rows.filter((row) => proofOf(row) === '').map((row) => `${row.id} has no test: ${row.says}`),
    ...rows
      .filter((row) => proofOf(row) !== '' && proofOf(row) !== before.get(row.id))
      .map((row) => `${row.id} is shown by another test than the table says: ${proofOf(row)}`),
  ];
  const excused = rows.filter((row) => row.notApplicable !== undefined).length;
  if (excused > MOST_NOT_APPLICABLE) problems.push(`${excused} rows do not apply; at most ${MOST_NOT_APPLICABLE} may`);
  return { text: render(all, proofOf), problems };
}

/** Test ids (`unit › title`) by row, the best first. */
function byId(passed: Passed): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, { readonly rank: number; readonly test: string }[]>();
  for (const [suite, titles] of passed) {
    for (const title of titles) {
      const { name = '', ids } = TAG.exec(title)?.groups ?? {};
      for (const id of ids?.split(/,\s*/) ?? []) {
        const test = `${family(suite)} › ${name.replaceAll(/\s+/g, ' ')}`;
        found.set(id, [...(found.get(id) ?? []), { rank: SUITES.indexOf(family(suite)), test }]);
      }
    }
  }
  const sorted = [...found].map(([id, tests]) => {
    const best = tests.sort((a, b) => a.rank - b.rank || (a.test < b.test ? -1 : 1)).map(({ test }) => test);
    return [id, best] as const;
  });
  return new Map(sorted);
}

/** `host-latest` and `host-min` run the same tests. */
function family(suite: string): string {
  return suite.split('-')[0] ?? suite;
}

function proof(row: Row, tests: readonly string[], before: string, ran: ReadonlySet<string>): string {
  const suite = SUITES.find((name) => before.startsWith(`${name} › `));
  if (suite !== undefined && !ran.has(suite)) return before;
  if (tests[0] !== undefined) return tests[0];
  if (row.later !== undefined) return `later: ${row.later}`;
  return row.notApplicable === undefined ? '' : `n/a: ${row.notApplicable}`;
}

function contradiction(row: Row, tests: readonly string[]): string[] {
  if (tests.length === 0 || (row.later ?? row.notApplicable) === undefined) return [];
  return [`${row.id} has a test and is marked as if it could have none: ${tests[0]}`];
}

function render(all: typeof sections, proofOf: (row: Row) => string): string {
  const rows = all.flatMap(([, list]) => list);
  const count = (match: (text: string) => boolean): number => rows.filter((row) => match(proofOf(row))).length;
  const later = count((text) => text.startsWith('later: '));
  const excused = count((text) => text.startsWith('n/a: '));
  const missing = count((text) => text === '');
  const lines = [
    '# What the tests show',
    '',
    'Made by `npm test`, which fails when it is not so; `npm run conformance` writes it anew from the last results.',
    `${rows.length} rows: ${rows.length - later - excused - missing} shown, ${later} later, ${excused} not applicable, ${missing} missing.`,
  ];
  for (const [title, list] of all) {
    lines.push('', `## ${title}`, '', '| id | what it says | shown by |', '| --- | --- | --- |');
    for (const row of list)
      lines.push(`| ${row.id} | ${escaped(row.says)} | ${escaped(proofOf(row)) || '**missing**'} |`);
  }
  return `${lines.join('\n')}\n`;
}

/** The third column of a rendered table by the first. */
function cells(text: string): ReadonlyMap<string, string> {
  const found = text.split('\n').flatMap((line) => {
    const [, id = '', , shown = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return /^[A-Z]{1,2}\d+$/.test(id) ? [[id, shown.replaceAll('\\|', '|')] as const] : [];
  });
  return new Map(found);
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}
