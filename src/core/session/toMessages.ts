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
import { placeSystemMessages } from './toolChanges.ts';
import { cameFrom, mended, originOf, REMOVED_ITEM, type Repairs } from './origin.ts';

/** The result of a call that never got one: the host stopped, or the user did. */
export const INTERRUPTED_RESULT = 'Not executed: interrupted before it ran.';
/** The same for a call that had begun: nobody knows how far it came. */
export const UNKNOWN_RESULT =
  'Interrupted while it ran, and its result is lost. It may have taken effect, wholly or in part: check before you repeat it.';

/** The API wants a user's message first; a damaged file may have lost it. */
const LOST_BEGINNING: MessageParam = {
  role: 'user',
  content: [{ type: 'text', text: '[The beginning of this conversation is lost.]' }],
};

/** An answer to send back: the piece and those of its blocks that the API will take. */
interface Answer {
  readonly piece: AnswerPiece;
  readonly blocks: readonly ContentBlock[];
}
type Item = Answer | (Piece & { readonly kind: 'user' | 'system' });

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
  const first = conversation.pieces[0];
  if (first === undefined) return [];
  const known = settledParts.get(first);
  const settled = known !== undefined && stillHolds(known, conversation) ? known : nothingSettled(conversation);
  if (settled !== known) settledParts.set(first, settled);
  const parts = project(conversation, settled);
  const messages = placeSystemMessages([...settled.messages, ...parts.flatMap((part) => part.messages)]);
  settle(settled, parts, conversation);
  return beginsAmiss(messages[0]) ? [LOST_BEGINNING, ...messages] : messages;
}

/** Only the API's own summary stands before the first message of the user. */
function beginsAmiss(first: MessageParam | undefined): boolean {
  return first?.role === 'assistant' && !(Array.isArray(first.content) && isSummary(first.content[0]));
}

/**
 * The part of a conversation whose messages nothing that is added later can change, so that a request costs what was
 * added since the last one. It ends before the newest-but-one item that is a message of the user or an answer with calls:
 * over such an item nothing looks ahead (see `turnAnswers`).
 */
interface Settled {
  readonly epochs: number;
  readonly repairs: number;
  /** The pieces that the messages are made of, and the one behind them at which looking ahead ends. */
  readonly pieces: Piece[];
  readonly messages: MessageParam[];
  /** Ids of the calls in it. */
  readonly seen: Set<string>;
  /** Calls in it without a result, and whether they had begun. */
  readonly unanswered: Map<string, boolean>;
  /** The last items in it, as far as a later one looks back. */
  context: readonly Item[];
  /** How many of `pieces` the messages are made of. */
  count: number;
}

/** An item with what it becomes. */
interface Part {
  readonly item: Item;
  /** The index of its piece. */
  readonly at: number;
  readonly messages: readonly MessageParam[];
}

/** By the first piece of the conversation, which its fold keeps. */
const settledParts = new WeakMap<Piece, Settled>();

function nothingSettled({ epochs, repairs }: Conversation): Settled {
  return {
    epochs,
    repairs: repairs.count,
    pieces: [],
    messages: [],
    seen: new Set(),
    unanswered: new Map(),
    context: [],
    count: 0,
  };
}

function stillHolds(settled: Settled, { epochs, pieces, results, begun, repairs }: Conversation): boolean {
  return (
    settled.epochs === epochs &&
    settled.repairs === repairs.count &&
    settled.pieces.length <= pieces.length &&
    settled.pieces.every((piece, index) => piece === pieces[index]) &&
    [...settled.unanswered].every(([id, had]) => !results.has(id) && begun.has(id) === had)
  );
}

/** Everything behind the settled part. */
function project(conversation: Conversation, settled: Settled): readonly Part[] {
  const seen = new Set<string>();
  const { pieces } = conversation;
  const isNew = (id: string): boolean => !settled.seen.has(id) && !seen.has(id) && Boolean(seen.add(id));
  const found = pieces.slice(settled.count).flatMap((piece, index) => {
    const item = toItem(piece, conversation, isNew);
    return item === undefined ? [] : [{ item, at: settled.count + index }];
  });
  const items = [...settled.context, ...found.map(({ item }) => item)];
  return found.map(({ item, at }, index) => ({
    ...{ item, at },
    messages: toMessages(items, settled.context.length + index, conversation),
  }));
}

