import * as l10n from '@vscode/l10n';
import { ApiError, CancelledError, type ApiFailure } from '../core/errors.ts';
import type { Clock, ModelInfo } from '../core/ports.ts';
import { checkBaseUrl } from './baseUrl.ts';
import { callWithin, readJsonObject } from './call.ts';
import { BASE_URL_REFUSED, HEADERS_INVALID, SETTINGS_REFUSED, type Client } from './connection.ts';
import { localFailure } from './failure.ts';
import { legOfCode, type NetworkLeg } from './networkError.ts';
import { toModelInfo } from './models.ts';

/** Where a connection can fail, in the order in which it is made. */
export type ConnectionLeg =
  | 'settings'
  | 'baseUrl'
  | 'headers'
  | 'key'
  | NetworkLeg
  /** Something answered, but not the API: a web page of the network, another service, a redirect. */
  | 'answer'
  /** The API answered that the key is wrong, or may not. */
  | 'authentication'
  /** The model of the settings is not known there. */
  | 'model'
  /** Host and key are fine, and a message is still refused. */
  | 'messages';

export type ConnectionReport =
  | {
      readonly ok: true;
      readonly host: string;
      readonly durationMs: number;
      /** False at a gateway without a Models API: a message of one token proved the rest. */
      readonly modelsApi: boolean;
      readonly model?: ModelInfo;
    }
  | { readonly ok: false; readonly host: string; readonly leg: ConnectionLeg; readonly failure: ApiFailure };

export interface TestDeps {
  readonly getClient: () => Promise<Client>;
  readonly baseUrl: () => Promise<string | undefined>;
  readonly clock: Clock;
  /** The model of the settings, '' for none. */
  readonly model: string;
  /** Asked for where there is neither a setting nor a list. */
  readonly fallbackModel: string;
}

/**
 * Which leg of the way to an answer fails. At the Claude API by the list of models, which costs nothing; where there is
 * no such list, by a message of one token. Throws only `CancelledError`.
 */
export async function testConnection(deps: TestDeps, signal: AbortSignal): Promise<ConnectionReport> {
  const startedAt = deps.clock.now();
  let host = '';
  try {
    const client = await deps.getClient();
    host = client.host;
    const proof = await firstModel(client, deps, signal);
    if (proof.failure) return { ok: false, host, ...proof.failure };
    const { modelsApi, model } = proof;
    return { ok: true, host, durationMs: deps.clock.now() - startedAt, modelsApi, ...(model ? { model } : {}) };
  } catch (error) {
    if (error instanceof CancelledError || !(error instanceof ApiError)) throw error;
    if (host === '') host = checkBaseUrl(await deps.baseUrl().catch(() => undefined)).host;
    return { ok: false, host, leg: legOf(error.failure), failure: error.failure };
  }
}

interface Proof {
  readonly modelsApi: boolean;
  readonly model?: ModelInfo | undefined;
  readonly failure?: { readonly leg: ConnectionLeg; readonly failure: ApiFailure };
}

async function firstModel(client: Client, deps: TestDeps, signal: AbortSignal): Promise<Proof> {
  let body: Awaited<ReturnType<typeof readJsonObject>>;
  try {
    body = await callWithin(client, deps.clock, signal, async (inner) =>
      readJsonObject(await client.sdk.models.list({ limit: 1 }, { signal: inner }).asResponse(), client),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return oneToken(client, deps, signal);
  }
  const data: readonly unknown[] = Array.isArray(body['data']) ? body['data'] : [];
  return deps.model === '' ? { modelsApi: true, model: toModelInfo(data[0]) } : knownModel(client, deps, signal);
}

async function knownModel(client: Client, deps: TestDeps, signal: AbortSignal): Promise<Proof> {
  try {
    const body = await callWithin(client, deps.clock, signal, async (inner) =>
      readJsonObject(await client.sdk.models.retrieve(deps.model, {}, { signal: inner }).asResponse(), client),
    );
    return { modelsApi: true, model: toModelInfo(body) };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { modelsApi: true, failure: { leg: 'model', failure: error.failure } };
  }
}

async function oneToken(client: Client, deps: TestDeps, signal: AbortSignal): Promise<Proof> {
  const model = deps.model || deps.fallbackModel;
  const body = { model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] };
  try {
    const answer = await callWithin(client, deps.clock, signal, async (inner) =>
      readJsonObject(await client.sdk.post('/v1/messages', { body, signal: inner }).asResponse(), client),
    );
    if (Array.isArray(answer['content'])) return { modelsApi: false };
    const message = l10n.t('{0} answered with something that is not a message.', client.host);
    return {
      modelsApi: false,
      failure: { leg: 'answer', failure: localFailure('protocol', message, client.context()) },
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { kind, message } = error.failure;
    if (kind !== 'not-found' && kind !== 'invalid-request') throw error;
    const leg = /model/i.test(message) ? 'model' : 'messages';
    return { modelsApi: false, failure: { leg, failure: error.failure } };
  }
}

function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.failure.kind === 'not-found';
}

function legOf(failure: ApiFailure): ConnectionLeg {
  if (failure.code === SETTINGS_REFUSED) return 'settings';
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
    case 'billing':
    case 'rate-limit':
    case 'spend-limit':
    case 'overloaded':
      return 'messages';
    default:
      return 'answer';
  }
}
