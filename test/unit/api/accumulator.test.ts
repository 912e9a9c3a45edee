import assert from 'node:assert/strict';
import { MessageAccumulator } from '../../../src/api/accumulator.ts';
import type { ModelEvent } from '../../../src/core/ports.ts';
import type { SseEvent } from '../../support/sseServer.ts';
import {
  answer,
  blocksOf,
  blockStart,
  blockStop,
  delta,
  fold,
  messageEnd,
  messageStart,
  textBlock,
  toolBlock,
} from './support.ts';

function blocks(...parts: readonly (readonly SseEvent[])[]): readonly unknown[] {
  const { events, accumulator } = fold(answer(...parts));
  assert.ok(accumulator.done);
  return blocksOf(events);
}

function stopOf(...parts: readonly (readonly SseEvent[])[]): ModelEvent | undefined {
  return fold(answer(...parts)).events.findLast((event) => event.type === 'blockStop');
}

suite('the fold of stream events', () => {
  suite('blocks', () => {
    test('joins text deltas [XA1]', () => {
      assert.deepStrictEqual(blocks(textBlock(0, 'a', '', 'b')), [{ type: 'text', text: 'ab', citations: null }]);
    });

    test('creates the list of citations where it was null, and keeps their order [C83]', () => {
      const cited = [
        blockStart(0, { type: 'text', text: '', citations: null }),
        delta(0, { type: 'citations_delta', citation: { n: 1 } }),
        delta(0, { type: 'text_delta', text: 'x' }),
        delta(0, { type: 'citations_delta', citation: { n: 2 } }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(cited), [{ type: 'text', text: 'x', citations: [{ n: 1 }, { n: 2 }] }]);
    });

    test('stores a signature on a thinking block without thinking [C81]', () => {
      const omitted = [
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'signature_delta', signature: 'c2ln' }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(omitted), [{ type: 'thinking', thinking: '', signature: 'c2ln' }]);
    });

    test('sets the signature and never appends to it', () => {
      const twice = [
        blockStart(0, { type: 'thinking', thinking: '', signature: 'old' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm', estimated_tokens: 3 }),
        delta(0, { type: 'signature_delta', signature: 'a' }),
        delta(0, { type: 'signature_delta', signature: 'b' }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(twice), [{ type: 'thinking', thinking: 'hm', signature: 'b' }]);
    });

    test('takes a server tool’s result complete from its start, byte for byte [C82,C131]', () => {
      const result = {
        type: 'bash_code_execution_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: {
          type: 'bash_code_execution_result',
          stdout: '\u0000\ud800',
          content: [{ file_id: 'file_1' }],
          x: [null],
        },
        future: { y: 1 },
      };
      assert.deepStrictEqual(blocks([blockStart(0, result), blockStop(0)]), [result]);
    });

    test('keeps redacted thinking, container uploads and fallback blocks as they came', () => {
      const kept = [
        { type: 'redacted_thinking', data: 'abc' },
        { type: 'container_upload', file_id: 'file_1' },
        { type: 'fallback', from: { model: 'a' }, to: { model: 'b' }, trigger: 'refusal' },
      ];
      assert.deepStrictEqual(blocks(...kept.map((block, index) => [blockStart(index, block), blockStop(index)])), kept);
    });

    test('takes a compaction from its one delta [C103]', () => {
      const compaction = [
        blockStart(0, { type: 'compaction', content: null, encrypted_content: null }),
        delta(0, { type: 'compaction_delta', content: 'summary', encrypted_content: 'zzz' }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(compaction), [
        { type: 'compaction', content: 'summary', encrypted_content: 'zzz' },
      ]);
    });

    test('keeps a block of unknown type with all its fields, and what known deltas add to it [C29,XA6]', () => {
      const unknown = [
        blockStart(0, { type: 'connector_text', text: 'a', flavour: { x: [1] } }),
        delta(0, { type: 'text_delta', text: 'b' }),
        delta(0, { type: 'sparkle_delta', sparkle: 9 }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(unknown), [{ type: 'connector_text', text: 'ab', flavour: { x: [1] } }]);
    });

    test('ignores an unknown delta and keeps the block [C75,XA7]', () => {
      const block = [
        blockStart(0, { type: 'text', text: 'a', citations: null }),
        delta(0, { type: 'future_delta', text: 'zzz' }),
        delta(0, { type: 'text_delta', text: 'b' }),
        blockStop(0),
      ];
      assert.deepStrictEqual(blocks(block), [{ type: 'text', text: 'ab', citations: null }]);
    });

    test('gives a text block text where a server leaves it out', () => {
      assert.deepStrictEqual(blocks([blockStart(0, { type: 'text', text: null }), blockStop(0)]), [
        { type: 'text', text: '' },
      ]);
      assert.deepStrictEqual(blocks([blockStart(0, { type: 'text' }), blockStop(0)]), [{ type: 'text', text: '' }]);
    });

    test('does not announce deltas without text', () => {
      const { events } = fold(answer(textBlock(0, '', 'a', ''), toolBlock(1, ['', '{}'])));
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === 'blockDelta' ? [event.text] : [])),
        ['a', '{}'],
      );
    });

    test('does not change the block that it announced', () => {
      const { events } = fold(answer(textBlock(0, 'later')));
      assert.deepStrictEqual(events[1], {
        type: 'blockStart',
        index: 0,
        block: { type: 'text', text: '', citations: null },
      });
    });
  });

  suite('tool input', () => {
    const inputs: readonly (readonly [string, readonly string[], object])[] = [
      ['is joined and parsed at the end [C76]', ['{"com', '', 'mand": "ls"}'], { command: 'ls' }],
      ['is empty without a fragment [C76,XA21]', [], {}],
      ['is empty after an empty fragment', [''], {}],
      ['keeps unicode escapes', ['{"a":"\\u00', 'e9\\ud83d\\ude00"}'], { a: 'é😀' }],
    ];
    for (const [name, pieces, input] of inputs) {
      test(name, () => {
        const caller = { type: 'direct' };
        assert.deepStrictEqual(stopOf(toolBlock(0, pieces, { caller })), {
          type: 'blockStop',
          index: 0,
          block: { type: 'tool_use', id: 'toolu_0', name: 'bash', input, caller },
        });
      });
    }

    const invalid: readonly (readonly [name: string, raw: string, id: string])[] = [
      ['is not JSON', 'ls -la', 'XA13'],
      ['was cut by max_tokens', '{"command":', 'XA14'],
      ['was cut in the middle of a string', '{"path":"a","new_str":"half', 'XA15'],
      ['is an array', '["ls"]', 'XA16'],
      ['has a key twice', '{"command":"ls","command":"rm -rf ~"}', 'XA18'],
      ['nests 100,000 arrays', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'XA35'],
    ];
    for (const [name, raw, id] of invalid) {
      test(`that ${name} is kept raw and stands as an empty object [${id}]`, () => {
        assert.deepStrictEqual(stopOf(toolBlock(0, [raw.slice(0, 5), raw.slice(5)])), {
          type: 'blockStop',
          index: 0,
          block: { type: 'tool_use', id: 'toolu_0', name: 'bash', input: {} },
          invalidInput: raw,
        });
      });
    }

    test('keeps an own __proto__ key and pollutes nothing [XA17]', () => {
      const stop = stopOf(toolBlock(0, ['{"__proto__":{"admin":true},"a":1}']));
      const block: unknown = stop?.type === 'blockStop' ? stop.block : undefined;
      assert.equal(
        JSON.stringify(block),
        '{"type":"tool_use","id":"toolu_0","name":"bash","input":{"__proto__":{"admin":true},"a":1}}',
      );
      assert.equal(({} as Record<string, unknown>)['admin'], undefined);
    });

    test('is taken from the start where a server sends it whole', () => {
      assert.deepStrictEqual(blocks(toolBlock(0, [], { input: { command: 'ls' } })), [
        { type: 'tool_use', id: 'toolu_0', name: 'bash', input: { command: 'ls' } },
      ]);
    });

    test('that is whole at the start but no object is invalid as well', () => {
      const stop = stopOf(toolBlock(0, [], { input: ['ls'] }));
      assert.equal(stop?.type === 'blockStop' && stop.invalidInput, '["ls"]');
      assert.deepStrictEqual(blocks(toolBlock(0, [], { input: null })), [
        { type: 'tool_use', id: 'toolu_0', name: 'bash', input: {} },
      ]);
    });

    test('of server tools is folded the same way', () => {
      const call = toolBlock(0, ['{"command":"ls"}'], { type: 'server_tool_use', id: 'srvtoolu_1' });
      assert.deepStrictEqual(blocks(call), [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'bash', input: { command: 'ls' } },
      ]);
    });
  });

  suite('the envelope', () => {
    test('overwrites usage, keeps what is null or absent, and adds nothing up [C77]', () => {
      const { accumulator } = fold([
        messageStart({
          usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5, service_tier: 'standard' },
        }),
        { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 4, input_tokens: null } },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens: 9, cache_creation_input_tokens: 2, server_tool_use: { web_search_requests: 1 } },
        },
        { type: 'message_stop' },
      ]);
      assert.deepStrictEqual(accumulator.result('m').usage, {
        input_tokens: 10,
        output_tokens: 9,
        cache_read_input_tokens: 5,
        cache_creation_input_tokens: 2,
        service_tier: 'standard',
        server_tool_use: { web_search_requests: 1 },
      });
    });

    test('counts zero where usage is missing or nonsense [XA31]', () => {
      const zero = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
      for (const usage of [undefined, null, {}, { input_tokens: 'many', output_tokens: -1 }]) {
        const { accumulator } = fold([messageStart({ usage }), ...messageEnd('end_turn', {})]);
        assert.deepStrictEqual(accumulator.result('m').usage, zero);
      }
    });

    test('takes stop reason, stop sequence and details from the last delta that has them', () => {
      const { accumulator } = fold([
        messageStart(),
        { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null } },
        { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'x' } } },
        { type: 'message_delta', usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ]);
      const { stopReason, stopSequence, stopDetails } = accumulator.result('m');
      assert.deepStrictEqual(
        [stopReason, stopSequence, stopDetails],
        ['refusal', null, { type: 'refusal', category: 'x' }],
      );
    });

    test('keeps stop reasons that it does not know', () => {
      const { accumulator } = fold([messageStart(), ...messageEnd('bored')]);
      assert.equal(accumulator.result('m').stopReason, 'bored');
    });

    test('takes the container from the start or a later delta, never losing it to null', () => {
      const container = { id: 'container_1', expires_at: '2026-12-01T00:00:00Z', skills: null };
      const late = fold([
        messageStart(),
        { type: 'message_delta', delta: { stop_reason: 'end_turn', container } },
        { type: 'message_delta', delta: { container: null } },
        { type: 'message_stop' },
      ]);
      assert.deepStrictEqual(late.accumulator.result('m').container, container);
      assert.deepStrictEqual(
        fold([messageStart({ container }), ...messageEnd()]).accumulator.result('m').container,
        container,
      );
    });

    test('keeps what the API says about its cache, its edits and what it dropped, wherever it stands [C72]', () => {
      const dropped = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_changed' }];
      const { accumulator } = fold([
        messageStart({ diagnostics: { cache_miss_reason: null }, input_transformations: dropped }),
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, context_management: { applied_edits: [] } },
        { type: 'message_delta', delta: { diagnostics: { cache_miss_reason: 'tools_changed' } } },
        { type: 'message_delta', delta: {}, context_management: null },
        { type: 'message_stop' },
      ]);
      const { diagnostics, contextManagement, inputTransformations } = accumulator.result('m');
      assert.deepStrictEqual(
        [diagnostics, contextManagement, inputTransformations],
        [{ cache_miss_reason: 'tools_changed' }, { applied_edits: [] }, dropped],
      );
    });

    test('stands in for what a local server leaves out', () => {
      const { accumulator, events } = fold([{ type: 'message_start', message: {} }, { type: 'message_stop' }]);
      const { apiMessageId, model, stopReason } = accumulator.result('asked-for');
      assert.deepStrictEqual([apiMessageId, model, stopReason], ['', 'asked-for', null]);
      assert.deepStrictEqual(blocksOf(events), []);
    });

    test('passes pings on, and lets events that it does not know pass [C74,XA5]', () => {
      const { events } = fold([
        { type: 'ping' },
        messageStart(),
        { type: 'future_event', index: 99, delta: {} },
        { type: 'ping' },
        ...messageEnd(),
      ]);
      assert.deepStrictEqual(
        events.map((event) => event.type),
        ['ping', 'messageStart', 'ping'],
      );
    });

    test('ignores what comes before the start and after the end', () => {
      const { events } = fold([
        ...textBlock(0, 'early'),
        ...answer(textBlock(0, 'x')),
        ...textBlock(1, 'late'),
        messageStart(),
      ]);
      assert.deepStrictEqual(blocksOf(events), [{ type: 'text', text: 'x', citations: null }]);
    });

    test('goes by the type in the data, and by the event’s name where the data has none', () => {
      const seen: ModelEvent[] = [];
      const accumulator = new MessageAccumulator((event) => seen.push(event));
      accumulator.accept('wrong_name', JSON.stringify(messageStart()));
      accumulator.accept(undefined, JSON.stringify(blockStart(0, { type: 'text', text: 'x' })));
      accumulator.accept('content_block_stop', '{"index":0}');
      accumulator.accept('message_stop', '{}');
      assert.ok(accumulator.done);
      assert.deepStrictEqual(blocksOf(seen), [{ type: 'text', text: 'x' }]);
    });

    test('lets an unknown event carry what it likes, and [DONE] as well', () => {
      const { accumulator } = fold([messageStart()]);
      accumulator.accept('future_event', 'not json');
      accumulator.accept('future_event', '[1]');
      accumulator.accept(undefined, '[DONE]');
      assert.ok(!accumulator.done);
    });
  });
});
