import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { canonical } from '../chain.ts';
import { blockKey } from '../issued.ts';
import { messagesOf, typeOf } from './context.ts';
import type { CheckContext } from './context.ts';

/** Blocks that this simulator sent must come back as they were sent. Ids that it does not know are none of its business. */
export function checkEcho({ body, state }: CheckContext): ApiProblem | null {
  for (const { index, role, blocks } of messagesOf(body)) {
    if (role !== 'assistant') continue;
    for (const [position, block] of blocks.entries()) {
      const key = blockKey(block);
      const sent = key === undefined ? undefined : state.blocks.get(key);
      if (sent === undefined || sent === canonical(block)) continue;
      return invalid(
        `messages.${index}.content.${position}: \`${typeOf(block)}\` block was modified. It must be sent back as it was in the original response.`,
      );
    }
  }
  return null;
}
