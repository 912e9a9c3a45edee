import * as l10n from '@vscode/l10n';
import { isObject } from '../base/json.ts';
import type { Call } from './toolCalls.ts';

/** Rounds of one turn before it stops by itself. */
export const MAX_ROUNDS = 200;
/** Rounds with the very same calls in a row. */
const MAX_REPEATS = 20;
/** Rounds in a row that go round among a few. */
const MAX_CIRCLE = 30;
const CIRCLE_SIZE = 3;
/** Rounds in a row in which every call failed. */
const MAX_FAILED_ROUNDS = 15;
/** Calls of one answer. */
const MAX_CALLS = 100;
/** The very same call in one answer. */
const MAX_SAME_CALLS = 20;

/** Watches one turn for a model that runs away. What it says is for the user, who may let the turn go on. */
export interface RunawayGuard {
  /** Why these calls must not run unasked; undefined when they may. */
  before(calls: readonly Call[]): string | undefined;
  /** Why the turn should not go on; `failed` says whether every call of the round ended in an error. */
  after(failed: boolean): string | undefined;
}

export function createRunawayGuard(): RunawayGuard {
  const rounds: string[] = [];
  let failedRounds = 0;
  return {
    before(calls) {
      const each = calls.map(signatureOf);
      rounds.push(each.join('\n'));
      return manyCalls(each) ?? sameRounds(rounds) ?? fewRounds(rounds);
    },
    after(failed) {
      failedRounds = failed ? failedRounds + 1 : 0;
      if (failedRounds < MAX_FAILED_ROUNDS) return undefined;
      return l10n.t('All calls of the last {0} rounds failed.', MAX_FAILED_ROUNDS);
    },
  };
}

/** Calls are compared by their parsed input: the raw text of the same input may differ, and so may the order of its keys. */
function signatureOf({ block, invalidInput }: Call): string {
  return JSON.stringify([block.name, block.input, invalidInput], (_, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

function manyCalls(calls: readonly string[]): string | undefined {
  if (calls.length > MAX_CALLS)
    return l10n.t('Claude asked for {0} calls at once. None of them was run.', calls.length);
  const most = Math.max(0, ...counts(calls));
  return most > MAX_SAME_CALLS
    ? l10n.t('Claude asked for the same call {0} times at once. None of them was run.', most)
    : undefined;
}

function sameRounds(rounds: readonly string[]): string | undefined {
  const last = rounds.slice(-MAX_REPEATS);
  return last.length === MAX_REPEATS && new Set(last).size === 1
    ? l10n.t('Claude made the same call {0} times in a row.', MAX_REPEATS)
    : undefined;
}

function fewRounds(rounds: readonly string[]): string | undefined {
  const last = rounds.slice(-MAX_CIRCLE);
  return last.length === MAX_CIRCLE && new Set(last).size <= CIRCLE_SIZE
    ? l10n.t('Claude made the same few calls over and over, {0} times.', MAX_CIRCLE)
    : undefined;
}

function counts(values: readonly string[]): number[] {
  const found = new Map<string, number>();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return [...found.values()];
}