/** What the item at `index` becomes: a message, and the results of its calls. */
function toMessages(items: readonly Item[], index: number, conversation: Conversation): MessageParam[] {
  const item = items[index];
  if (item === undefined) return [];
  if ('kind' in item)
    return [item.kind === 'system' ? item.message : { role: 'user', content: item.content.map(copyOf) }];
  const blocks = withoutHalfServerCalls(item.blocks, items, index);
  if (blocks.length === 0) return [];
  const results = blocks.filter(isCall).map((call) => resultFor(call.id, conversation));
  const answer: MessageParam = { role: 'assistant', content: blocks.map(sendable) };
  return results.length === 0 ? [answer] : [answer, { role: 'user', content: results }];
}

/** Moves the end of the settled part on, as far as it can. */
function settle(settled: Settled, parts: readonly Part[], { pieces, results, begun }: Conversation): void {
  const end = parts.findLastIndex(({ item }, index) => index < parts.length - 1 && isBoundary(item));
  const boundary = parts[end];
  if (boundary === undefined || end === 0) return;
  const added = parts.slice(0, end);
  settled.pieces.length = settled.count;
  settled.pieces.push(...pieces.slice(settled.count, boundary.at + 1));
  settled.count = boundary.at;
  for (const { item, messages } of added) {
    settled.messages.push(...messages);
    if ('kind' in item) continue;
    for (const block of item.blocks) {
      if (isCall(block) || isServerCall(block)) settled.seen.add(block.id);
      if (isCall(block) && !results.has(block.id)) settled.unanswered.set(block.id, begun.has(block.id));
    }
  }
  const items = [...settled.context, ...added.map(({ item }) => item)];
  settled.context = items.slice(Math.max(0, items.findLastIndex(isBoundary)));
}

function isBoundary(item: Item): boolean {
  return 'kind' in item || item.blocks.some((block) => isCall(block) && callerId(block) === undefined);
}

function toItem(piece: Piece, conversation: Conversation, isNew: (id: string) => boolean): Item | undefined {
  const { epoch, epochs, repairs } = conversation;
  if (piece.kind === 'system') return piece.epoch === epochs ? piece : undefined;
  if (piece.kind === 'user') {
    if (piece.signed !== undefined && piece.signed.model === epoch?.model)
      return signedItem(piece.signed.block, epochs);
    const content = piece.content
      .flatMap((block) => mended(block, repairs) ?? [])
      .filter((block) => block.type !== 'text' || block.text.trim() !== '');
    return content.length > 0 ? { kind: 'user', content } : undefined;
  }
  // Thinking is bound to the prefix and the model of its epoch.
  const blocks = keptBlocks(withRepairs(piece, repairs)).filter(
    (block) => (piece.epoch === epochs || !isThinking(block)) && isFirst(block, isNew),
  );
  return blocks.length > 0 ? { piece, blocks } : undefined;
}

/** The API's summary goes back as the answer that it was. */
function signedItem(block: ContentBlock, epoch: number): Answer {
  const piece = {
    kind: 'answer',
    messageId: '',
    blocks: [block],
    state: 'finished',
    stopReason: 'compaction',
  } as const;
  return { piece: { ...piece, epoch }, blocks: [block] };
}

function withRepairs(piece: AnswerPiece, repairs: Repairs): AnswerPiece {
  if (repairs.count === 0) return piece;
  return { ...piece, blocks: piece.blocks.flatMap((block) => mended(block, repairs) ?? []) };
}

/** A call id names one call for ever: a second one with it was never run, and the API refuses it. */
function isFirst(block: ContentBlock, isNew: (id: string) => boolean): boolean {
  if (!isCall(block) && !isServerCall(block)) return true;
  return block.id !== '' && isNew(block.id);
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
        .map((block) => cameFrom({ ...block, citations: null }, originOf(block)));
    case 'finished':
      return finishedBlocks(piece);
  }
}

function finishedBlocks(piece: AnswerPiece): readonly ContentBlock[] {
  // A call of an answer that hit its limit may be cut: it was not run, and its input may not be what Claude meant.
  const cut = piece.stopReason === 'max_tokens' || piece.stopReason === 'model_context_window_exceeded';
  const blocks = behindFallback(piece.blocks).filter((block) => !isBlank(block) && !(cut && isCall(block)));
  return withoutTrailingThinking(blocks);
}

/**
 * Where another model took over, a `fallback` block stands and keeps its place. Before the last one the first model's
 * thinking and its calls are taken out; server calls stay where they were answered (Messages API, "Refusals and fallback").
 */
