import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { breakdown } from '../../../src/core/cost/breakdown.ts';

const tool = { name: 'bash', description: 'x'.repeat(1_000), input_schema: { type: 'object' as const } };
const system = [{ type: 'text' as const, text: 'y'.repeat(1_000) }];

function messages(read: number, ran: number, said: number): MessageParam[] {
  return [
    { role: 'user', content: 'z'.repeat(said) },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'f', name: 'str_replace_based_edit_tool', input: {} },
        { type: 'tool_use', id: 'b', name: 'bash', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'f', content: 'f'.repeat(read) },
        { type: 'tool_result', tool_use_id: 'b', content: 'b'.repeat(ran) },
      ],
    },
  ];
}

suite('what the context is made of', () => {
  test('is told by kind: files apart from other results', () => {
    const parts = breakdown({ system, tools: [tool], messages: messages(4_000, 2_000, 1_000) }, 9_000);
    const share = Object.fromEntries(parts.map(({ kind, tokens }) => [kind, Math.round(tokens / 1_000)]));
    assert.deepEqual(share, { tools: 1, system: 1, files: 4, results: 2, conversation: 1 });
  });

  test('adds up to the real tokens, whatever the shares', () => {
    const size = fc.nat({ max: 5_000 });
    fc.assert(
      fc.property(size, size, size, fc.nat({ max: 1_000_000 }), (read, ran, said, total) => {
        const parts = breakdown({ system, tools: [tool], messages: messages(read, ran, said) }, total);
        assert.equal(
          parts.reduce((sum, { tokens }) => sum + tokens, 0),
          total,
        );
        assert.ok(parts.every(({ tokens }) => Number.isInteger(tokens) && tokens > 0));
      }),
    );
  });

  test('is not led astray by the bytes of a picture', () => {
    const picture: MessageParam = {
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000_000) } },
        { type: 'text', text: 'z'.repeat(5_000) },
      ],
    };
    const parts = breakdown({ system: [], tools: [], messages: [picture] }, 1_000);
    assert.ok(
      parts.every(({ tokens }) => tokens > 400 && tokens < 600),
      JSON.stringify(parts),
    );
  });

  test('is nothing before anything was sent', () => {
    assert.deepEqual(breakdown({ system, tools: [tool], messages: [] }, 0), []);
  });
});
