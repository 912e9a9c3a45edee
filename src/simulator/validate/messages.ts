import type { ApiProblem } from '../problem.ts';
import { invalid, notFound, problem } from '../problem.ts';
import { asArray, isObject } from '../json.ts';
import type { Json } from '../json.ts';
import { canonical, chainOf } from '../chain.ts';
import { checkBlock } from './blocks.ts';
import type { BlockPlace } from './blocks.ts';
import { isServerCall, isServerResult, messagesOf, typeOf } from './context.ts';
import type { CheckContext, MessageView } from './context.ts';

/** Messages one by one: roles, shape of the content, the blocks in it; and who may speak last. */
export function checkMessages(context: CheckContext): ApiProblem | null {
  const { messages } = context.body;
  if (messages === undefined) return invalid('messages: Field required');
  if (!Array.isArray(messages)) return invalid('messages: Input should be a valid list');
  if (messages.length === 0) return invalid('messages: at least one message is required');
  if (messages.length > 100_000) return invalid('messages: List should have at most 100000 items');
  for (const [index, message] of messages.entries()) {
    const problem = checkMessage(message, index, context);
    if (problem) return problem;
  }
  return checkOrder(context) ?? checkContainer(context);
}

function checkMessage(message: unknown, index: number, context: CheckContext): ApiProblem | null {
  const path = `messages.${index}`;
  if (!isObject(message)) return invalid(`${path}: Input should be an object`);
  const extra = Object.keys(message).find((key) => key !== 'role' && key !== 'content');
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return invalid(`messages: Unexpected role "${String(role)}". Allowed roles are "user", "assistant" or "system".`);
  }
  return checkContent(content, { path, role, context });
}

function checkContent(content: unknown, place: BlockPlace): ApiProblem | null {
  const { path } = place;
  if (content === undefined) return invalid(`${path}.content: Field required`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return invalid(`${path}.content: Input should be a valid string or list`);
  }
  if (content.length === 0) {
    return invalid(`${path}: all messages must have non-empty content except for the optional final assistant message`);
  }
  if (typeof content === 'string' && content.trim() === '') {
    return invalid('messages: text content blocks must contain non-whitespace text');
  }
  for (const [position, block] of asArray(content).entries()) {
    const problem = checkBlock(block, { ...place, path: `${path}.content.${position}` });
    if (problem) return problem;
  }
  return null;
}

function checkOrder(context: CheckContext): ApiProblem | null {
  const messages = messagesOf(context.body);
  if (!mayBegin(messages[0])) return invalid('messages: first message must use the "user" role');
  for (const message of messages) {
    const problem = checkSystemMessage(message, messages, context);
    if (problem) return problem;
    if (message.role !== 'assistant') continue;
    const last = message.blocks.at(-1);
    if (last && (typeOf(last) === 'thinking' || typeOf(last) === 'redacted_thinking')) {
      return invalid(
        `messages.${message.index}: The final block in an assistant message cannot be \`${typeOf(last)}\`.`,
      );
    }
  }
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || mayContinue(last, context)) return null;
  return invalid(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

/** The user, or a summary of the API's: it stands for the messages that it was made of. */
function mayBegin(message: MessageView | undefined): boolean {
  return (
    message?.role === 'user' || (message?.role === 'assistant' && typeOf(message.blocks[0] ?? {}) === 'compaction')
  );
}

/** A paused response goes on from the assistant's message; anything else would be a prefill. */
function mayContinue(last: MessageView, { body, state }: CheckContext): boolean {
  // Nothing is continued where a summary is asked for.
  if (isObject(body['compaction'])) return true;
  if (state.paused.has(chainOf(body).end)) return true;
  const block = last.blocks.at(-1);
  if (!block) return false;
  // A conversation paused by an earlier process is not in the state; its last block still tells.
  return isServerCall(block) || isServerResult(block) || state.unknownBlocks.has(canonical(block));
}

function checkSystemMessage(
  message: MessageView,
  messages: readonly MessageView[],
  { model }: CheckContext,
): ApiProblem | null {
  if (message.role !== 'system') return null;
  const path = `messages.${message.index}`;
  if (!model.systemMessages) {
    return invalid('messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.');
  }
  const before = messages[message.index - 1];
  const after = messages[message.index + 1];
  const follows =
    before?.role === 'user' || (before?.role === 'assistant' && before.blocks.at(-1) && isServerResult(lastOf(before)));
  if (!follows) return invalid(`${path}: a \`system\` message must follow a \`user\` message`);
  if (after && after.role !== 'assistant') {
    return invalid(`${path}: a \`system\` message must be last or be followed by an \`assistant\` message`);
  }
  return null;
}

function lastOf(message: MessageView): Json {
  return message.blocks.at(-1) ?? {};
}

function checkContainer({ body, state }: CheckContext): ApiProblem | null {
  const { container } = body;
  const id = isObject(container) ? container['id'] : container;
  if (typeof id !== 'string' || state.options.acceptUnknownContainers) return null;
  const status = state.container(id);
  if (status === 'alive') return null;
  if (status === 'broken') return problem(500, 'api_error', 'Internal server error');
  if (status === 'missing') return notFound(`Container ${id} not found`);
  return invalid(
    status === 'expired' ? `container: Container ${id} has expired.` : `container: Container ${id} was not found.`,
  );
}
