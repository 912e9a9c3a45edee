import { toDisposable, type Disposable } from '../core/base/disposable.ts';
import { CancelledError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';

/** Node fires a longer timer after one millisecond. */
const longestTimer = 2 ** 31 - 1;

/** The system's clock and timers. A timer of any length works; a negative or NaN one is due at once. */
export function createClock(): Clock {
  return { now: Date.now, timer, sleep };
}

function timer(ms: number, run: () => void): Disposable {
  let left = Number.isNaN(ms) ? 0 : Math.max(0, ms);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const part = Math.min(left, longestTimer);
    left -= part;
    handle = setTimeout(() => (left > 0 ? arm() : run()), part);
  };
  arm();
  return toDisposable(() => clearTimeout(handle));
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new CancelledError());
      return;
    }
    const onAbort = (): void => {
      pending.dispose();
      reject(new CancelledError());
    };
    const pending = timer(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
