import { CancelledError } from '../../core/errors.ts';

/** A queue of one: whoever has the turn keeps it until it calls the function that it was given. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits for the turn. Rejects with `CancelledError` when the signal aborts before it came. */
  async take(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new CancelledError();
    const before = this.#last;
    let release: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (release = resolve));
    this.#last = before.then(() => over);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        release();
        reject(new CancelledError());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      void before.then(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
    });
    return release;
  }
}
