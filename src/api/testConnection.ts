import { ApiError, CancelledError, type ApiFailure } from '../core/errors.ts';
import type { Clock, ModelInfo } from '../core/ports.ts';
import { checkBaseUrl } from './baseUrl.ts';
import { callWithin, readJsonObject } from './call.ts';
import { BASE_URL_REFUSED, HEADERS_INVALID, type Client } from './connection.ts';
import { legOfCode, type NetworkLeg } from './networkError.ts';
import { toModelInfo } from './models.ts';

/** How far a request got: the settings, the network's legs, whether the key was taken, what the server answered. */
export type ConnectionLeg = 'baseUrl' | 'headers' | 'key' | NetworkLeg | 'authentication' | 'answer';

export type ConnectionReport =
  | {
      readonly ok: true;
      readonly host: string;
      readonly durationMs: number;
      /** The first model that was listed; undefined where the server has no Models API, so the key is not proven. */
      readonly model?: ModelInfo;
      readonly modelsApi: boolean;
    }
  | { readonly ok: false; readonly host: string; readonly leg: ConnectionLeg; readonly failure: ApiFailure };

export interface TestDeps {
  readonly getClient: () => Promise<Client>;
  readonly baseUrl: () => Promise<string | undefined>;
  readonly clock: Clock;
}

/** One small request (the first model of the list), and which leg of it failed. Throws only `CancelledError`. */
export async function testConnection(deps: TestDeps, signal: AbortSignal): Promise<ConnectionReport> {
  const startedAt = deps.clock.now();
  let host = '';
  try {
    const client = await deps.getClient();
    host = client.host;
    const body = await callWithin(client, deps.clock, signal, async (inner) =>
      readJsonObject(await client.sdk.models.list({ limit: 1 }, { signal: inner }).asResponse(), client),
    );
    const data: readonly unknown[] = Array.isArray(body['data']) ? body['data'] : [];
    const model = toModelInfo(data[0]);
    const durationMs = deps.clock.now() - startedAt;
    return { ok: true, host, durationMs, modelsApi: true, ...(model ? { model } : {}) };
  } catch (error) {
    if (error instanceof CancelledError || !(error instanceof ApiError)) throw error;
    const { failure } = error;
    if (failure.kind === 'not-found') {
      return { ok: true, host, durationMs: deps.clock.now() - startedAt, modelsApi: false };
    }
    if (host === '') host = checkBaseUrl(await deps.baseUrl().catch(() => undefined)).host;
    return { ok: false, host, leg: legOf(failure), failure };
  }
}

function legOf(failure: ApiFailure): ConnectionLeg {
  if (failure.code === BASE_URL_REFUSED) return 'baseUrl';
  if (failure.code === HEADERS_INVALID) return 'headers';
  switch (failure.kind) {
    case 'no-key':
      return 'key';
    case 'authentication':
    case 'permission':
      return 'authentication';
    case 'connection':
      return failure.status === 407 ? 'proxy' : (legOfCode(failure.code) ?? 'lost');
    case 'timeout':
      return failure.status === undefined ? 'connect' : 'answer';
    default:
      return 'answer';
  }
}
