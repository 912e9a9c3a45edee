import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import type { Json } from '../json.ts';
import { asArray, blocksOf, isObject, stringOf } from '../json.ts';
import { isServerCall, isServerResult, messagesOf, typeOf } from './context.ts';
import type { CheckContext, MessageView } from './context.ts';
import { declaresServerTool, serverToolOf } from './tools.ts';

/** Calls and results: client results at once, complete and first; server results by id, with nothing said in between. */
export function checkPairing(context: CheckContext): ApiProblem | null {
  const { body } = context;
  const messages = messagesOf(body);
  return (
    checkUniqueCalls(messages) ??
    first(messages, (message) => checkClientCalls(message, messages[message.index + 1])) ??
    first(messages, (message) => checkResults(message, messages[message.index - 1])) ??
    checkPrograms(context, messages) ??
    checkServerResults(messages) ??
    first(messages, (message) => checkServerCalls(message, messages, body))
  );
}

function checkUniqueCalls(messages: readonly MessageView[]): ApiProblem | null {
  const seen = new Set<string>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (typeOf(block) !== 'tool_use' && !isServerCall(block)) continue;
      const id = stringOf(block['id']);
      if (seen.has(id)) return invalid(`messages: \`${typeOf(block)}\` ids must be unique`);
      seen.add(id);
    }
  }
  return null;
}

/** Every `tool_use` has its result at the head of the very next message. */
function checkClientCalls(message: MessageView, next: MessageView | undefined): ApiProblem | null {
  const calls = callIds(message);
  if (message.role !== 'assistant' || calls.length === 0) return null;
  const answered = new Set(next?.role === 'user' ? leadingResults(next).map((block) => block['tool_use_id']) : []);
  const missing = calls.filter((id) => !answered.has(id));
  if (missing.length === 0) return null;
  return invalid(
    `messages.${message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

/** Every `tool_result` answers a `tool_use` of the message before, once, ahead of all other content. */
function checkResults(message: MessageView, before: MessageView | undefined): ApiProblem | null {
  const calls = new Set(before?.role === 'assistant' ? callIds(before) : []);
  const seen = new Set<string>();
  for (const [position, block] of message.blocks.entries()) {
    if (typeOf(block) !== 'tool_result') continue;
    const id = stringOf(block['tool_use_id']);
    if (!calls.has(id)) {
      return invalid(
        `messages.${message.index}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
          'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (seen.has(id)) {
      return invalid(
        `messages.${message.index}.content.${position}: each tool_use must have a single result. ` +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
  return null;
}

function checkServerResults(messages: readonly MessageView[]): ApiProblem | null {
  const open = new Map<string, string>();
  const done = new Set<string>();
  for (const { index, blocks } of messages) {
    for (const [position, block] of blocks.entries()) {
      if (isServerCall(block)) open.set(stringOf(block['id']), kindOf(block));
      if (!isServerResult(block)) continue;
      const id = stringOf(block['tool_use_id']);
      const path = `messages.${index}.content.${position}`;
      const name = open.get(id);
      if (name === undefined) {
        return invalid(
          `${path}: unexpected \`tool_use_id\` found in \`${typeOf(block)}\` blocks: ${id}. ` +
            `Each \`${typeOf(block)}\` block must have a corresponding \`server_tool_use\` block before it.`,
        );
      }
      if (done.has(id)) return invalid(`${path}: found multiple \`${typeOf(block)}\` blocks with id: ${id}`);
      if (typeOf(block) !== `${name}_tool_result`) {
        return invalid(`${path}: a \`${typeOf(block)}\` block can't answer a \`${name}\` call`);
      }
      done.add(id);
    }
  }
  return null;
}

/** A server call without its result may only wait: for the results of its group, or for a paused turn to go on. */
function checkServerCalls(message: MessageView, messages: readonly MessageView[], body: Json): ApiProblem | null {
  for (const block of message.blocks) {
    if (!isServerCall(block)) continue;
    const id = stringOf(block['id']);
    const name = kindOf(block);
    const owner = messages.findIndex((other) => other.blocks.some((item) => isResultOf(item, id)));
    const between = messages.slice(message.index + 1, owner < 0 ? undefined : owner);
    const path = `messages.${message.index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
    if (!onlyResults(between, message, id)) return invalid(path);
    if (owner < 0 && !declares(body, block)) {
      return invalid(`${path}, but no \`${serverToolOf(stringOf(block['name']))}\` tool was provided`);
    }
  }
  return null;
}

