/** What `runLanes` needs to know of a piece of work. */
export interface Work {
  readonly name: string;
  /** Names of works that must have ended before. Names that are not in the list do not count. */
  readonly after?: readonly string[];
  /** Takes no lane: for work that leaves the processor idle for half of its time or more. */
  readonly beside?: boolean;
}

/**
 * Runs works in `lanes` lanes: each lane takes the first in the list that is not begun and whose `after` have ended. A work
 * that is `beside` begins as soon as its `after` have ended, whatever the lanes do.
 * Resolves to the results in the order of the list; rejects with the first that rejects, or when works wait for each
 * other.
 */
export async function runLanes<W extends Work, R>(
  works: readonly W[],
  lanes: number,
  run: (work: W) => Promise<R>,
): Promise<readonly R[]> {
  const waiting = [...works];
  const unfinished = new Set(works.map(({ name }) => name));
  const results = new Map<W, R>();
  const running = new Set<Promise<void>>();
  let taken = 0;
  const ready = (work: W): boolean =>
    (work.beside === true || taken < lanes) && !(work.after ?? []).some((name) => unfinished.has(name));
  const begin = (work: W): void => {
    waiting.splice(waiting.indexOf(work), 1);
    if (!work.beside) taken++;
    const done = run(work).then((result) => {
      results.set(work, result);
      unfinished.delete(work.name);
      running.delete(done);
      if (!work.beside) taken--;
    });
    running.add(done);
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let next = waiting.find(ready); next !== undefined; next = waiting.find(ready)) begin(next);
    if (running.size === 0) throw new Error(`these wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
    await Promise.race(running);
  }
  return works.map((work) => results.get(work) as R);
}
