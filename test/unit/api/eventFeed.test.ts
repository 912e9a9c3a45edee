import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { createEventFeed } from '../../../src/api/eventFeed.ts';

interface Heard {
  readonly event?: string | undefined;
  readonly data: unknown;
}

const MAX = 1024 * 1024;

/** What is heard of a stream that comes in these pieces; a delta that took the short way counts as the record that it was. */
function hear(pieces: readonly Uint8Array[], maxChars = MAX): { readonly heard: Heard[]; readonly short: number } {
  const heard: Heard[] = [];
  let short = 0;
  const feed = createEventFeed({
    maxChars,
    record: (event, data) => heard.push({ event, data: parsed(data) }),
    delta: (index, field, text) => {
      short += 1;
      const type = field === 'partial_json' ? 'input_json_delta' : `${field}_delta`;
      heard.push({
        event: 'content_block_delta',
        data: { type: 'content_block_delta', index, delta: { type, [field]: text } },
      });
    },
    comment: () => undefined,
  });
  for (const piece of pieces) feed.feed(piece);
  feed.end();
  return { heard, short };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}

/** The same by a parser of others. It is fed at once, because it takes a lone CR at the end of a piece for no line end. */
function reference(bytes: Uint8Array): Heard[] {
  const heard: Heard[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => heard.push({ event, data: parsed(data) }) });
  parser.feed(`${new TextDecoder().decode(bytes)}\n\n`);
  return heard;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[i % sizes.length] as number);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const delta = (index: number, type: string, field: string, value: string): string =>
  `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index, delta: { type, [field]: value } })}\n\n`;

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '"', '\\', '"}}', '\u2028', '\ud800', '{"a":"b\\"'),
);
const deltaRecord = fc
  .tuple(
    fc.nat(2),
    fc.constantFrom(
      ['text_delta', 'text'],
      ['thinking_delta', 'thinking'],
      ['input_json_delta', 'partial_json'],
      ['text_delta', 'thinking'],
      ['odd_delta', 'text'],
    ),
    anyText,
  )
  .map(([index, [type = '', field = ''], value]) => delta(index, type, field, value));
const line = fc.oneof(
  fc.constantFrom(
    'data: x',
    'data:x',
    'data:  x',
    'data',
    'data:',
    'event: ping',
    'event',
    ': a comment',
    ':',
    'id: 7',
    'retry: 10',
    'nonsense',
    'data : y',
    '',
  ),
  anyText.map((text) => `data: ${text.replaceAll(/[\r\n\0]/g, ' ')}`),
);
const oddRecord = fc
  .tuple(fc.array(line, { maxLength: 4 }), fc.constantFrom('\n', '\r\n', '\r'))
  .map(([lines, end]) => [...lines, '', ''].join(end));
const envelope =
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"';
const broken = fc.constantFrom(
  ...['"', 'a"b', '\\', '\u0001', 'a","extra":"b', '","type":"x'].map((raw) => `${envelope}${raw}"}}\n\n`),
  ...['abcdef\n\n', 'abcdef"}\n\n', 'a"}}\ndata: more\n\n', 'a"}}\n: comment\n\n'].map((raw) => envelope + raw),
);
const stream = fc.array(fc.oneof({ weight: 4, arbitrary: deltaRecord }, { weight: 2, arbitrary: oddRecord }, broken), {
  maxLength: 12,
});

suite('the reader of server-sent events', () => {
  test('hears what another parser hears, however the bytes are cut [XA37, C73]', () => {
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }),
        fc.boolean(),
        (records, sizes, bom) => {
          const bytes = encode((bom ? '\uFEFF' : '') + records.join(''));
          assert.deepEqual(hear(cut(bytes, sizes)).heard, reference(bytes));
        },
      ),
      { numRuns: 800 },
    );
  });

  test('reads deltas the short way, and none that only looks like one', () => {
    const records = ['a', 'b"', 'c\\n', 'ü😀', '', 'x'].map((value) => delta(0, 'text_delta', 'text', value));
    assert.equal(hear([encode(records.join(''))]).short, records.length - 1, 'the first one shows how they look');
    const odd = [
      delta(0, 'text_delta', 'text', 'a'),
      delta(1, 'text_delta', 'text', 'a'),
      delta(0, 'text_delta', 'thinking', 'a'),
      delta(0, 'text_delta', 'text', 'a').replace('"}}', '"},"more":1}'),
      delta(0, 'text_delta', 'text', 'a').replace('"text":"a"', '"text":"a","text":"b"'),
      delta(0, 'text_delta', 'text', 'a').replace('event: content_block_delta', 'event: other'),
      delta(0, 'text_delta', 'text', 'a').replaceAll('\n', '\r\n'),
    ];
    const { heard } = hear([encode(odd.join(''))]);
    assert.deepEqual(heard, reference(encode(odd.join(''))));
  });

  test('waits for nothing once a record has ended, whatever ends its lines', () => {
    for (const end of ['\n', '\r', '\r\n']) {
      const heard: string[] = [];
      const feed = createEventFeed({
        maxChars: MAX,
        record: (_event, data) => heard.push(data),
        delta: () => undefined,
        comment: () => undefined,
      });
      feed.feed(encode(`data: now${end}${end}`));
      assert.deepEqual(heard, ['now'], JSON.stringify(end));
    }
  });

  test('refuses a record that is too large, without holding much more of it', () => {
    const long = encode(`data: ${'x'.repeat(5000)}`);
    assert.throws(() => hear([long, encode('\n\n')], 1000), /An event is larger/);
    assert.throws(
      () =>
        hear(
          Array.from({ length: 100 }, () => encode('x'.repeat(100))),
          1000,
        ),
      /An event is larger/,
    );
    assert.throws(
      () => hear([encode('data: '.padEnd(900, 'x') + '\n' + 'data: '.padEnd(900, 'x') + '\n\n')], 1000),
      /larger/,
    );
  });
});
