import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../../base/json.ts';
import { mcpServerOf } from '../../base/mcpToolset.ts';
import { UNREADABLE_ITEM, type Finding, type Place } from './finding.ts';

/** Something in a message that names tools, or the MCP server that it lists the tools of. */
interface Reference {
  readonly place: Omit<Place, 'message'>;
  readonly names: readonly string[];
  readonly server: string | undefined;
}

const known = new WeakMap<MessageParam, readonly Reference[]>();

/**
 * What names a tool or a server that the request does not declare (any more): the API refuses it (Messages API, "Tool
 * search", "MCP connector"). Which tools a server has only the server knows: with one there, every name may be right.
 */
export function examineReferences(messages: readonly MessageParam[], tools: readonly ToolUnion[]): readonly Finding[] {
  const servers = new Set(tools.flatMap((tool) => mcpServerOf(tool) ?? []));
  const names = new Set(tools.map((tool) => stringAt(tool, 'name')));
  const isThere = ({ server, names: wanted }: Reference): boolean =>
    server === undefined ? servers.size > 0 || wanted.every((name) => names.has(name)) : servers.has(server);
  return messages.flatMap((message, index) => {
    const found = known.get(message) ?? referencesIn(message);
    known.set(message, found);
    return found
      .filter((reference) => !isThere(reference))
      .map(({ place }): Finding => {
        const fix = place.inner === undefined ? ({ kind: 'drop' } as const) : leftOut;
        return { ailment: 'noTool', place: { message: index, ...place }, fix };
      });
  });
}

const leftOut = { kind: 'replace', text: UNREADABLE_ITEM } as const;

function referencesIn({ role, content }: MessageParam): readonly Reference[] {
  if (typeof content === 'string') return [];
  const blocks: readonly unknown[] = content;
  return blocks.flatMap((block, at) => (role === 'assistant' ? inAnswer(block, at) : inResult(block, at)));
}

function inAnswer(block: unknown, at: number): readonly Reference[] {
  const place = { block: at };
  if (stringAt(block, 'type') === 'mcp_tool_listing')
    return [{ place, names: [], server: stringAt(block, 'mcp_server_name') ?? '' }];
  const held = isObject(block) && isObject(block['content']) ? block['content']['tool_references'] : undefined;
  return Array.isArray(held) ? [{ place, names: held.flatMap(nameOf), server: undefined }] : [];
}

function inResult(block: unknown, at: number): readonly Reference[] {
  const held = isObject(block) && stringAt(block, 'type') === 'tool_result' ? block['content'] : undefined;
  if (!Array.isArray(held)) return [];
  return held.flatMap((item: unknown, inner) => {
    const names = nameOf(item);
    return names.length === 0 ? [] : [{ place: { block: at, inner }, names, server: undefined }];
  });
}

function nameOf(item: unknown): readonly string[] {
  return stringAt(item, 'type') === 'tool_reference' ? [stringAt(item, 'tool_name') ?? ''] : [];
}
