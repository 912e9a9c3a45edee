import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { changeBetween, placeSystemMessages, withChange } from '../../../src/core/session/toolChanges.ts';

const tool = (name: string, description = ''): ToolUnion => ({ name, description, input_schema: { type: 'object' } });
const tools = fc.uniqueArray(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('x', 'y')).map((it) => tool(...it)),
  { selector: (it) => ('name' in it ? it.name : '') },
);

function byName(list: readonly ToolUnion[]): readonly string[] {
  return list.map((item) => JSON.stringify(item)).sort();
}

suite('a change of tools', () => {
  test('brings the tools that are wanted into effect, whatever there was before', () => {
    fc.assert(
      fc.property(tools, tools, (before, now) => {
        const after = withChange(before, changeBetween(before, now));
        assert.deepEqual(byName(after), byName(now));
        assert.deepEqual(changeBetween(after, now), { added: [], removed: [] });
      }),
      { numRuns: 200 },
    );
  });

  test('stands behind a message of the user, and last or before an answer, wherever it came from [C16]', () => {
    const roles = fc.array(fc.constantFrom<MessageParam['role']>('user', 'assistant', 'system'), { maxLength: 12 });
    fc.assert(
      fc.property(roles, (given) => {
        const messages = given.map((role, at): MessageParam => ({
          role,
          content: [{ type: 'text', text: String(at) }],
        }));
        const placed = placeSystemMessages(messages);
        placed.forEach(({ role }, at) => {
          if (role !== 'system') return;
          assert.equal(placed[at - 1]?.role, 'user');
          assert.notEqual(placed[at + 1]?.role, 'user');
          assert.notEqual(placed[at + 1]?.role, 'system');
        });
        const others = (list: readonly MessageParam[]) => list.filter(({ role }) => role !== 'system');
        assert.deepEqual(others(placed), others(messages));
        // What waits has no place yet: it stands behind the user's next message.
        const again = placeSystemMessages([...messages, { role: 'user', content: 'next' }]);
        const said = (list: readonly MessageParam[]) =>
          list.flatMap(({ role, content }) => (role === 'system' && Array.isArray(content) ? content : []));
        assert.equal(said(again).length, said(messages).length);
      }),
      { numRuns: 300 },
    );
  });
});
