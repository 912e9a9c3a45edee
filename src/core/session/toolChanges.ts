import type {
  ContentBlock,
  MessageParam,
  TextBlockParam,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { mcpServerOf } from '../base/mcpToolset.ts';
import type { ToolsChanged } from './contextEntries.ts';

const SERVER = 'mcp:';

/** What tells a tool from the others of a request: its name, or that of the MCP server whose tools it stands for. */
export function toolKey(tool: unknown): string {
  const server = mcpServerOf(tool);
  return server === undefined ? (stringAt(tool, 'name') ?? '') : `${SERVER}${server}`;
}

/** Whether a `toolKey` is that of an MCP server: names of tools have no colon. */
export function isServerKey(key: string): boolean {
  return key.startsWith(SERVER);
}

type Change = Pick<ToolsChanged, 'added' | 'removed'>;

/** The tools in effect after a change; one that was there already is replaced where it stands. */
export function withChange(tools: readonly ToolUnion[], { added, removed }: Change): readonly ToolUnion[] {
  const gone = new Set(removed);
  const fresh = new Map(added.filter(isObject).map((tool) => [toolKey(tool), tool]));
  const kept = tools
    .filter((tool) => !gone.has(toolKey(tool)))
    .map((tool) => {
      const key = toolKey(tool);
      const found = fresh.get(key) ?? tool;
      fresh.delete(key);
      return found;
    });
  return [...kept, ...fresh.values()];
}

/** What has to change so that `now` is in effect in place of `before`. The order of tools means nothing to the model. */
export function changeBetween(before: readonly ToolUnion[], now: readonly ToolUnion[]): Change {
  const known = new Map(before.map((tool) => [toolKey(tool), JSON.stringify(tool)]));
  const wanted = new Set(now.map(toolKey));
  return {
    added: now.filter((tool) => known.get(toolKey(tool)) !== JSON.stringify(tool)),
    removed: before.map(toolKey).filter((key) => key !== '' && !wanted.has(key)),
  };
}

/**
 * The message that says it (Messages API, "Define tools in a message"): blocks and a role that the GA namespace lacks in
 * part.
 */
export function changeMessage({ added, removed }: Change): MessageParam {
  const content = [
    ...removed.map((name) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } })),
    ...added.map((definition) => ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } })),
  ];
  return { role: 'system', content: content as unknown as TextBlockParam[] };
}

/**
 * System messages where they may stand: behind a message of the user, and last or before an answer. One that would stand
 * elsewhere waits for the next such place; nothing was answered in between.
 */
export function placeSystemMessages(messages: readonly MessageParam[]): MessageParam[] {
  if (!messages.some(({ role }) => role === 'system')) return [...messages];
  const placed: MessageParam[] = [];
  let waiting: MessageParam[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'system') waiting.push(message);
    else placed.push(message);
    const next = messages.slice(index + 1).find(({ role }) => role !== 'system');
    const mayStand = placed.at(-1)?.role === 'user' && (next === undefined || next.role === 'assistant');
    if (!mayStand || messages[index + 1]?.role === 'system' || waiting.length === 0) return;
    placed.push(merged(waiting));
    waiting = [];
  });
  return placed;
}

/** Two system messages in a row would follow no user. */
function merged(messages: readonly MessageParam[]): MessageParam {
  const [first] = messages;
  if (first !== undefined && messages.length === 1) return first;
  const content = messages.flatMap((message) => (Array.isArray(message.content) ? message.content : []));
  return { role: 'system', content: content as TextBlockParam[] };
}

/** Whether a summary of the API's says which tools are in effect after it. */
export function tellsTools(block: ContentBlock | undefined): boolean {
  return isObject(block) && Array.isArray((block as unknown as Record<string, unknown>)['tool_changes']);
}
