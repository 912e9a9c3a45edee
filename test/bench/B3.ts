/** The preview of a tool input while it is written, asked for after every delta, against one parse of the whole. */
import assert from 'node:assert/strict';
import { createJsonFieldReader } from '../../src/core/base/jsonFields.ts';
import { compareQuietly, random, start, type Figure, type Options } from './harness.ts';

const DELTA = 50;

/** `size` in MB. Escapes, surrogate pairs and `\uXXXX` are cut anywhere. */
export function makeInput(
  kind: 'create' | 'str_replace',
  size: number,
): { readonly json: string; readonly deltas: readonly string[] } {
  const next = random(7);
  const parts: string[] = [];
  for (let length = 0; length < size * 1e6;) {
    const dice = next();
    const piece =
      dice < 0.1
        ? '\n'
        : dice < 0.13
          ? '"quoted"'
          : dice < 0.15
            ? '\u0007'
            : dice < 0.17
              ? '😀'
              : `word${Math.floor(next() * 100)} `;
    parts.push(piece);
    length += piece.length;
  }
  const text = parts.join('');
  const input =
    kind === 'create'
      ? { command: 'create', path: 'src/a.ts', file_text: text }
      : {
          new_str: text.slice(0, text.length / 2),
          command: 'str_replace',
          old_str: text.slice(text.length / 2),
          path: 'src/a.ts',
        };
  const json = JSON.stringify(input);
  const deltas = Array.from({ length: Math.ceil(json.length / DELTA) }, (_, index) =>
    json.slice(index * DELTA, (index + 1) * DELTA),
  );
  return { json, deltas };
}

/** The contender: takes the deltas and shows after each what became known. Gives all that was shown. */
export function preview(deltas: readonly string[], show: (key: string, text: string) => void): void {
  const reader = createJsonFieldReader();
  for (const delta of deltas) for (const { key, text } of reader.feed(delta)) show(key, text);
}

function check({ json, deltas }: ReturnType<typeof makeInput>): void {
  const final = JSON.parse(json) as Record<string, string>;
  const shown = new Map<string, string>();
  preview(deltas, (key, text) => {
    const grown = (shown.get(key) ?? '') + text;
    shown.set(key, grown);
  });
  assert.deepEqual(Object.fromEntries(shown), final);
}

/** The 99th percentile of what one delta takes, in milliseconds. */
function slowest(deltas: readonly string[]): number {
  const reader = createJsonFieldReader();
  const times = deltas.map((delta) => {
    const begun = process.hrtime.bigint();
    reader.feed(delta);
    return Number(process.hrtime.bigint() - begun) / 1e6;
  });
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const kind of ['create', 'str_replace'] as const) {
    const samples = [];
    let p99 = 0;
    for (const size of sizes) {
      const input = makeInput(kind, size);
      check(input);
      let chars = 0;
      const ours = (): void => preview(input.deltas, (_key, text) => (chars += text.length));
      samples.push(await compareQuietly({ parse: () => JSON.parse(input.json) as unknown, ours }, rounds));
      p99 = slowest(input.deltas);
    }
    const [small, large] = samples.slice(-2);
    if (small === undefined) continue;
    figures.push({
      workload: `${kind}, ${sizes.at(-2) ?? sizes[0]} MB`,
      ratio: small.ours.min / small.parse.min,
      target: 5,
      ...(large === undefined ? {} : { growth: large.ours.min / small.ours.min, growthTarget: 2.2 }),
      heapMb: small.ours.heapMb,
      note: `${small.ours.min.toFixed(1)} ms; 99 % of deltas under ${p99.toFixed(3)} ms (target 0.2)`,
    });
  }
  return figures;
}

if (require.main?.filename.endsWith('B3.js')) start('B3', [1, 2], run);
