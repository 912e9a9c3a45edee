/** Bytes of a stream → finished message, against parsing the data of its events. */
import assert from 'node:assert/strict';
import { LIMITS, MessageAccumulator } from '../../src/api/accumulator.ts';
import { createEventFeed } from '../../src/api/eventFeed.ts';
import { compareQuietly, start, type Figure, type Options } from './harness.ts';
import { inChunks, makeStream, type Kind, type StreamWorkload } from './streams.ts';

const KINDS: readonly Kind[] = ['text', 'tool', 'mixed'];
const PIECES: readonly { readonly name: string; readonly bytes: number; readonly target?: number }[] = [
  { name: '16 KiB', bytes: 16 * 1024, target: 1.5 },
  { name: 'one event', bytes: 0, target: 2 },
  { name: '1 byte', bytes: 1 },
];

/** The contender: takes the pieces one by one, gives the text or the input of each block. */
export function accumulate(pieces: readonly Uint8Array[]): readonly unknown[] {
  const contents: unknown[] = [];
  const accumulator = new MessageAccumulator((event) => {
    if (event.type !== 'blockStop') return;
    const { block } = event;
    contents.push(block.type === 'text' ? block.text : block.type === 'tool_use' ? block.input : undefined);
  });
  const feed = createEventFeed({
    record: (event, data) => accumulator.accept(event, data),
    delta: (index, field, text) => accumulator.acceptDelta(index, field, text),
    comment: () => undefined,
    maxChars: LIMITS.messageChars,
  });
  for (const piece of pieces) feed.feed(piece);
  feed.end();
  assert.ok(accumulator.done);
  return contents;
}

/** The baseline. */
function parseAll(data: readonly string[]): number {
  let keys = 0;
  for (const item of data) keys += Object.keys(JSON.parse(item) as object).length;
  return keys;
}

function check(pieces: readonly Uint8Array[], { contents }: StreamWorkload): void {
  const expected = contents.map((text): unknown => (text.startsWith('{"path"') ? JSON.parse(text) : text));
  assert.deepEqual(accumulate(pieces), expected);
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const kind of KINDS) {
    for (const { name, bytes, target } of PIECES) {
      const samples = [];
      for (const size of sizes) {
        // A piece costs a hundred times its byte: a tenth of the size is enough there.
        const scaled = bytes === 1 ? size / 10 : size;
        const workload = makeStream(kind, kind === 'tool' ? scaled / 2 : scaled);
        const pieces = bytes === 0 ? workload.events : inChunks(workload.events, bytes);
        check(pieces, workload);
        samples.push(
          await compareQuietly(
            { parse: () => parseAll(workload.data), ours: () => accumulate(pieces) },
            bytes === 1 ? 3 : rounds,
          ),
        );
      }
      const [small, large] = samples.slice(-2);
      if (small === undefined) continue;
      figures.push({
        workload: `${kind}, pieces of ${name}`,
        ratio: small.ours.min / small.parse.min,
        ...(target === undefined ? {} : { target }),
        ...(large === undefined ? {} : { growth: large.ours.min / small.ours.min, growthTarget: 2.2 }),
        heapMb: small.ours.heapMb,
        note: `${small.ours.min.toFixed(1)} ms, parsing ${small.parse.min.toFixed(1)} ms`,
      });
    }
  }
  return figures;
}

if (require.main?.filename.endsWith('B1.js')) start('B1', [2, 4], run);
