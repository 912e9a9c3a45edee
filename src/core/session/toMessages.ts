import type {
  ContentBlock,
  ContentBlockParam,
  MessageParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { isBlock, wellFormed } from './blocks.ts';
import type { ToolFinished } from './entries.ts';
import type { AnswerPiece, Conversation, Piece } from './fold.ts';

/** The result of a call that never got one: the host stopped, or the user did. */
export const INTERRUPTED_RESULT = 'Not executed: interrupted before it ran.';
/** The same for a call that had begun: nobody knows how far it came. */
export const UNKNOWN_RESULT =
  'Interrupted while it ran, and its result is lost. It may have taken effect, wholly or in part: check before you repeat it.';

/** An answer to send back: the piece and those of its blocks that the API will take. */
interface Answer {
  readonly piece: AnswerPiece;
  readonly blocks: readonly ContentBlock[];
}
type Item = Answer | (Piece & { readonly kind: 'user' });

/**
 * Projects a folded log to the `messages` of a request. For every prefix of every log the result is valid once a user message
 * follows it, and it is valid as it is whenever the loop would send it (after a user message, after tool results,
 * after `pause_turn`).
 *
 * Rules (Messages API, "Handle tool calls", "Server tools", "Stop reasons"): discarded answers are left out; of an
 * interrupted answer the finished text stays; every call has one result in the message right after it, in source order;
 * a server call without a result stays only while the request continues it; the final block of an answer is never
 * `thinking`; empty texts are left out.
 */
export function projectMessages(conversation: Conversation): MessageParam[] {
  const seen = new Set<string>();
  const items = conversation.pieces
    .map((piece) => toItem(piece, conversation.epochs, seen))
    .filter((item) => item !== undefined);
  const messages: MessageParam[] = [];
  items.forEach((item, index) => {
    if ('kind' in item) {
      messages.push({ role: 'user', content: wellFormed([...item.content]) });
      return;
    }
    const blocks = withoutHalfServerCalls(item.blocks, items, index);
    if (blocks.length === 0) return;
    messages.push({ role: 'assistant', content: blocks.map(sendable) });
    const results = blocks.filter(isCall).map((call) => resultFor(call.id, conversation));
    if (results.length > 0) messages.push({ role: 'user', content: wellFormed(results) });
  });
  return messages;
}

function toItem(piece: Piece, epoch: number, seen: Set<string>): Item | undefined {
  if (piece.kind === 'user') {
    const content = piece.content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
    return content.length > 0 ? { kind: 'user', content } : undefined;
  }
  // Thinking is bound to the prefix and the model of its epoch.
  const blocks = keptBlocks(piece).filter(
    (block) => (piece.epoch === epoch || !isThinking(block)) && isFirst(block, seen),
  );
  return blocks.length > 0 ? { piece, blocks } : undefined;
}

/** A call id names one call for ever: a second one with it was never run, and the API refuses it. */
function isFirst(block: ContentBlock, seen: Set<string>): boolean {
  if (!isCall(block) && !isServerCall(block)) return true;
  if (block.id === '' || seen.has(block.id)) return false;
  seen.add(block.id);
  return true;
}

function keptBlocks(piece: AnswerPiece): readonly ContentBlock[] {
  switch (piece.state) {
    case 'discarded':
      return [];
    case 'open':
    case 'interrupted':
      return piece.blocks
        .filter(isText)
        .filter((block) => !isBlank(block))
        .map((block) => ({ ...block, citations: null }));
    case 'finished':
      return finishedBlocks(piece);
  }
}

function finishedBlocks(piece: AnswerPiece): readonly ContentBlock[] {
  // A call of an answer that hit max_tokens may be cut: it was not run, and its input may not be what Claude meant.
  const cut = piece.stopReason === 'max_tokens';
  const blocks = piece.blocks.filter((block) => !isBlank(block) && !(cut && isCall(block)));
  return withoutTrailingThinking(blocks);
}

/**
 * Drops server calls that nothing answers any more, results whose call is gone, and programmatic calls of a dropped
 * program. The last answer keeps its open calls: the request that follows continues them.
 */
function withoutHalfServerCalls(
  blocks: readonly ContentBlock[],
  items: readonly Item[],
  index: number,
): readonly ContentBlock[] {
  const earlier = turnAnswers(items, index, -1);
  const later = turnAnswers(items, index, 1);
  const answered = new Set([...blocks, ...later].map(answeredId));
  const called = new Set([...earlier, ...blocks].filter(isServerCall).map((block) => block.id));
  const continues = index === items.length - 1;
  const dropped = new Set<string>();
  const kept = blocks.filter((block) => {
    if (isServerCall(block)) {
      if (continues || answered.has(block.id)) return true;
      dropped.add(block.id);
      return false;
    }
    const answers = answeredId(block);
    return answers === undefined || called.has(answers);
  });
  const whole = kept.filter((block) => !(isCall(block) && dropped.has(callerId(block) ?? '')));
  return whole.length === blocks.length ? whole : withoutTrailingThinking(whole);
}

/**
 * The blocks of the answers before or after this one between which a server call may still wait for its result: no user
 * message in between, and no further results of ours.
 */
function turnAnswers(items: readonly Item[], index: number, step: 1 | -1): readonly ContentBlock[] {
  const blocks: ContentBlock[] = [];
  for (let i = index + step; i >= 0 && i < items.length; i += step) {
    const item = items[i];
    if (item === undefined || 'kind' in item) break;
    blocks.push(...item.blocks);
    if (item.blocks.some(isCall)) break;
  }
  return blocks;
}

function withoutTrailingThinking(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  let end = blocks.length;
  while (end > 0 && isThinking(blocks[end - 1])) end -= 1;
  return end === blocks.length ? blocks : blocks.slice(0, end);
}

function resultFor(callId: string, { results, begun }: Conversation): ToolResultBlockParam {
  const base = { type: 'tool_result', tool_use_id: callId } as const;
  const result = results.get(callId);
  if (result === undefined)
    return { ...base, content: begun.has(callId) ? UNKNOWN_RESULT : INTERRUPTED_RESULT, is_error: true };
  if (result.isError) return { ...base, content: errorText(result.content), is_error: true };
  const content = withoutBlanks(result.content);
  return content.length === 0 ? base : { ...base, content };
}

/** An error result must hold text, and only text. */
function errorText(content: ToolFinished['content']): string {
  const kept = withoutBlanks(content);
  const text =
    typeof kept === 'string' ? kept : kept.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return text.trim() === '' ? 'Error' : text;
}

/** The API refuses blank texts in results too. */
function withoutBlanks(content: ToolFinished['content']): ToolFinished['content'] {
  if (typeof content === 'string') return content.trim() === '' ? '' : content;
  if (!Array.isArray(content)) return '';
  return content.filter((block) => isBlock(block) && !isBlank(block));
}

/** A block of Claude's as it goes back: verbatim, but for what can't be encoded. Signed blocks must not be touched. */
function sendable(block: ContentBlock): ContentBlockParam {
  return isThinking(block) ? block : wellFormed(block);
}

function isText(block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> {
  return block.type === 'text';
}

/** The API refuses text that is empty or only white space, its own included. */
function isBlank(block: ContentBlock): boolean {
  return isText(block) && block.text.trim() === '';
}

function isThinking(block: ContentBlock | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

/** A call that this client answers. */
export function isCall(block: ContentBlock): block is Extract<ContentBlock, { type: 'tool_use' }> {
  return block.type === 'tool_use';
}

/** A call that Anthropic answers: a server tool, or a tool of the MCP connector (a type that the GA namespace lacks). */
export function isServerCall(block: ContentBlock): block is Extract<ContentBlock, { type: 'server_tool_use' }> {
  return block.type === 'server_tool_use' || (block.type as string) === 'mcp_tool_use';
}

/** The id of the server call that this block answers. */
export function answeredId(block: ContentBlock): string | undefined {
  return block.type === 'tool_use' ? undefined : stringAt(block, 'tool_use_id');
}

function callerId(block: unknown): string | undefined {
  return isObject(block) ? stringAt(block['caller'], 'tool_id') : undefined;
}
