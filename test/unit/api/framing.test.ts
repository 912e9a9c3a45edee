import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { sse, startRawServer, streams } from '../../support/sseServer.ts';
import {
  answer,
  apiAt,
  apiOfChunks,
  blocksOf,
  blockStart,
  blockStop,
  bytesOf,
  delta,
  streamOnce,
  textBlock,
  toolBlock,
  type Streamed,
} from './support.ts';

/** Two, three and four byte characters, escapes, every kind of block. */
const EVENTS = answer(
  [
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Größe → 😀' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    blockStop(0),
  ],
  textBlock(1, 'né', 'e\r\n: data: x\n\n', '漢字 \u2028 end'),
  toolBlock(2, ['{"command":"printf \'a', '\\n\'","n":', '1}']),
);
const PLAIN = sse(EVENTS);

function whole(text: string): Promise<Streamed> {
  return streamOnce(apiOfChunks([bytesOf(text)]));
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts].sort((a, b) => a - b).concat(bytes.length);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

suite('framing of the event stream', () => {
  let expected: Streamed;
  suiteSetup(async () => {
    expected = await whole(PLAIN);
    assert.equal(expected.outcome.kind, 'finished');
    assert.equal(blocksOf(expected.events).length, 3);
  });

  const variants: readonly (readonly [string, string])[] = [
    ['CR line ends [XA22]', sse(EVENTS, '\r')],
    ['CRLF line ends [XA23]', sse(EVENTS, '\r\n')],
    [
      'line ends that change',
      PLAIN.split('\n\n')
        .map((part, i) => `${part}${['\n\n', '\r\r', '\r\n\r\n', '\n\r\n', '\r\n\n'][i % 5] ?? ''}`)
        .join('')
        .replace(/[\r\n]+$/, '\n\n'),
    ],
    ['a byte order mark [XA24]', `\uFEFF${PLAIN}`],
    ['comments between events [XA25]', PLAIN.replaceAll('event:', ': keep-alive\n:\nevent:')],
    ['comments inside events', PLAIN.replaceAll('\ndata:', '\n: x\ndata:')],
    ['data over several lines [XA26]', PLAIN.replaceAll('{"type"', '{\ndata: "type"')],
    ['no space after the colon', PLAIN.replaceAll(/^(data|event): /gm, '$1:')],
    ['wrong event names [XA27]', PLAIN.replaceAll(/event: .*/g, 'event: nonsense')],
    ['no event names [XA28]', PLAIN.replaceAll(/event: .*\n/g, '')],
    ['ids and retry times', PLAIN.replaceAll('event:', 'id: 7\nretry: 100\nretry: soon\nevent:')],
    ['unknown fields', PLAIN.replaceAll('event:', 'colour: red\nnonsense\nevent:')],
    ['no final blank line [XA29]', PLAIN.trimEnd()],
    ['only one final line end', `${PLAIN.trimEnd()}\n`],
    ['a final CR and no more', sse(EVENTS, '\r').slice(0, -1)],
    ['more blank lines than needed', PLAIN.replaceAll('\n\n', '\n\n\n\n')],
    ['a trailing [DONE]', `${PLAIN}data: [DONE]\n\n`],
    ['events after the end', `${PLAIN}event: error\ndata: {"type":"error"}\n\nevent: message_start\ndata: {\n\n`],
  ];
  for (const [name, text] of variants) {
    test(`the same result as of the plain stream: ${name}`, async () =>
      assert.deepStrictEqual(await whole(text), expected));
    test(`the same result byte by byte: ${name}`, async () => {
      const bytes = bytesOf(text);
      const api = apiOfChunks(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)));
      assert.deepStrictEqual(await streamOnce(api), expected);
    });
  }

  // Byte by byte is above; here the rest of the text shares a chunk with what comes before or after the cut.
  test('splits in two give the same result [XA37]', async () => {
    const bytes = bytesOf(PLAIN);
    for (let at = 0; at <= bytes.length; at += 7) {
      assert.deepStrictEqual(await streamOnce(apiOfChunks(cutAt(bytes, [at]))), expected, `split at ${at}`);
    }
  });

  test('any splits of any variant give the same result (property) [C73,XA37]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...variants.map(([, text]) => text)),
        fc.array(fc.nat({ max: bytesOf(PLAIN).length }), { maxLength: 30 }),
        async (text, cuts) => {
          const bytes = bytesOf(text);
          const within = cuts.map((cut) => Math.min(cut, bytes.length));
          assert.deepStrictEqual(await streamOnce(apiOfChunks(cutAt(bytes, within))), expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a stream that ends anywhere is a broken stream, never an answer and never a tool call from a part [C78,XA2,XA3,XA15]', async () => {
    const bytes = bytesOf(PLAIN);
    // From here on the last event is complete, only its blank line is missing.
    const complete = bytesOf(PLAIN.trimEnd()).length;
    for (let at = 0; at < bytes.length; at += at < complete - 20 ? 7 : 1) {
      const { events, outcome } = await streamOnce(apiOfChunks([bytes.subarray(0, at)]));
      if (at >= complete) {
        assert.equal(outcome.kind, 'finished');
        continue;
      }
      assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'stream', `cut at ${at}`);
      const finished = blocksOf(events);
      assert.deepStrictEqual(finished, blocksOf(expected.events).slice(0, finished.length));
    }
  });

  test('bytes that are not UTF-8 become replacement characters', async () => {
    const [before = '', after = ''] = sse(answer(textBlock(0, 'a|b'))).split('|');
    const { events } = await streamOnce(apiOfChunks([bytesOf(before), new Uint8Array([0xff, 0xc3]), bytesOf(after)]));
    assert.deepStrictEqual(blocksOf(events), [{ type: 'text', text: 'a\ufffd\ufffdb', citations: null }]);
  });

  test('survives a real socket that carries every byte on its own', async () => {
    const short = sse(answer(textBlock(0, '😀')), '\r\n');
    const server = await startRawServer();
    try {
      server.answer(streams(Array.from(bytesOf(short), (byte) => new Uint8Array([byte]))));
      const { events, outcome } = await streamOnce(apiAt(server.url));
      assert.equal(outcome.kind, 'finished');
      assert.deepStrictEqual(blocksOf(events), [{ type: 'text', text: '😀', citations: null }]);
    } finally {
      await server.close();
    }
  });

  test('a delta of 32 MB arrives whole [XA36]', async () => {
    const text = 'x'.repeat(32 * 1024 * 1024);
    const bytes = bytesOf(sse(answer(textBlock(0, text))));
    const chunks = cutAt(
      bytes,
      Array.from({ length: 512 }, (_, index) => index * 65_536),
    );
    const { events, outcome } = await streamOnce(apiOfChunks(chunks));
    assert.equal(outcome.kind, 'finished');
    assert.equal((blocksOf(events)[0] as { text: string }).text.length, text.length);
  });

  test('one event without end is given up at its limit', async () => {
    const piece = bytesOf('x'.repeat(1024 * 1024));
    const chunks = [bytesOf('data: {"type":"'), ...Array.from({ length: 66 }, () => piece)];
    const { outcome } = await streamOnce(apiOfChunks(chunks));
    assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'protocol');
  });
});
