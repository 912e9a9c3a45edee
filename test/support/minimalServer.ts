/** A local server that speaks the Messages API and nothing else, with as little in its answers as such servers send. */
import type { ServerResponse } from 'node:http';
import { sse, startRawServer, type RawServer, type SeenRequest, type SseEvent } from './sseServer.ts';

export interface MinimalOptions {
  /** The stop reason of an answer without calls. */
  readonly stopReason?: string;
  /** Answers with the whole message at once, as if `stream` had not been asked for. */
  readonly whole?: boolean;
  /** Tools with a `type` of Anthropic's are refused, as such a server knows none. */
  readonly refusesTypedTools?: boolean;
  /** The one call that it makes, in the place of `echo`. */
  readonly call?: { readonly name: string; readonly input: unknown };
}

export interface SentBody {
  readonly model: string;
  readonly tools?: readonly { readonly name: string; readonly type?: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** Calls the tool `echo` (or that of `call`) once, where it is declared and has not been called; then it answers with a text. */
export function startMinimalServer(options: MinimalOptions = {}): Promise<RawServer> {
  return startRawServer((request, response) => answer(options, request, response));
}

function answer(options: MinimalOptions, request: SeenRequest, response: ServerResponse): void {
  if (request.url !== '/v1/messages') {
    response.writeHead(404, { 'content-type': 'text/plain' });
    return void response.end('404 page not found');
  }
  const body = JSON.parse(request.body) as SentBody;
  const typed = body.tools?.find(({ type }) => type !== undefined && type !== 'custom');
  if (options.refusesTypedTools && typed) {
    response.writeHead(400, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ error: `unknown tool type ${String(typed.type)}` }));
  }
  const called = request.body.includes('tool_result');
  const call = options.call ?? { name: 'echo', input: { text: 'a' } };
  const calls = !called && (body.tools ?? []).some(({ name }) => name === call.name);
  const block = calls ? { type: 'tool_use', id: 'call_0', ...call } : { type: 'text', text: 'Hi' };
  const stop_reason = calls ? 'tool_use' : (options.stopReason ?? 'end_turn');
  if (options.whole) {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ role: 'assistant', content: [block], stop_reason }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(sse(eventsOf(block, stop_reason)));
}

/** No id, no model, no usage, no pings, and starts without the fields that deltas bring. */
function eventsOf(block: Readonly<Record<string, unknown>>, stopReason: string): readonly SseEvent[] {
  const { text, input, ...start } = block;
  const delta =
    text === undefined
      ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      : { type: 'text_delta', text };
  return [
    { type: 'message_start', message: { role: 'assistant' } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason } },
    { type: 'message_stop' },
  ];
}
