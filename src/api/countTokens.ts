import { ApiError } from '../core/errors.ts';
import type { Clock, ModelPort } from '../core/ports.ts';
import { callWithin, readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { buildCountBody } from './request.ts';

export interface CountDeps {
  readonly getClient: () => Promise<Client>;
  readonly clock: Clock;
}

/** The `countTokens` of `ModelPort`. An address that has none (for this model), or answers something else, is not asked again. */
export function createTokenCounter({ getClient, clock }: CountDeps): ModelPort['countTokens'] {
  const without = new Set<string>();
  return async (request, signal) => {
    const client = await getClient();
    const asked = `${client.identity}\n${request.model}`;
    if (without.has(asked)) return undefined;
    const body = buildCountBody(request);
    if (!body.ok) throw new ApiError(body.failure);
    const betas = [...new Set([...client.betas, ...request.betas])].join(',');
    const headers = { 'content-type': 'application/json', ...(betas === '' ? {} : { 'anthropic-beta': betas }) };
    try {
      const answer = await callWithin(client, clock, signal, async (inner) => {
        const options = { body: body.json, headers, signal: inner };
        return readJsonObject(await client.sdk.post('/v1/messages/count_tokens', options).asResponse(), client);
      });
      const tokens = answer['input_tokens'];
      if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens;
    } catch (error) {
      if (!(error instanceof ApiError) || !isMissing(error)) throw error;
    }
    without.add(asked);
    return undefined;
  };
}

/** No such path there, or a server that answers every path with a page of its own. */
function isMissing({ failure }: ApiError): boolean {
  return failure.kind === 'not-found' || failure.kind === 'protocol';
}
