import type { ApiProblem } from '../problem.ts';
import { invalid, problem } from '../problem.ts';
import { chainOf, hash } from '../chain.ts';
import { readSignature } from '../issued.ts';
import { isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { isServerResult, messagesOf, typeOf } from './context.ts';
import type { CheckContext, MessageView } from './context.ts';

export const SUMMARY_BETA = 'compact-2026-09-04';
const THRESHOLD_BETA = 'compact-2026-01-12';

/** The parameter `compaction`, and the blocks that it made: their place, their number, and that they are as they were. */
export function checkCompaction(context: CheckContext): ApiProblem | null {
  return checkRequest(context) ?? checkBlocks(context);
}

function checkRequest(context: CheckContext): ApiProblem | null {
  const { body, model } = context;
  const config = body['compaction'] ?? null;
  if (config === null) return null;
  if (!isObject(config) || config['type'] !== 'summarize')
    return invalid("compaction.type: Input should be 'summarize'");
  const extra = Object.keys(config).find((key) => key !== 'type' && key !== 'instructions');
  if (extra) return invalid(`compaction.${extra}: Extra inputs are not permitted`);
  if (!model.summarizes) return invalid(`'${model.info.id}' does not support the compaction parameter.`);
  if ((body['context_management'] ?? null) !== null) {
    return invalid('compaction: cannot be combined with `context_management`');
  }
  const last = messagesOf(body).at(-1);
  if (last?.role === 'assistant' && isUnfinished(last, context)) {
    return coded('compaction_incomplete_turn', 'compaction: the last assistant turn is not finished');
  }
  return null;
}

function isUnfinished({ blocks }: MessageView, { body, state }: CheckContext): boolean {
  const answered = new Set(blocks.filter(isServerResult).map((block) => block['tool_use_id']));
  const open = blocks.some(
    (block) =>
      typeOf(block) === 'tool_use' || (typeOf(block) === 'server_tool_use' && !answered.has(stringOf(block['id']))),
  );
  return open || (state.paused.has(chainOf(body).end) && typeOf(blocks.at(-1) ?? {}) !== 'compaction');
}

function checkBlocks(context: CheckContext): ApiProblem | null {
  const found = messagesOf(context.body).flatMap((message) =>
    message.blocks.flatMap((block, position) =>
      typeOf(block) === 'compaction' ? [{ message, position, block } satisfies Found] : [],
    ),
  );
  const signed = found.filter(({ block }) => typeof block['signature'] === 'string');
  if (signed.filter(({ block }) => block['content'] !== null).length > 1) {
    return coded('compaction_block_ambiguous', 'messages: more than one compaction block with content');
  }
  for (const item of found) {
    const wrong = checkBlock(item, context);
    if (wrong) return wrong;
  }
  return null;
}

interface Found {
  readonly message: MessageView;
  readonly position: number;
  readonly block: Json;
}

const fields = ['type', 'content', 'encrypted_content', 'signature', 'tool_changes', 'cache_control'];

function checkBlock({ message, position, block }: Found, context: CheckContext): ApiProblem | null {
  const path = `messages.${message.index}.content.${position}`;
  const extra = Object.keys(block).find((key) => !fields.includes(key));
  if (extra) return invalid(`${path}.compaction.${extra}: Extra inputs are not permitted`);
  const { content, signature } = block;
  if (content === '') return invalid(`${path}.compaction.content: String should have at least 1 character`);
  const beta = typeof signature === 'string' ? SUMMARY_BETA : THRESHOLD_BETA;
  if (!context.betas.includes(beta)) return invalid(`${path}: \`compaction\` blocks require the beta header ${beta}`);
  if (typeof signature !== 'string') return null;
  if (message.index !== 0 || position !== 0 || message.role !== 'assistant') {
    return coded('compaction_block_misplaced', `${path}: the compaction block must be first in the conversation`);
  }
  return checkSignature(block, signature, { path, context });
}

function checkSignature(
  { content }: Json,
  signature: string,
  { path, context: { model, state } }: { readonly path: string; readonly context: CheckContext },
): ApiProblem | null {
  const known = readSignature(signature);
  if (!known) return state.options.acceptUnknownSignatures ? null : invalidSignature(path);
  if (known.model !== model.info.id) return invalidSignature(path);
  if (known.text === hash(stringOf(content))) return null;
  return coded('compaction_content_mismatch', `${path}: the content is not what was signed`);
}

function invalidSignature(path: string): ApiProblem {
  return coded('compaction_signature_invalid', `${path}: Invalid \`signature\` in \`compaction\` block`);
}

function coded(error_code: string, message: string): ApiProblem {
  return problem(400, 'invalid_request_error', message, { error_code });
}
