import assert from 'node:assert/strict';
import { isObject } from '../../src/core/base/json.ts';
import { misfit } from './sdkSchemas.ts';

interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

/** Every request for a message that a client really sent is of the SDK's own type; there was one at least. */
export function assertSentFitsSdk(requests: readonly Sent[]): void {
  const sent = requests.filter(({ path, body }) => path === '/v1/messages' && isObject(body));
  assert.ok(sent.length > 0, 'no request for a message was seen');
  for (const { body } of sent) {
    const text = JSON.stringify(body);
    assert.equal(misfit(withoutUnknown(body), 'MessageCreateParamsBase'), undefined, text.slice(0, 2000));
  }
}

/** Claude's blocks of types that the SDK does not know go back as they came. */
function withoutUnknown(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['messages'])) return body;
  const messages = (body['messages'] as readonly unknown[]).map((message) => {
    if (!isObject(message) || message['role'] !== 'assistant' || !Array.isArray(message['content'])) return message;
    return {
      ...message,
      content: message['content'].filter((block) => !(isObject(block) && isUnknown(block['type']))),
    };
  });
  return { ...body, messages };
}

/** What the tests' servers make up. */
function isUnknown(type: unknown): boolean {
  return typeof type === 'string' && /^(?:someday|hologram|fallback$|compaction$|connector_text$|new_)/.test(type);
}
