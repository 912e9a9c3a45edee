import type { Clock } from '../ports.ts';
import type { BatchRecord } from './batchTypes.ts';

/** So often the window that sends a batch says that it is still at it. Milliseconds. */
const BEAT_MS = 20_000;
/** Without a word for so long, the window is gone. */
const LEASE_MS = 3 * BEAT_MS;

/** When the window that sends, or sent, the batch last said so. Epoch milliseconds. */
export function lastSent({ createdAt, sending }: BatchRecord): number {
  return Date.parse(sending?.at ?? createdAt);
}

/** Whether a window, this one or another, is sending the batch: nobody else may judge of it then. */
export function isBeingSent(record: BatchRecord, now: number): boolean {
  const { state, sending } = record;
  if (state !== 'submitting' || sending === undefined || sending.over === true) return false;
  // Either way: a clock that was set back would let it be sent for ever.
  return Math.abs(now - lastSent(record)) < LEASE_MS;
}

export function isSending(clock: Pick<Clock, 'now'>, over = false): NonNullable<BatchRecord['sending']> {
  return { at: new Date(clock.now()).toISOString(), ...(over ? { over } : {}) };
}

/** Beats until the work is done. Resolves and rejects as `work` does. */
export async function whileBeating<T>(
  clock: Pick<Clock, 'timer'>,
  beat: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const next = () => clock.timer(BEAT_MS, onTime);
  let last: Promise<unknown> = Promise.resolve();
  let timer = next();
  function onTime(): void {
    last = beat();
    timer = next();
  }
  try {
    return await work();
  } finally {
    timer.dispose();
    await last;
  }
}
