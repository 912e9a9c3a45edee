import fc from 'fast-check';
import type { LogEntry } from '../../src/core/session/entries.ts';
import { image, type ImageKind } from './images.ts';
import { call, serverCall, serverResult, text, thinking } from './scriptedModel.ts';

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const kind = oneOf<ImageKind>('png', 'jpeg', 'gif', 'webp');
const side = oneOf(10, 1500, 1999, 2000, 2001, 7999, 8001);

const picture: fc.Arbitrary<unknown> = fc
  .record({ kind, says: kind, right: oneOf(true, true, true, false), width: side, height: side })
  .map(({ right, says, ...rest }) => image({ ...rest, ...(right ? {} : { says }) }));

/** What stands in a user's message or a tool's result: mostly good, sometimes broken. */
const ours: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: oneOf('Go', 'a\uD800b', ' ', '').map((value) => ({ type: 'text', text: value })) },
  { weight: 6, arbitrary: picture },
  {
    weight: 2,
    arbitrary: oneOf<unknown>(
      { type: 'text', text: 'x', citations: [{ type: 'char_location' }] },
      { type: 'text', text: 'x', extra: 1 },
      { type: 'image' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,xx' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: 'Qk0AAAAAAAAAAAAAAAAAAAAA' } },
      { type: 'tool_use', id: 'toolu_a', name: 'x', input: {} },
      { type: 'tool_result', tool_use_id: 'toolu_zz', content: 'x' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 'T' },
      { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: '' }] },
      { type: 'thinking', thinking: 'x', signature: 's' },
      { type: 'never_heard_of' },
      null,
      7,
    ),
  },
);

const callId = oneOf('toolu_a', 'toolu_b', 'toolu_c', 'toolu_d', 'bad id!');
const serverId = oneOf('srvtoolu_a', 'srvtoolu_b', 'toolu_x');

/** What stands in an answer. */
const claudes: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oneOf('Hi', ' ', 'x\uDC00').map(text) },
  { weight: 2, arbitrary: oneOf('hm', '').map((value) => thinking(value)) },
  { weight: 5, arbitrary: callId.map((id) => call(id, 'echo', {})) },
  { weight: 3, arbitrary: serverId.map((id) => serverCall(id, 'ls')) },
  { weight: 3, arbitrary: serverId.map((id) => serverResult(id, 'out')) },
  {
    weight: 2,
    arbitrary: oneOf<unknown>(
      { type: 'text' },
      { type: 'tool_use', id: 'toolu_e', name: 'echo', input: 'no object' },
      { type: 'tool_use', id: 'toolu_f', name: '', input: {} },
      { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_a', content: 'no object' },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_a', content: [] },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
      image(),
      { type: 'tool_result', tool_use_id: 'toolu_a', content: 'x' },
      { type: 'someday', x: 1 },
      { type: 'thinking', thinking: 7, signature: 's' },
    ),
  },
);

const messageId = oneOf('m1', 'm2', 'm3', 'm4', 'm5');

const entry: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(ours, { minLength: 1, maxLength: 4 })
      .map((content) => ({ type: 'userMessage', text: 'x', content })),
  },
  {
    weight: 8,
    arbitrary: fc.record({ messageId, block: claudes }).map((it) => ({ type: 'assistantBlock', index: 0, ...it })),
  },
  {
    weight: 5,
    arbitrary: fc
      .record({ messageId, stopReason: oneOf('tool_use', 'end_turn', 'pause_turn', 'max_tokens') })
      .map((it) => ({ type: 'messageFinished', model: 'claude-simulated-5', ...it })),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({
        callId,
        isError: fc.boolean(),
        content: fc.oneof(oneOf<unknown>('ok', '', 7), fc.array(ours, { maxLength: 3 })),
      })
      .map((it) => ({ type: 'toolFinished', status: 'done', title: 't', body: { kind: 'none' }, ...it })),
  },
  { weight: 1, arbitrary: callId.map((id) => ({ type: 'toolStarted', callId: id })) },
  { weight: 1, arbitrary: messageId.map((id) => ({ type: 'messageDiscarded', messageId: id, reason: 'retry' })) },
  { weight: 1, arbitrary: messageId.map((id) => ({ type: 'messageInterrupted', messageId: id, reason: 'failed' })) },
  {
    weight: 1,
    arbitrary: oneOf({ type: 'userMessage', text: 'many', content: Array.from({ length: 21 }, () => image()) }),
  },
);

/** Logs such as no loop writes: anything in any order, with broken blocks and images among them. Seeded by fast-check. */
export const oddLog: fc.Arbitrary<LogEntry[]> = fc
  .array(entry, { minLength: 1, maxLength: 30, size: 'max' })
  .map((items) =>
    items.map((item, index) => ({
      ...structuredClone(item),
      id: `e${String(index)}`,
      parentId: index === 0 ? null : `e${String(index - 1)}`,
      at: '2026-01-01T00:00:00.000Z',
    })),
  ) as unknown as fc.Arbitrary<LogEntry[]>;
