import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** One line of the results: a workload, and how it compares. */
export interface Figure {
  readonly workload: string;
  /** Time of the contender ÷ time of the baseline, both the least of all rounds, in one process. */
  readonly ratio: number;
  readonly target?: number;
  /** Time at twice the size ÷ time. */
  readonly growth?: number;
  readonly growthTarget?: number;
  /** Heap that one run of the contender leaves behind before it is collected, in MB. */
  readonly heapMb?: number;
  /** What else was measured. */
  readonly note?: string;
}

export interface Options {
  /** Workload sizes, as the bench defines them; the last two are compared for growth. */
  readonly sizes: readonly number[];
  readonly rounds: number;
}

export interface Sample {
  /** Milliseconds. */
  readonly min: number;
  readonly median: number;
  readonly heapMb: number;
}

const ROUNDS = 7;
const TOO_NOISY = 2;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Times contenders in turns, in one process, with a collected heap before each. Throws when the machine is too noisy to
 * say anything: when the first contender, the baseline, has a median of more than twice its minimum.
 */
export async function compare<Name extends string>(
  contenders: Readonly<Record<Name, () => unknown>>,
  rounds: number,
): Promise<Readonly<Record<Name, Sample>>> {
  const names = Object.keys(contenders) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  const heaps = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      collect();
      const heap = process.memoryUsage().heapUsed;
      const start = process.hrtime.bigint();
      await contenders[name]();
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      if (round < 0) continue; // the first round is for the compiler
      times.get(name)?.push(ms);
      heaps.get(name)?.push((process.memoryUsage().heapUsed - heap) / 2 ** 20);
    }
  }
  const sample = (name: Name): Sample => {
    const sorted = [...(times.get(name) ?? [])].sort((a, b) => a - b);
    return {
      min: sorted[0] ?? Number.NaN,
      median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      heapMb: Math.max(...(heaps.get(name) ?? [])),
    };
  };
  const samples = Object.fromEntries(names.map((name) => [name, sample(name)])) as Record<Name, Sample>;
  const baseline = samples[names[0] as Name];
  if (baseline.median > baseline.min * TOO_NOISY)
    throw new Error(`too noisy: the baseline took ${baseline.min.toFixed(2)} to ${baseline.median.toFixed(2)} ms`);
  return samples;
}

/** The same, again while the machine is too noisy, a few times. */
export async function compareQuietly<Name extends string>(
  contenders: Readonly<Record<Name, () => unknown>>,
  rounds: number,
): Promise<Readonly<Record<Name, Sample>>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await compare(contenders, rounds);
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}

/**
 * Runs a bench from the command line: `--sizes 1,2` replaces the usual sizes, `--rounds 3` the number of rounds, and
 * `--json` prints the figures as JSON.
 */
export function start(
  id: string,
  usual: readonly number[],
  run: (options: Options) => Promise<readonly Figure[]>,
): void {
  const value = (name: string): string | undefined => {
    const at = process.argv.indexOf(`--${name}`);
    return at === -1 ? undefined : process.argv[at + 1];
  };
  const sizes = value('sizes')?.split(',').map(Number) ?? usual;
  run({ sizes, rounds: Number(value('rounds') ?? ROUNDS) }).then(
    (figures) => {
      if (process.argv.includes('--json')) console.log(JSON.stringify({ id, figures }));
      else for (const figure of figures) console.log(`${id} ${JSON.stringify(figure)}`);
      process.exit(0);
    },
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
}

/** A seeded generator of numbers in [0, 1). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