/** The result's type without `_tool_result`. The two search tools share one, and so do all tools of MCP servers. */
function kindOf(call: Json): string {
  const name = stringOf(call['name']);
  if (typeOf(call) === 'mcp_tool_use') return 'mcp';
  return name.startsWith('tool_search_tool_') ? 'tool_search' : name;
}

function declares(body: Json, call: Json): boolean {
  if (typeOf(call) !== 'mcp_tool_use') return declaresServerTool(body, stringOf(call['name']));
  return asArray(body['tools']).some((tool) => isObject(tool) && tool['mcp_server_name'] === call['server_name']);
}

/**
 * Between a call and its result: the assistant going on, one message of nothing but the group's client results, or results
 * that the running code of this call asked for.
 */
function onlyResults(between: readonly MessageView[], owner: MessageView, id: string): boolean {
  let before = owner;
  return between.every((message) => {
    const answered = before;
    before = message;
    if (message.role === 'assistant') return true;
    const calls = answered.blocks.filter((block) => typeOf(block) === 'tool_use');
    const answers = calls.length > 0 && (answered === owner || calls.every((call) => callerOf(call) === id));
    return message.role === 'user' && answers && message.blocks.every((block) => typeOf(block) === 'tool_result');
  });
}

/**
 * What running code asked for: results only, in text, with the container in which it runs (Messages API, "Programmatic
 * tool calling").
 */
function checkPrograms({ body }: CheckContext, messages: readonly MessageView[]): ApiProblem | null {
  for (const message of messages) {
    const calls = message.blocks.filter((block) => typeOf(block) === 'tool_use' && callerOf(block) !== undefined);
    const next = messages[message.index + 1];
    if (calls.length === 0 || next === undefined) continue;
    const path = `messages.${next.index}`;
    if (next.blocks.some((block) => typeOf(block) !== 'tool_result')) {
      return invalid(`${path}: only tool_result blocks may answer programmatic tool calls`);
    }
    const rich = next.blocks.some((block) => blocksOf(block['content']).some((part) => typeOf(part) !== 'text'));
    if (rich) return invalid(`${path}: results of programmatic tool calls must be text`);
    if (next === messages.at(-1) && body['container'] === undefined) {
      return invalid('container: required while programmatic tool calls are pending');
    }
  }
  return null;
}

function callerOf(call: Json): string | undefined {
  const caller = isObject(call['caller']) ? call['caller'] : {};
  return stringOf(caller['type']).startsWith('code_execution') ? stringOf(caller['tool_id']) : undefined;
}

function isResultOf(block: Json, id: string): boolean {
  return isServerResult(block) && block['tool_use_id'] === id;
}

function callIds(message: MessageView): readonly string[] {
  return message.blocks.filter((block) => typeOf(block) === 'tool_use').map((block) => stringOf(block['id']));
}

function leadingResults(message: MessageView): readonly Json[] {
  const end = message.blocks.findIndex((block) => typeOf(block) !== 'tool_result');
  return end < 0 ? message.blocks : message.blocks.slice(0, end);
}

function first(
  messages: readonly MessageView[],
  check: (message: MessageView) => ApiProblem | null,
): ApiProblem | null {
  for (const message of messages) {
    const problem = check(message);
    if (problem) return problem;
  }
  return null;
}
