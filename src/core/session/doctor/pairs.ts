import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { stringAt } from '../../base/json.ts';
import { mcpServerOf } from '../../base/mcpToolset.ts';
import { callerId } from '../toMessages.ts';
import type { Ailment, Finding, Place } from './finding.ts';

interface Block {
  readonly place: Place;
  readonly role: string;
  readonly type: string;
  /** `id` of a call, `tool_use_id` of a result. */
  readonly id: string;
  readonly name: string;
  /** Of a call of an MCP server's tool: the server. */
  readonly server: string | undefined;
  /** Of a call that running code made: the call of that code. */
  readonly program: string | undefined;
}

/** Calls and results, and who speaks when: what can only be told of a message with those around it. */
export function examinePairs(messages: readonly MessageParam[], tools: readonly ToolUnion[]): readonly Finding[] {
  const perMessage = messages.map(blocksOf);
  return [
    ...(mayBegin(messages[0], perMessage[0]) ? [] : [{ ailment: 'order', place: { message: 0 } } as const]),
    ...perMessage.flatMap((blocks) => trailingThinking(blocks)),
    ...uniqueCalls(perMessage.flat()),
    ...perMessage.flatMap((blocks, index) => clientCalls(blocks, perMessage[index + 1] ?? [])),
    ...perMessage.flatMap((blocks, index) => clientResults(blocks, perMessage[index - 1] ?? [])),
    ...serverPairs(perMessage.flat()),
    ...serverCalls(perMessage, tools),
  ];
}

/** A message of the user, or the API's own summary of what was before it. */
function mayBegin(message: MessageParam | undefined, blocks: readonly Block[] = []): boolean {
  return message?.role === 'user' || blocks[0]?.type === 'compaction';
}

const perMessage = new WeakMap<MessageParam, readonly Omit<Block, 'place'>[]>();

function blocksOf(message: MessageParam, index: number): readonly Block[] {
  const found = perMessage.get(message) ?? readBlocks(message);
  perMessage.set(message, found);
  return found.map((block, at) => ({ ...block, place: { message: index, block: at } }));
}

function readBlocks({ role, content }: MessageParam): readonly Omit<Block, 'place'>[] {
  if (typeof content === 'string')
    return [{ role, type: 'text', id: '', name: '', server: undefined, program: undefined }];
  return content.map((block: unknown) => ({
    role,
    type: stringAt(block, 'type') ?? '',
    id: stringAt(block, 'id') ?? stringAt(block, 'tool_use_id') ?? '',
    name: stringAt(block, 'name') ?? '',
    server: stringAt(block, 'server_name'),
    program: callerId(block),
  }));
}

function drop(ailment: Ailment, { place }: Block): Finding {
  return { ailment, place, fix: { kind: 'drop' } };
}

function trailingThinking(blocks: readonly Block[]): readonly Finding[] {
  const last = blocks.at(-1);
  if (last?.role !== 'assistant' || !last.type.endsWith('thinking')) return [];
  return [drop('thinkingLast', last)];
}

function uniqueCalls(blocks: readonly Block[]): readonly Finding[] {
  const seen = new Set<string>();
  return blocks
    .filter((block) => isCall(block) || isServerCall(block))
    .flatMap((block) => {
      if (seen.has(block.id)) return [drop('callId', block)];
      seen.add(block.id);
      return [];
    });
}

/** Every call has its result at the head of the very next message. */
function clientCalls(blocks: readonly Block[], next: readonly Block[]): readonly Finding[] {
  const calls = blocks.filter(isCall);
  if (calls.length === 0) return [];
  const end = next.findIndex(({ type }) => type !== 'tool_result');
  const leading = new Set(next.slice(0, end < 0 ? next.length : end).map(({ id }) => id));
  return calls.filter(({ id }) => !leading.has(id)).map((call) => drop('pair', call));
}

/** Every result answers a call of the message before, once. */
function clientResults(blocks: readonly Block[], before: readonly Block[]): readonly Finding[] {
  const calls = new Set(before.filter(isCall).map(({ id }) => id));
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return results
    .filter(({ id }, index) => !calls.has(id) || results.findIndex((other) => other.id === id) < index)
    .map((result) => drop('pair', result));
}

/** A result of a server tool follows its call, once, and is of the call's kind. */
function serverPairs(blocks: readonly Block[]): readonly Finding[] {
  const names = new Map<string, string>();
  const done = new Set<string>();
  return blocks.flatMap((block) => {
    if (isServerCall(block)) names.set(block.id, block.name);
    if (!isServerResult(block)) return [];
    const name = names.get(block.id);
    const fits = name !== undefined && !done.has(block.id) && isKindOf(block.type, name);
    done.add(block.id);
    return fits ? [] : [drop('pair', block)];
  });
}

function isKindOf(resultType: string, name: string): boolean {
  // The search tools have names of their own and one kind of result.
  const kind = name.startsWith('tool_search_tool') ? 'tool_search' : name;
  return resultType === 'mcp_tool_result' || resultType === `${kind}_tool_result`;
}

/** A server call without its result waits for the end of its group, and for a tool that is there. */
function serverCalls(all: readonly (readonly Block[])[], tools: readonly ToolUnion[]): readonly Finding[] {
  const answers = new Map<string, number>();
  all.forEach((blocks, index) => blocks.filter(isServerResult).forEach(({ id }) => answers.set(id, index)));
  return all.flatMap((blocks, index) =>
    blocks.filter(isServerCall).flatMap((call) => {
      const owner = answers.get(call.id);
      const between = all.slice(index + 1, owner ?? all.length);
      const asked = [blocks, ...between];
      if (
        !between.every((message, offset) => mayComeBetween(message, asked[offset] ?? [], { call, first: offset === 0 }))
      )
        return [drop('pair', call)];
      return owner === undefined && !isDeclared(call, tools) ? [drop('noTool', call)] : [];
    }),
  );
}

/** Claude going on, the results of the call's own group, or results that the call's running code asked for. */
function mayComeBetween(
  message: readonly Block[],
  before: readonly Block[],
  { call, first }: { readonly call: Block; readonly first: boolean },
): boolean {
  if (message[0]?.role === 'assistant') return true;
  const calls = before.filter(isCall);
  const answers = calls.length > 0 && (first || calls.every(({ program }) => program === call.id));
  return answers && message.every(({ type }) => type === 'tool_result');
}

/** Calls of the code execution tool carry the names of its parts; tools of an MCP server are declared by the server. */
function isDeclared({ type, name, server }: Block, tools: readonly ToolUnion[]): boolean {
  if (type === 'mcp_tool_use') return tools.some((tool) => mcpServerOf(tool) === server);
  const wanted = name.endsWith('code_execution') ? 'code_execution' : name;
  return tools.some((tool) => stringAt(tool, 'name') === wanted);
}

function isCall({ type }: Block): boolean {
  return type === 'tool_use';
}

function isServerCall({ type }: Block): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

function isServerResult({ role, type }: Block): boolean {
  return role === 'assistant' && type !== 'tool_result' && type.endsWith('_tool_result');
}
