import type { BatchRecord, RemoteBatch } from './batchTypes.ts';
import { isBeingSent, lastSent } from './lease.ts';

/** A batch that the API does not list by then did not arrive. */
const ARRIVES_WITHIN_MS = 2 * 60_000;
/** Two clocks may differ by so much. */
const CLOCK_SKEW_MS = 5 * 60_000;
const LONGEST_SUBMISSION_MS = 60 * 60_000;

/** What the API's list says of a submission whose answer was lost. */
export type Arrival =
  | { readonly kind: 'found'; readonly remote: RemoteBatch }
  | { readonly kind: 'wait' }
  | { readonly kind: 'missing' }
  /** One of the same size that nobody here knows, of another time than the clock of this computer says. */
  | { readonly kind: 'doubtful'; readonly remote: RemoteBatch };

/**
 * The batch is the one that began then, with as many requests, and is no other record's. While another of the same size is
 * on its way it may be that one, and nothing is decided.
 */
export function arrivalOf(
  record: BatchRecord,
  all: readonly BatchRecord[],
  listed: readonly RemoteBatch[],
  now: number,
): Arrival {
  const known = new Set(all.map(({ remote }) => remote?.id));
  const alike = listed.filter(({ id, counts }) => !known.has(id) && sizeOf(counts) === record.items.length);
  const found = alike.filter(({ createdAt }) => {
    const at = Date.parse(createdAt);
    return at > Date.parse(record.createdAt) - CLOCK_SKEW_MS && at < lastSent(record) + LONGEST_SUBMISSION_MS;
  });
  const onTheWay = all.some(
    (other) => other.id !== record.id && other.items.length === record.items.length && isBeingSent(other, now),
  );
  const [remote] = found;
  if (found.length > 1 || onTheWay) return { kind: 'wait' };
  if (remote !== undefined) return { kind: 'found', remote };
  // Not by the sign: a clock that was set back must not let it wait for days.
  if (Math.abs(now - lastSent(record)) < ARRIVES_WITHIN_MS) return { kind: 'wait' };
  const [doubtful] = alike;
  return doubtful === undefined ? { kind: 'missing' } : { kind: 'doubtful', remote: doubtful };
}

function sizeOf(counts: RemoteBatch['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
