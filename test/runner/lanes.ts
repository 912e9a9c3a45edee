/** What `runLanes` needs to know of a piece of work. */
export interface Work {
  readonly name: string;
  /** Names of works that must have ended before. Names that are not in the list do not count. */
  readonly after?: readonly string[];
}

/**
 * Runs works in `lanes` lanes: each lane takes the first in the list that is not begun and whose `after` have ended.
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
  const ready = (work: W): boolean => !(work.after ?? []).some((name) => unfinished.has(name));
  const begin = (work: W): void => {
    waiting.splice(waiting.indexOf(work), 1);
    const done = run(work).then((result) => {
      results.set(work, result);
      unfinished.delete(work.name);
      running.delete(done);
    });
    running.add(done);
  };
  while (waiting.length > 0 || running.size > 0) {
    for (let next = waiting.find(ready); next !== undefined && running.size < lanes; next = waiting.find(ready))
      begin(next);
    if (running.size === 0) throw new Error(`these wait for each other: ${waiting.map(({ name }) => name).join(', ')}`);
    await Promise.race(running);
  }
  return works.map((work) => results.get(work) as R);
}
