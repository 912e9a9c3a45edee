import { isObject, stringAt } from '../core/base/json.ts';
import { ApiError } from '../core/errors.ts';
import type { Clock, ModelInfo } from '../core/ports.ts';
import { callWithin, readJsonObject } from './call.ts';
import type { Client } from './connection.ts';

const PAGE_SIZE = 1000;
const MAX_PAGES = 20;

export interface ModelsDeps {
  readonly getClient: () => Promise<Client>;
  readonly clock: Clock;
}

/** The `models` of `ModelPort`: all pages, kept until the connection changes or `refresh`. */
export function createModelList(
  deps: ModelsDeps,
): (signal: AbortSignal, refresh?: boolean) => Promise<readonly ModelInfo[]> {
  let cached: { readonly identity: string; readonly models: readonly ModelInfo[] } | undefined;
  return async (signal, refresh = false) => {
    const client = await deps.getClient();
    if (!refresh && cached?.identity === client.identity) return cached.models;
    const models = await listModels(client, deps.clock, signal);
    cached = { identity: client.identity, models };
    return models;
  };
}

/** Only the beta's view of the list says whether a model summarises. */
const BETAS = ['compact-2026-09-04'];

/** Throws `ApiError` or `CancelledError`; `not-found` where a gateway has no Models API. */
async function listModels(client: Client, clock: Clock, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  try {
    return await listPages({ client, clock, betas: [...client.betas, ...BETAS] }, signal);
  } catch (error) {
    // An address that does not know a beta may refuse its name.
    if (!(error instanceof ApiError) || error.failure.kind !== 'invalid-request') throw error;
    return listPages({ client, clock, betas: [...client.betas] }, signal);
  }
}

async function listPages(
  { client, clock, betas }: { readonly client: Client; readonly clock: Clock; readonly betas: string[] },
  signal: AbortSignal,
): Promise<readonly ModelInfo[]> {
  const models = new Map<string, ModelInfo>();
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const from = after === undefined ? {} : { after_id: after };
    const query = { limit: PAGE_SIZE, ...from, ...(betas.length === 0 ? {} : { betas }) };
    const body = await callWithin(client, clock, signal, async (inner) =>
      readJsonObject(await client.sdk.beta.models.list(query, { signal: inner }).asResponse(), client),
    );
    const data: readonly unknown[] = Array.isArray(body['data']) ? body['data'] : [];
    for (const model of data.map(toModelInfo)) if (model) models.set(model.id, model);
    const last = stringAt(body, 'last_id') ?? stringAt(data.at(-1), 'id');
    if (body['has_more'] !== true || last === undefined || last === after) break;
    after = last;
  }
  return [...models.values()];
}

/** What is null, missing or of another type is unknown; only a model without an id is dropped. */
export function toModelInfo(value: unknown): ModelInfo | undefined {
  const id = stringAt(value, 'id');
  if (!isObject(value) || id === undefined || id === '') return undefined;
  const capabilities = isObject(value['capabilities']) ? value['capabilities'] : {};
  const thinking = isObject(capabilities['thinking']) ? capabilities['thinking'] : {};
  return {
    id,
    label: stringAt(value, 'display_name') || id,
    maxInputTokens: positive(value['max_input_tokens']),
    maxTokens: positive(value['max_tokens']),
    serverTools: supportOf(capabilities['server_tools']),
    ...programmaticOf(capabilities),
    thinkingTypes: supportOf(thinking['types']),
    effort: supportOf(capabilities['effort']),
    contextEdits: supportOf(capabilities['context_management']),
    compaction: supportOf(capabilities['compaction']),
  };
}

/** `{name: {supported: boolean}}` as `{name: boolean}`; names whose support is not stated are left out. */
function supportOf(value: unknown): Readonly<Record<string, boolean | undefined>> {
  const stated = Object.entries(isObject(value) ? value : {}).flatMap(([name, support]) => {
    const supported = isObject(support) ? support['supported'] : undefined;
    return typeof supported === 'boolean' ? [[name, supported] as const] : [];
  });
  return Object.fromEntries(stated);
}

function programmaticOf(capabilities: Readonly<Record<string, unknown>>): Pick<ModelInfo, 'programmatic'> {
  const { programmatic } = supportOf({ programmatic: capabilities['code_execution'] });
  return programmatic === undefined ? {} : { programmatic };
}

function positive(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}
