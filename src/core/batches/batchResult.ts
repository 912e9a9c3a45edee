import type { Message } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import { cutText } from '../base/text.ts';
import type { ApiFailure, ApiFailureKind } from '../errors.ts';
import { isBlock } from '../session/blocks.ts';
import type { BatchResult, ItemState } from './batchTypes.ts';

/** It is kept in the record, once for each item: in units of UTF-16. */
const LONGEST_DETAIL = 1_000;

const KINDS: Readonly<Record<string, ApiFailureKind>> = {
  invalid_request_error: 'invalid-request',
  authentication_error: 'authentication',
  billing_error: 'billing',
  permission_error: 'permission',
  not_found_error: 'not-found',
  rate_limit_error: 'rate-limit',
  timeout_error: 'timeout',
  api_error: 'server',
  overloaded_error: 'overloaded',
};

/** Reads a line of the results; undefined where it is none. A type that is not known here is no success. */
export function readResult(line: string): BatchResult | undefined {
  const value = parse(line);
  const id = stringAt(value, 'custom_id');
  const result = isObject(value) ? value['result'] : undefined;
  if (id === undefined || !isObject(result)) return undefined;
  switch (result['type']) {
    case 'canceled':
    case 'expired':
      return { id, outcome: result['type'] };
    case 'succeeded':
      if (isMessage(result['message'])) return { id, outcome: 'succeeded', message: result['message'] };
      return { id, outcome: 'errored', failure: { kind: 'protocol', message: 'The result holds no message.' } };
    case 'errored':
      return { id, outcome: 'errored', failure: failureOf(result['error']) };
    default:
      return {
        id,
        outcome: 'errored',
        failure: { kind: 'unknown', message: stringAt(result, 'type') ?? 'The result has no type.' },
      };
  }
}

/** What is known of an item by its result; the message itself is not kept. */
export function stateOf({ outcome, failure, message }: BatchResult): Pick<ItemState, 'outcome' | 'detail'> {
  const detail = cutText(failure?.message ?? cutShort(message) ?? '', LONGEST_DETAIL) || undefined;
  return { outcome, ...(detail === undefined ? {} : { detail }) };
}

/** An answer that succeeded may still not be the whole one. */
function cutShort(message: Message | undefined): string | undefined {
  const reason = stringAt(message, 'stop_reason') ?? 'end_turn';
  return reason === 'end_turn' || reason === 'stop_sequence' ? undefined : reason;
}

/** The error of a result is a whole error answer: the error itself lies one level deeper. */
function failureOf(answer: unknown): ApiFailure {
  const inner = isObject(answer) && isObject(answer['error']) ? answer['error'] : answer;
  const type = stringAt(inner, 'type') ?? '';
  const requestId = stringAt(answer, 'request_id');
  return {
    kind: KINDS[type] ?? 'unknown',
    message: stringAt(inner, 'message') || type || 'The item failed.',
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function isMessage(value: unknown): value is Message {
  return (
    isObject(value) && Array.isArray(value['content']) && value['content'].every(isBlock) && isObject(value['usage'])
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
