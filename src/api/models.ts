import { isObject, stringAt } from '../core/base/json.ts';
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

/** Throws `ApiError` or `CancelledError`; `not-found` where a gateway has no Models API. */
async function listModels(client: Client, clock: Clock, signal: AbortSignal): Promise<readonly ModelInfo[]> {
  const models = new Map<string, ModelInfo>();
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { limit: PAGE_SIZE, ...(after === undefined ? {} : { after_id: after }) };
    const body = await callWithin(client, clock, signal, async (inner) =>
      readJsonObject(await client.sdk.models.list(query, { signal: inner }).asResponse(), client),
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
