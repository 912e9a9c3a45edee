import type { Chain } from './chain.ts';
import { sign } from './issued.ts';
import { isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import type { Reply } from './scenario.ts';
import { messagesOf, typeOf } from './validate/context.ts';
import { isToolChange } from './validate/toolChanges.ts';

/** The answer to a request with `compaction`: one signed block, whatever the scenario says. Undefined for every other one. */
export function summaryReply(body: Json, chain: Chain): Reply | undefined {
  if (!isObject(body['compaction'])) return undefined;
  const messages = messagesOf(body);
  const said = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ blocks }) =>
      blocks.filter((block) => typeOf(block) === 'text').map((block) => stringOf(block['text'])),
    );
  const content = `Simulated summary of ${String(messages.length)} messages. The user said: ${said.join(' / ').slice(0, 2_000)}`;
  const signature = sign(stringOf(body['model']), chain.end, content);
  const tool_changes = messages.flatMap(({ blocks }) => blocks.filter(isToolChange));
  const block = { type: 'compaction', content, encrypted_content: null, signature, tool_changes };
  return { steps: [{ type: 'block', block }], stop: { reason: 'compaction' } };
}