export function behindFallback(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const last = blocks.findLastIndex((block) => (block.type as string) === 'fallback');
  if (last < 0) return blocks;
  const answered = new Set(blocks.map(answeredId));
  return blocks.filter((block, index) => {
    if (index >= last) return true;
    if (isThinking(block) || (block.type as string) === 'connector_text' || isCall(block)) return false;
    return !isServerCall(block) || answered.has(block.id);
  });
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
  const earlier = turnAnswers(items, index, -1).blocks;
  const later = turnAnswers(items, index, 1);
  const answered = new Set([...blocks, ...later.blocks].map(answeredId));
  const called = new Set([...earlier, ...blocks].filter(isServerCall).map((block) => block.id));
  const continues = index === items.length - 1 || later.waits;
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
  const goesOn = (program: string): boolean =>
    !dropped.has(program) && called.has(program) && (continues || answered.has(program));
  const whole = kept.filter((block) => {
    const program = isCall(block) ? callerId(block) : undefined;
    return program === undefined || goesOn(program);
  });
  return whole.length === blocks.length ? whole : withoutTrailingThinking(whole);
}

/**
 * The blocks of the answers before or after this one between which a server call may still wait for its result: no user
 * message in between, and no further results of ours, but for those that running code asked for. `waits`: the last
 * answer still waits for such results.
 */
function turnAnswers(
  items: readonly Item[],
  index: number,
  step: 1 | -1,
): { readonly blocks: readonly ContentBlock[]; readonly waits: boolean } {
  const blocks: ContentBlock[] = [];
  let waits = false;
  for (let i = index + step; i >= 0 && i < items.length; i += step) {
    const item = items[i];
    if (item === undefined || 'kind' in item) return { blocks, waits: false };
    blocks.push(...item.blocks);
    const calls = item.blocks.filter(isCall);
    if (calls.some((call) => callerId(call) === undefined)) return { blocks, waits: false };
    waits = calls.length > 0;
  }
  return { blocks, waits };
}

function withoutTrailingThinking(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  let end = blocks.length;
  while (end > 0 && isThinking(blocks[end - 1])) end -= 1;
  return end === blocks.length ? blocks : blocks.slice(0, end);
}

function resultFor(callId: string, { results, begun, repairs }: Conversation): ToolResultBlockParam {
  const base = { type: 'tool_result', tool_use_id: wellFormed(callId) } as const;
  const result = results.get(callId);
  if (result === undefined)
    return { ...base, content: begun.has(callId) ? UNKNOWN_RESULT : INTERRUPTED_RESULT, is_error: true };
  const ref = { entry: result.id };
  const held = mendedContent(result, repairs);
  if (result.isError) return cameFrom({ ...base, content: wellFormed(errorText(held)), is_error: true }, ref);
  const content = withoutBlanks(held);
  if (content.length === 0) return cameFrom({ ...base }, ref);
  return cameFrom({ ...base, content: typeof content === 'string' ? wellFormed(content) : content.map(copyOf) }, ref);
}

function mendedContent({ id, content }: ToolFinished, repairs: Repairs): ToolFinished['content'] {
  const whole = repairs.of({ entry: id });
  if (whole !== undefined) return whole.kind === 'replace' ? whole.text : whole.kind === 'remove' ? REMOVED_ITEM : '';
  if (!Array.isArray(content)) return content;
  return content.flatMap((block) => (isBlock(block) ? (mended(block, repairs) ?? []) : []));
}

/** The same block without unpaired surrogates; it is known where it came from. */
function copyOf<T extends object>(block: T): T {
  return cameFrom(wellFormed(block), originOf(block));
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
  return isThinking(block) || isSummary(block) ? block : copyOf(block);
}

/** A summary that the API made (a type that the GA namespace lacks). */
export function isSummary(block: unknown): boolean {
  return stringAt(block, 'type') === 'compaction';
}

function isText(block: ContentBlock): block is Extract<ContentBlock, { type: 'text' }> {
  return block.type === 'text';
}

/** The API refuses text that is empty or only white space, its own included, and an empty summary. */
function isBlank(block: ContentBlock): boolean {
  if (isSummary(block)) return stringAt(block, 'content') === '';
  return isText(block) && block.text.trim() === '';
}

/** Thinking, readable or not. */
export function isThinking(block: ContentBlock | undefined): boolean {
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

/** The call whose code made this one; undefined for a call that Claude made itself. */
export function callerId(block: unknown): string | undefined {
  return isObject(block) ? stringAt(block['caller'], 'tool_id') : undefined;
}
