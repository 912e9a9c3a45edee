import { asArray, blocksOf, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { SimulatedModel } from '../models.ts';
import type { IssuedState } from '../issued.ts';

export interface ValidateOptions {
  /** Names in the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** The body is one of `count_tokens`: no `max_tokens`, no `stream`. */
  readonly counting?: boolean;
}

export interface CheckContext {
  readonly body: Json;
  readonly model: SimulatedModel;
  readonly state: IssuedState;
  readonly betas: readonly string[];
}

export interface MessageView {
  readonly index: number;
  readonly role: string;
  readonly blocks: readonly Json[];
}

/** The messages with string content made blocks. For checks that run after the shapes are known to be right. */
export function messagesOf(body: Json): readonly MessageView[] {
  return asArray(body['messages'])
    .filter(isObject)
    .map((message, index) => ({
      index,
      role: stringOf(message['role']),
      blocks: blocksOf(message['content']),
    }));
}

export function typeOf(block: Json): string {
  return stringOf(block['type']);
}

/** A call that the server answers. */
export function isServerCall(block: Json): boolean {
  return typeOf(block) === 'server_tool_use' || typeOf(block) === 'mcp_tool_use';
}

/** A result of a tool that ran at the server. */
export function isServerResult(block: Json): boolean {
  const type = typeOf(block);
  return type !== 'tool_result' && type.endsWith('_tool_result');
}
