import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageParam,
  TextBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject } from '../core/base/json.ts';
import { isDeferred } from '../core/base/mcpToolset.ts';
import type { ModelRequest } from '../core/ports.ts';

/** Breakpoints that one request may have, the automatic one included. */
const MAX_BREAKPOINTS = 4;
/** How many blocks the API looks back from a breakpoint for what is cached already. */
const LOOK_BACK = 20;
const FIVE_MINUTES: CacheControlEphemeral = { type: 'ephemeral' };
const AN_HOUR: CacheControlEphemeral = { type: 'ephemeral', ttl: '1h' };
/** The API refuses a breakpoint on any other block, on empty text, and on blocks inside of these. */
const MARKABLE = new Set(['text', 'image', 'document', 'tool_use', 'tool_result']);

export interface CachePlan {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly ToolUnion[];
  readonly messages: readonly MessageParam[];
  /** The API's own breakpoint, on the last block that can have one: it moves with the transcript. */
  readonly automatic: CacheControlEphemeral | undefined;
}

/**
 * Where the cache is written (Messages API, "Prompt caching"): at the end of what stays the same for the whole
 * conversation (the last system block, or else the last tool), at the end of the transcript (the automatic one), and,
 * where more was added since the last request than the API looks back over, where that request ended. What the request
 * marks itself is counted, and ours give way to it.
 */
export function planCache(request: ModelRequest): CachePlan {
  const { system, tools, messages } = request;
  let free = MAX_BREAKPOINTS - countMarks([system, tools, messages]);
  const automatic = free > 0 && !lastBlockHasOtherTtl(request) ? FIVE_MINUTES : undefined;
  if (automatic !== undefined) free -= 1;
  const marked = free > 0 ? markEnd(messages) : undefined;
  if (marked !== undefined) free -= 1;
  const fixed = free > 0 ? markPrefix(request) : { system, tools };
  return { ...fixed, messages: marked ?? messages, automatic };
}

function markPrefix({ system, tools, messages }: ModelRequest): Pick<CachePlan, 'system' | 'tools'> {
  // A longer lifetime must not come after a shorter one.
  const inMessages = hasHour(messages) ? AN_HOUR : FIVE_MINUTES;
  const systemAt = system.findLastIndex((block) => block.text !== '');
  if (systemAt !== -1) return { system: marking(system, systemAt, inMessages), tools };
  const toolAt = tools.findLastIndex((tool) => !isDeferred(tool));
  if (toolAt === -1) return { system, tools };
  return { system, tools: marking(tools, toolAt, hasHour([system, messages]) ? AN_HOUR : FIVE_MINUTES) };
}

/** Marks where the request before this one ended, if the API would not find that by itself. */
function markEnd(messages: readonly MessageParam[]): readonly MessageParam[] | undefined {
  const answerAt = messages.findLastIndex(({ role }) => role === 'assistant');
  // A paused answer is several messages; before the first of them is what was sent for it.
  const at = messages.slice(0, Math.max(0, answerAt)).findLastIndex(({ role }) => role !== 'assistant');
  const before = messages[at];
  if (before === undefined) return undefined;
  const added = messages.slice(at + 1).reduce((sum, { content }) => sum + blocksOf(content).length, 0);
  if (added <= LOOK_BACK) return undefined;
  const blocks = blocksOf(before.content);
  const blockAt = blocks.findLastIndex(isMarkable);
  if (blockAt === -1 || hasMark(blocks[blockAt])) return undefined;
  const control = hasHour(messages.slice(at)) ? AN_HOUR : FIVE_MINUTES;
  const message = { ...before, content: [...marking(blocks, blockAt, control)] } as MessageParam;
  return messages.with(at, message);
}

function blocksOf(content: MessageParam['content']): readonly ContentBlockParam[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function isMarkable(block: ContentBlockParam): boolean {
  return MARKABLE.has(block.type) && !(block.type === 'text' && block.text === '');
}

function marking<T extends object>(items: readonly T[], at: number, control: CacheControlEphemeral): readonly T[] {
  return items.map((item, index) => (index === at && !hasMark(item) ? { ...item, cache_control: control } : item));
}

function hasMark(value: unknown): boolean {
  return isObject(value) && isObject(value['cache_control']);
}

/** `cache_control` of blocks, and of the blocks inside tool results. Values of tool inputs are data, not marks. */
function marksOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(marksOf);
  if (!isObject(value)) return [];
  const own = hasMark(value) ? [value['cache_control']] : [];
  return [...own, ...marksOf(value['content'])];
}

function countMarks(value: unknown): number {
  return marksOf(value).length;
}

function hasHour(value: unknown): boolean {
  return marksOf(value).some((mark) => isObject(mark) && mark['ttl'] === '1h');
}

/** The automatic breakpoint lands on the last block; where that has a TTL of its own the API refuses another one. */
function lastBlockHasOtherTtl(request: ModelRequest): boolean {
  const content = request.messages.at(-1)?.content;
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  const mark = isObject(last) ? last['cache_control'] : undefined;
  return isObject(mark) && mark['ttl'] !== undefined && mark['ttl'] !== '5m';
}
