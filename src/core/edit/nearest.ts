import { splitLines, toLf } from './lineEnds.ts';

/** Where a text that was not found probably was meant to be. */
export interface NearText {
  /** 1-based. */
  readonly line: number;
  readonly lines: readonly string[];
  /** What the only difference is, where it is one of the usual ones. */
  readonly reason?: 'whitespace' | 'lineNumbers';
}

const MAX_SHOWN = 12;
/** A line is judged by its first units only, so that one endless line can't cost more than its share. */
const MAX_LINE = 1000;
/** The needle's line may stand in the needle that often; more positions would only repeat the vote. */
const MAX_POSITIONS = 4;
/** A line that the file has more often than this says nothing about the place. */
const MAX_HEARD = 500;

/**
 * A hint for a failed replacement, in time linear in both texts: every line of the file that also stands in the needle
 * votes for the line where the needle would then begin. Where no line is the same, the line with the most letter
 * triples in common with the needle's longest line is taken. Undefined when nothing is near.
 */
export function nearestText(text: string, needle: string): NearText | undefined {
  const lines = splitLines(text);
  const wanted = splitLines(toLf(needle));
  if (lines.length === 0 || wanted.every((line) => line.trim() === '')) return undefined;
  const bare = withoutLineNumbers(wanted);
  if (bare && toLf(text).includes(bare.join('\n'))) {
    return { ...windowAt(lines, voteByLines(lines, bare)?.start ?? 0, bare.length), reason: 'lineNumbers' };
  }
  const vote = voteByLines(lines, wanted);
  if (vote && vote.share >= 0.3) return describe(lines, wanted, vote.start);
  const start = voteByTriples(lines, wanted) ?? vote?.start;
  return start === undefined ? undefined : describe(lines, wanted, start);
}

function describe(lines: readonly string[], wanted: readonly string[], start: number): NearText {
  const found = windowAt(lines, start, wanted.length);
  const same = wanted.every((line, index) => squash(line) === squash(lines[start + index] ?? ''));
  return same ? { ...found, reason: 'whitespace' } : found;
}

function squash(line: string): string {
  return line.replace(/\s+/g, '');
}

function windowAt(lines: readonly string[], start: number, length: number): NearText {
  const from = Math.min(Math.max(start, 0), lines.length - 1);
  return { line: from + 1, lines: lines.slice(from, from + Math.min(Math.max(length, 1), MAX_SHOWN)) };
}

/** The lines without the `12: ` or `12<tab>` that a view puts before them; undefined when one has none. */
function withoutLineNumbers(wanted: readonly string[]): string[] | undefined {
  const bare: string[] = [];
  for (const line of wanted) {
    const match = /^\s*\d+(?:: ?|\t)(.*)$/.exec(line);
    if (!match) return undefined;
    bare.push(match[1] ?? '');
  }
  return bare;
}

/** `start` is the 0-based line, `share` how much of the needle (by weight) voted for it. */
function voteByLines(
  lines: readonly string[],
  wanted: readonly string[],
): { start: number; share: number } | undefined {
  const positions = new Map<string, number[]>();
  let total = 0;
  wanted.forEach((line, index) => {
    const key = line.trim();
    total += weight(key);
    if (key === '') return;
    const known = positions.get(key);
    if (!known) positions.set(key, [index]);
    else if (known.length < MAX_POSITIONS) known.push(index);
  });
  const votes = new Map<number, number>();
  const heard = new Map<string, number>();
  lines.forEach((line, at) => {
    const key = line.trim();
    const found = positions.get(key);
    if (!found) return;
    const times = (heard.get(key) ?? 0) + 1;
    heard.set(key, times);
    if (times > MAX_HEARD) return;
    for (const index of found) {
      const start = at - index;
      votes.set(start, (votes.get(start) ?? 0) + weight(key));
    }
  });
  let best: { start: number; share: number } | undefined;
  for (const [start, sum] of votes) if (!best || sum > best.share) best = { start, share: sum };
  return best && { start: best.start, share: best.share / total };
}

/** A lone bracket says little about the place, and a very long line not more than a long one. */
function weight(line: string): number {
  return Math.min(line.length, 40);
}

function voteByTriples(lines: readonly string[], wanted: readonly string[]): number | undefined {
  let index = 0;
  wanted.forEach((line, at) => {
    if (line.trim().length > (wanted[index] as string).trim().length) index = at;
  });
  const target = triples(wanted[index] as string);
  if (target.size === 0) return undefined;
  let best = -1;
  let bestScore = 0.4;
  lines.forEach((line, at) => {
    const own = triples(line);
    let common = 0;
    for (const triple of own) if (target.has(triple)) common++;
    const score = own.size === 0 ? 0 : Math.max((2 * common) / (own.size + target.size), partOf(common, target.size));
    if (score > bestScore) {
      best = at;
      bestScore = score;
    }
  });
  return best < 0 ? undefined : best - index;
}

/** A needle that ends inside a long line has nearly all its triples there. */
function partOf(common: number, size: number): number {
  return size >= 8 ? (0.9 * common) / size : 0;
}

function triples(line: string): Set<number> {
  const text = line.trim().slice(0, MAX_LINE);
  const found = new Set<number>();
  for (let at = 0; at + 2 < text.length; at++) {
    found.add((text.charCodeAt(at) * 65_536 + text.charCodeAt(at + 1)) * 65_536 + text.charCodeAt(at + 2));
  }
  return found;
}
