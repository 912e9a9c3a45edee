import { diffArrays } from 'diff';

/**
 * Pairs the equal lines of two texts, given as numbers (equal lines have equal numbers). `result[i]` is the line of `b`
 * that line `i` of `a` became, or -1; the pairs rise on both sides. It is always a valid answer and never takes long:
 * common head and tail are cut, lines that occur once on both sides are anchors, lines of one side only are dropped,
 * and what is left goes to `diff` in pieces under a budget of work. What the budget does not reach counts as changed.
 */
export function pairLines(a: readonly number[], b: readonly number[], work = 1_500_000): Int32Array {
  const pairs = new Int32Array(a.length).fill(-1);
  pairRange({ a, b, pairs, budget: work }, { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }, 0);
  return pairs;
}

interface State {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly pairs: Int32Array;
  budget: number;
}

interface Range {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

const MAX_DEPTH = 24;
const MAX_PIECE = 1000;
const MIN_PIECE = 60;

function pairRange(state: State, range: Range, depth: number): void {
  const inner = pairEnds(state, range);
  if (inner.aFrom === inner.aTo || inner.bFrom === inner.bTo) return;
  const anchors = depth < MAX_DEPTH ? findAnchors(state, inner) : [];
  if (anchors.length === 0) {
    pairRest(state, inner);
    return;
  }
  let { aFrom, bFrom } = inner;
  for (const [i, j] of anchors) {
    state.pairs[i] = j;
    pairRange(state, { aFrom, aTo: i, bFrom, bTo: j }, depth + 1);
    aFrom = i + 1;
    bFrom = j + 1;
  }
  pairRange(state, { aFrom, aTo: inner.aTo, bFrom, bTo: inner.bTo }, depth + 1);
}

/** Pairs the common head and tail, and returns what is between them. */
function pairEnds({ a, b, pairs }: State, range: Range): Range {
  let { aFrom, aTo, bFrom, bTo } = range;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) pairs[aFrom++] = bFrom++;
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) pairs[--aTo] = --bTo;
  return { aFrom, aTo, bFrom, bTo };
}

/** Lines that occur once on both sides, as the longest rising sequence of pairs. */
function findAnchors({ a, b }: State, range: Range): [number, number][] {
  const inA = onlyOnce(a, range.aFrom, range.aTo);
  const inB = onlyOnce(b, range.bFrom, range.bTo);
  const candidates: [number, number][] = [];
  for (const [line, i] of inA) {
    const j = inB.get(line);
    if (i >= 0 && j !== undefined && j >= 0) candidates.push([i, j]);
  }
  candidates.sort((x, y) => x[0] - y[0]);
  return longestRising(candidates);
}

/** Line → its position, or -1 when it occurs more than once. */
function onlyOnce(lines: readonly number[], from: number, to: number): Map<number, number> {
  const found = new Map<number, number>();
  for (let at = from; at < to; at++) {
    const line = lines[at] as number;
    found.set(line, found.has(line) ? -1 : at);
  }
  return found;
}

function longestRising(candidates: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const previous = new Int32Array(candidates.length);
  candidates.forEach(([, j], index) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((candidates[tails[middle] as number] as [number, number])[1] < j) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] as number) : -1;
    tails[low] = index;
  });
  const rising: [number, number][] = [];
  for (let at = tails[tails.length - 1] ?? -1; at >= 0; at = previous[at] as number) {
    rising.push(candidates[at] as [number, number]);
  }
  return rising.reverse();
}

/** No anchors: drops the lines of one side only, and compares the rest. */
function pairRest(state: State, range: Range): void {
  const { a, b } = state;
  const inA = new Set(a.slice(range.aFrom, range.aTo));
  const inB = new Set(b.slice(range.bFrom, range.bTo));
  const left: number[] = [];
  const right: number[] = [];
  for (let i = range.aFrom; i < range.aTo; i++) if (inB.has(a[i] as number)) left.push(i);
  for (let j = range.bFrom; j < range.bTo; j++) if (inA.has(b[j] as number)) right.push(j);
  const total = left.length + right.length;
  // The work grows with the square of a piece: many lines are compared in small pieces rather than not at all.
  const size = Math.min(MAX_PIECE, Math.max(MIN_PIECE, Math.floor((3 * state.budget) / Math.max(total, 1))));
  const pieces = Math.max(1, Math.ceil(total / size));
  for (let piece = 0; piece < pieces; piece++) {
    pairPiece(state, part(left, piece, pieces), part(right, piece, pieces));
  }
}

function part(items: readonly number[], piece: number, pieces: number): number[] {
  return items.slice(Math.floor((items.length * piece) / pieces), Math.floor((items.length * (piece + 1)) / pieces));
}

function pairPiece(state: State, left: readonly number[], right: readonly number[]): void {
  const limit = Math.min(left.length + right.length, Math.floor(Math.sqrt(state.budget)));
  if (left.length === 0 || right.length === 0 || limit < 1) return;
  const lines = (at: readonly number[], side: readonly number[]) => at.map((index) => side[index] as number);
  const changes = diffArrays(lines(left, state.a), lines(right, state.b), { maxEditLength: limit });
  const edits = changes ? pairEqual(changes, left, right, state.pairs) : limit;
  state.budget -= edits * edits;
}

/** Pairs what `diff` left unchanged, and counts the rest. */
function pairEqual(
  changes: readonly { readonly added: boolean; readonly removed: boolean; readonly count: number }[],
  left: readonly number[],
  right: readonly number[],
  pairs: Int32Array,
): number {
  let i = 0;
  let j = 0;
  let edits = 0;
  for (const { added, removed, count } of changes) {
    if (added) j += count;
    else if (removed) i += count;
    else for (let k = 0; k < count; k++) pairs[left[i++] as number] = right[j++] as number;
    if (added || removed) edits += count;
  }
  return edits;
}
