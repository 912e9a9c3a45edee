/** Runs one change at a time, in the order in which they were asked for. */
export interface Serial {
  /** What `run` resolves to, or why it rejected; the next one runs all the same. */
  run<T>(run: () => Promise<T>): Promise<T>;
  /** Resolves when nothing runs and nothing waits. Never rejects. */
  settled(): Promise<void>;
}

export function createSerial(): Serial {
  let last: Promise<unknown> | undefined;
  return {
    run(run) {
      const done = (last ?? Promise.resolve()).then(run);
      const settled: Promise<unknown> = done
        .catch(() => undefined)
        .then(() => {
          if (last === settled) last = undefined;
        });
      last = settled;
      return done;
    },
    async settled() {
      while (last !== undefined) await last;
    },
  };
}
