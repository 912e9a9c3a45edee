import assert from 'node:assert/strict';
import { misfit } from '../../support/sdkSchemas.ts';

/** A request that the simulator took, and every answer that it gives, are of the SDK's own types. */
export function assertFitsSdk(path: string, sent: unknown, response: Response, text: string): void {
  if (path !== '/v1/messages') return;
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 200 && typeof sent === 'string') fits(JSON.parse(sent), 'MessageCreateParamsBase');
  if (type === 'application/json') fits(JSON.parse(text), response.status === 200 ? 'Message' : 'ErrorResponse');
  if (type.startsWith('text/event-stream')) eventsFit(text);
}

function eventsFit(text: string): void {
  for (const [, event, data = ''] of text.matchAll(/^event: (\S+)\ndata: (.*)$/gm)) {
    if (event === 'ping' || injected.test(data)) continue;
    const value = JSON.parse(data) as object;
    // A stream's error event has no request id; the type is that of an error answer.
    if (event === 'error') fits({ request_id: null, ...value }, 'ErrorResponse');
    else fits(value, 'RawMessageStreamEvent');
  }
}

/** What the tests make the simulator send although the SDK has no such type, and what is no JSON at all. */
const injected = /"type":"(?:hologram|hint|sound_delta)"|^(?!\{.*\}$)/;

function fits(value: unknown, type: Parameters<typeof misfit>[1]): void {
  if (injected.test(JSON.stringify(value))) return;
  assert.equal(misfit(value, type), undefined, JSON.stringify(value).slice(0, 2000));
}
