import { asArray, blocksOf, isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import { isServerCall, isServerResult, messagesOf, typeOf } from './validate/context.ts';
import type { MessageView } from './validate/context.ts';

/** What a scenario sees of a request. */
export interface Turn {
  readonly body: Json;
  /** How many requests this scenario answered before. */
  readonly request: number;
  /** How often this very conversation was sent before: 1 and more are retries. */
  readonly attempt: number;
  /** The last text that the user wrote. */
  readonly prompt: string;
  /** Assistant messages since that text. */
  readonly step: number;
  /** All calls since that text, client's and server's, in order. */
  readonly calls: readonly Call[];
  /** What the user wrote before, oldest first, each with the calls that followed it. */
  readonly earlier: readonly { readonly prompt: string; readonly calls: readonly Call[] }[];
  /** The client calls whose results are in the newest message. */
  readonly newResults: readonly Call[];
  /** The conversation ends with the assistant: a paused response goes on. */
  readonly resumes: boolean;
  /** Server calls that wait for their result; they run before the reply. */
  readonly pending: readonly Json[];
  /** Names of the declared tools. */
  readonly tools: readonly string[];
}

export interface Call {
  readonly name: string;
  readonly input: Json;
  /** Text of the result; undefined when there is none yet. */
  readonly result?: string;
  readonly isError: boolean;
  /** The result block as it came back. */
  readonly block?: Json;
}

/** Reads a valid request. */
export function readTurn(body: Json, counts: { readonly request: number; readonly attempt: number }): Turn {
  const messages = messagesOf(body);
  const starts = messages.filter((message) => message.role === 'user' && textOf(message.blocks) !== '');
  const parts = starts.map((message, position) => ({
    prompt: textOf(message.blocks),
    messages: messages.slice(message.index + 1, starts[position + 1]?.index),
  }));
  const { prompt, messages: since } = parts.at(-1) ?? { prompt: '', messages: messages };
  const calls = readCalls(since, messages);
  const last = messages.at(-1);
  const answered = new Set((last?.blocks ?? []).map((block) => block['tool_use_id']));
  return {
    body,
    ...counts,
    prompt,
    step: since.filter((message) => message.role === 'assistant').length,
    calls,
    earlier: parts.slice(0, -1).map((part) => ({ prompt: part.prompt, calls: readCalls(part.messages, messages) })),
    newResults: calls.filter((call) => call.block && last?.role === 'user' && answered.has(call.block['tool_use_id'])),
    resumes: last?.role === 'assistant',
    pending: pendingCalls(messages),
    tools: asArray(body['tools']).map((tool) => (isObject(tool) ? stringOf(tool['name']) : '')),
  };
}

/** The texts of a list of blocks, joined by line ends. */
export function textOf(blocks: readonly Json[]): string {
  return blocks
    .filter((block) => typeOf(block) === 'text')
    .map((block) => stringOf(block['text']))
    .join('\n');
}

function readCalls(since: readonly MessageView[], messages: readonly MessageView[]): readonly Call[] {
  const results = new Map<string, Json>();
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (typeOf(block) === 'tool_result' || isServerResult(block)) results.set(stringOf(block['tool_use_id']), block);
    }
  }
  return since
    .flatMap((message) => message.blocks)
    .filter((block) => typeOf(block) === 'tool_use' || isServerCall(block))
    .map((block) => readCall(block, results.get(stringOf(block['id']))));
}

function readCall(use: Json, block: Json | undefined): Call {
  const call = { name: stringOf(use['name']), input: isObject(use['input']) ? use['input'] : {} };
  if (!block) return { ...call, isError: false };
  if (typeOf(block) === 'tool_result') {
    return { ...call, block, result: textOf(blocksOf(block['content'])), isError: block['is_error'] === true };
  }
  const content = isObject(block['content']) ? block['content'] : {};
  const failed = 'error_code' in content || (content['return_code'] !== undefined && content['return_code'] !== 0);
  return { ...call, block, result: stringOf(content['stdout'] ?? content['content']), isError: failed };
}

function pendingCalls(messages: readonly MessageView[]): readonly Json[] {
  const blocks = messages.flatMap((message) => message.blocks);
  const done = new Set(blocks.filter(isServerResult).map((block) => block['tool_use_id']));
  return blocks.filter((block) => isServerCall(block) && !done.has(block['id']));
}
