import assert from 'node:assert/strict';
import {
  LIMITS,
  MessageAccumulator,
  ProtocolError,
  StreamErrorEvent,
  type Limits,
} from '../../../src/api/accumulator.ts';
import type { SseEvent } from '../../support/sseServer.ts';
import { blockStart, blockStop, delta, fold, messageStart, toolBlock } from './support.ts';

function limited(limits: Limits): MessageAccumulator {
  const accumulator = new MessageAccumulator(() => undefined, limits);
  accumulator.acceptValue(messageStart());
  return accumulator;
}

function repeat(event: SseEvent): readonly SseEvent[] {
  return [event, event, event];
}

suite('a stream that contradicts itself', () => {
  const open = [messageStart(), blockStart(0, { type: 'text', text: '' })];
  const cases: readonly (readonly [string, readonly SseEvent[], RegExp])[] = [
    ['a second message [XA12]', [messageStart(), messageStart()], /second message/],
    ['a message_start without message', [{ type: 'message_start' }], /no message/],
    ['a delta before any block [XA8]', [messageStart(), delta(0, { type: 'text_delta', text: 'x' })], /not open/],
    ['a delta for another block', [...open, delta(1, { type: 'text_delta', text: 'x' })], /not open/],
    ['a delta after the block’s end', [...open, blockStop(0), delta(0, { type: 'text_delta', text: 'x' })], /not open/],
    ['an end of a block that is not open', [messageStart(), blockStop(0)], /not open/],
    [
      'a gap in the indices [XA10]',
      [...open, blockStop(0), blockStart(2, { type: 'text', text: '' })],
      /another index/,
    ],
    ['an index that repeats', [...open, blockStop(0), blockStart(0, { type: 'text', text: '' })], /another index/],
    ['a first block that is not block 0', [messageStart(), blockStart(1, { type: 'text', text: '' })], /another index/],
    ['a block inside a block', [...open, blockStart(1, { type: 'text', text: '' })], /before block 0 ended/],
    ['an end of the message inside a block', [...open, { type: 'message_stop' }], /inside block 0/],
    ['input for a text block', [...open, delta(0, { type: 'input_json_delta', partial_json: '{' })], /input delta/],
    [
      'text for a tool call [XA9]',
      [messageStart(), ...toolBlock(0, []).slice(0, 1), delta(0, { type: 'text_delta', text: 'x' })],
      /text delta/,
    ],
    [
      'a delta for a server tool’s result',
      [messageStart(), blockStart(0, { type: 'web_search_tool_result' }), delta(0, { type: 'text_delta', text: 'x' })],
      /text delta/,
    ],
    ['text that is a number', [...open, delta(0, { type: 'text_delta', text: 7 })], /not text/],
    ['a block that is missing', [messageStart(), { type: 'content_block_start', index: 0 }], /no block/],
    [
      'a block that is null [XA32]',
      [messageStart(), { type: 'content_block_start', index: 0, content_block: null }],
      /no block/,
    ],
    ['a block without type', [messageStart(), blockStart(0, { text: 'x' })], /no block/],
    ['a tool call without id [XA20]', [messageStart(), ...toolBlock(0, [], { id: '' })], /no id/],
    ['a tool call without name', [messageStart(), ...toolBlock(0, [], { name: undefined })], /no name/],
    [
      'two tool calls with one id [XA19]',
      [messageStart(), ...toolBlock(0, [], { id: 'toolu_x' }), ...toolBlock(1, [], { id: 'toolu_x' })],
      /same id/,
    ],
  ];
  for (const [name, events, message] of cases) {
    test(`stops at ${name}`, () => {
      assert.throws(
        () => fold(events),
        (error) => error instanceof ProtocolError && message.test(error.message),
      );
    });
  }

  test('stops at a known event that is not JSON [XA4]', () => {
    const { accumulator } = fold([messageStart()]);
    for (const data of ['{"type":', '[]', 'null', '"x"']) {
      assert.throws(() => accumulator.accept('content_block_delta', data), ProtocolError);
      assert.throws(() => accumulator.accept(undefined, data), ProtocolError);
    }
  });

  test('stops at a block, usage or citation that nests too deep to be walked [XA35]', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`) as object;
    for (const events of [
      [messageStart({ usage: deep })],
      [messageStart(), blockStart(0, { type: 'web_search_tool_result', content: deep })],
      [...open, delta(0, { type: 'citations_delta', citation: deep })],
      [messageStart(), { type: 'message_delta', delta: { stop_details: deep } }],
    ]) {
      assert.throws(() => fold(events), /64 levels/);
    }
  });

  test('stops at an input above its limit, before it fills the memory', () => {
    const accumulator = limited({ inputChars: 100, messageChars: 1_000 });
    accumulator.acceptValue(blockStart(0, { type: 'tool_use', id: 'toolu_0', name: 'bash', input: {} }));
    const piece = delta(0, { type: 'input_json_delta', partial_json: 'x'.repeat(50) });
    accumulator.acceptValue(piece);
    accumulator.acceptValue(piece);
    assert.throws(() => accumulator.acceptValue(piece), /input is too large/);
  });

  test('stops where the message is too large, whatever it is made of', () => {
    const text = 'x'.repeat(400);
    const parts: readonly (readonly SseEvent[])[] = [
      [blockStart(0, { type: 'text', text: '' }), ...repeat(delta(0, { type: 'text_delta', text }))],
      [
        blockStart(0, { type: 'thinking', thinking: '' }),
        ...repeat(delta(0, { type: 'thinking_delta', thinking: text })),
      ],
      [
        blockStart(0, { type: 'thinking', thinking: '' }),
        ...repeat(delta(0, { type: 'signature_delta', signature: text })),
      ],
      [blockStart(0, { type: 'text', text: '' }), ...repeat(delta(0, { type: 'citations_delta', citation: { text } }))],
      [0, 1, 2].flatMap((index) => [blockStart(index, { type: 'container_upload', text }), blockStop(index)]),
    ];
    for (const events of parts) {
      const accumulator = limited({ inputChars: 10_000, messageChars: 1_000 });
      assert.throws(() => {
        for (const event of events) accumulator.accept(undefined, JSON.stringify(event));
      }, /message is too large/);
    }
  });

  test('has room for 8 MB of input and 64 MB of message', () => {
    assert.deepStrictEqual(LIMITS, { inputChars: 8_388_608, messageChars: 67_108_864 });
  });

  test('hands an error event over with its data [XA11]', () => {
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    assert.throws(
      () => fold([messageStart(), event]),
      (error) => {
        assert.ok(error instanceof StreamErrorEvent);
        assert.deepStrictEqual(error.body, event);
        return true;
      },
    );
  });
});
