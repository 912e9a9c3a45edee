import { toDisposable, type Disposable } from './disposable.ts';

/**
 * Waits for work that was told to stop through `signal`, but no longer than `graceMs` after the abort: a step that does
 * not listen must not hold Stop up. `late()` makes the error that is thrown then.
 */
export async function withGrace<T>(
  work: Promise<T>,
  options: {
    readonly signal: AbortSignal;
    readonly graceMs: number;
    timer(ms: number, run: () => void): Disposable;
    late(): Error;
  },
): Promise<T> {
  let timer: Disposable = toDisposable(() => undefined);
  let onAbort: (() => void) | undefined;
  const deadline = new Promise<never>((_, reject) => {
    onAbort = () => (timer = options.timer(options.graceMs, () => reject(options.late())));
    if (options.signal.aborted) onAbort();
    else options.signal.addEventListener('abort', onAbort, { once: true });
  });
  // When the grace ends first, what the work does later is nobody's business any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, deadline]);
  } finally {
    timer.dispose();
    if (onAbort) options.signal.removeEventListener('abort', onAbort);
  }
}
