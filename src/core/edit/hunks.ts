import { cutText } from '../base/text.ts';
import type { Hunk } from '../../protocol/rows.ts';
import { splitLines } from './lineEnds.ts';
import { pairLines } from './lineDiff.ts';

export interface TextDiff {
  readonly hunks: readonly Hunk[];
  /** Lines, over the whole text also where `hunks` is cut. */
  readonly added: number;
  readonly removed: number;
  /** Not every changed line is in `hunks`, or a line was cut. */
  readonly truncated: boolean;
}

export interface DiffLimits {
  /** Unchanged lines around a change. */
  readonly context: number;
  readonly maxLines: number;
  /** UTF-16 units of all lines together. */
  readonly maxCharacters: number;
  readonly maxLineLength: number;
}

const LIMITS: DiffLimits = { context: 3, maxLines: 400, maxCharacters: 40_000, maxLineLength: 1_000 };

/** Hunks for display. Line ends are not compared, but whether the last line has one is. */
export function diffTexts(before: string, after: string, limits: Partial<DiffLimits> = {}): TextDiff {
  const a = splitLines(before);
  const b = splitLines(after);
  const changes = toChanges(pairLines(...numberLines(a, endless(before), b, endless(after))), b.length);
  const cut = new LineBudget({ ...LIMITS, ...limits });
  const hunks: Hunk[] = [];
  for (const group of groupChanges(changes, cut.limits.context)) {
    if (cut.spent) break;
    hunks.push(toHunk(a, b, group, cut));
  }
  const added = changes.reduce((sum, change) => sum + change.bTo - change.bFrom, 0);
  const removed = changes.reduce((sum, change) => sum + change.aTo - change.aFrom, 0);
  return { hunks: hunks.filter((hunk) => hunk.lines.length > 0), added, removed, truncated: cut.spent || cut.cutLine };
}

/** The hunks as a unified diff without file headers. */
export function formatHunks(hunks: readonly Hunk[]): string {
  return hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const head = `@@ -${String(oldStart)},${String(oldLines)} +${String(newStart)},${String(newLines)} @@`;
      return [head, ...lines].join('\n');
    })
    .join('\n');
}

interface Change {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** Whether the last line lacks its line end. */
function endless(text: string): boolean {
  return text !== '' && !/[\r\n]$/.test(text);
}

/** Equal lines get equal numbers. */
function numberLines(a: readonly string[], aOpen: boolean, b: readonly string[], bOpen: boolean): [number[], number[]] {
  const numbers = new Map<string, number>();
  const number = (lines: readonly string[], open: boolean) =>
    lines.map((line, index) => {
      const key = open && index === lines.length - 1 ? `${line}\n` : line;
      const known = numbers.get(key) ?? numbers.size;
      numbers.set(key, known);
      return known;
    });
  return [number(a, aOpen), number(b, bOpen)];
}

function toChanges(pairs: Int32Array, bLength: number): Change[] {
  const changes: Change[] = [];
  let aFrom = 0;
  let bFrom = 0;
  for (let i = 0; i <= pairs.length; i++) {
    const j = i < pairs.length ? (pairs[i] as number) : bLength;
    if (j < 0) continue;
    if (i > aFrom || j > bFrom) changes.push({ aFrom, aTo: i, bFrom, bTo: j });
    aFrom = i + 1;
    bFrom = j + 1;
  }
  return changes;
}

/** Changes whose contexts touch share a hunk. */
function groupChanges(changes: readonly Change[], context: number): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups[groups.length - 1]?.at(-1);
    if (last && change.aFrom - last.aTo <= 2 * context) (groups[groups.length - 1] as Change[]).push(change);
    else groups.push([change]);
  }
  return groups;
}

function toHunk(a: readonly string[], b: readonly string[], group: readonly Change[], budget: LineBudget): Hunk {
  const { context } = budget.limits;
  const first = group[0] as Change;
  const last = group[group.length - 1] as Change;
  const lead = Math.min(context, first.aFrom);
  const lines: string[] = [];
  let oldLines = 0;
  let newLines = 0;
  const take = (sign: ' ' | '-' | '+', text: string) => {
    if (!budget.take(text)) return;
    lines.push(sign + cutText(text, budget.limits.maxLineLength));
    if (sign !== '+') oldLines++;
    if (sign !== '-') newLines++;
  };
  let at = first.aFrom - lead;
  for (const change of group) {
    for (; at < change.aFrom; at++) take(' ', a[at] as string);
    for (; at < change.aTo; at++) take('-', a[at] as string);
    for (let j = change.bFrom; j < change.bTo; j++) take('+', b[j] as string);
  }
  for (const end = Math.min(a.length, last.aTo + context); at < end; at++) take(' ', a[at] as string);
  return {
    oldStart: oldLines > 0 ? first.aFrom - lead + 1 : first.aFrom - lead,
    oldLines,
    newStart: newLines > 0 ? first.bFrom - lead + 1 : first.bFrom - lead,
    newLines,
    lines,
  };
}

/** Counts what is shown, and says when it is enough. */
class LineBudget {
  readonly limits: DiffLimits;
  #lines = 0;
  #characters = 0;
  #spent = false;
  #cutLine = false;

  constructor(limits: DiffLimits) {
    this.limits = limits;
  }

  get spent(): boolean {
    return this.#spent;
  }

  take(line: string): boolean {
    const length = Math.min(line.length, this.limits.maxLineLength);
    if (this.#lines >= this.limits.maxLines || this.#characters + length > this.limits.maxCharacters)
      this.#spent = true;
    if (this.#spent) return false;
    if (line.length > length) this.#cutLine = true;
    this.#lines++;
    this.#characters += length;
    return true;
  }

  /** A line was shown in part. */
  get cutLine(): boolean {
    return this.#cutLine;
  }
}
