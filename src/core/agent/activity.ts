import type { Clock } from '../ports.ts';

/** What a session is busy with: a turn, or a summary. One thing at a time, and each can be stopped. */
export interface Activity {
  readonly busy: boolean;
  /** In words, and since when (epoch milliseconds). */
  readonly phase: { readonly text: string; readonly since: number };
  /** Nothing else runs. `end` must be called, whatever happens. */
  begin(phase: string): { readonly signal: AbortSignal; readonly end: () => void };
  say(phase: string): void;
  /** Aborts what runs; nobody waits. */
  abort(): void;
  /** Aborts what runs; resolves when it has ended. */
  stop(): Promise<void>;
}

interface Running {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** `changed` is called when the view has something new to show. */
export function createActivity(clock: Clock, changed: () => void): Activity {
  let running: Running | undefined;
  let phase = { text: '', since: 0 };
  return {
    get busy() {
      return running !== undefined;
    },
    get phase() {
      return phase;
    },
    begin(text) {
      const abort = new AbortController();
      let resolve: () => void = () => undefined;
      const mine: Running = { abort, ended: new Promise((done) => (resolve = done)) };
      running = mine;
      phase = { text, since: clock.now() };
      const end = (): void => {
        if (running === mine) {
          running = undefined;
          phase = { text: '', since: 0 };
        }
        resolve();
      };
      return { signal: abort.signal, end };
    },
    say(text) {
      phase = { text, since: clock.now() };
      changed();
    },
    abort() {
      running?.abort.abort();
    },
    async stop() {
      running?.abort.abort();
      await running?.ended;
    },
  };
}
