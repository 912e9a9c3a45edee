import { isObject, stringAt, type JsonObject } from '../core/base/json.ts';
import { ApiError } from '../core/errors.ts';
import type { BatchApi, BatchItem, BatchTemplate, RemoteBatch } from '../core/batches/batchTypes.ts';
import { callWithin, readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { localFailure, notTheApiText } from './failure.ts';
import { downloadFrom, type FilesDeps } from './files.ts';
import { buildItemBody } from './request.ts';
import { streamedPost } from './streamedPost.ts';

const LISTED = 100;

export function createBatches(deps: FilesDeps): BatchApi {
  const call = async (
    signal: AbortSignal,
    send: (client: Client, inner: AbortSignal) => Promise<Response>,
  ): Promise<JsonObject> => {
    const client = await deps.getClient();
    return callWithin(client, deps.clock, signal, async (inner) => readJsonObject(await send(client, inner), client));
  };
  const one = async (id: string, signal: AbortSignal, cancel = false): Promise<RemoteBatch> => {
    const path = pathOf(id);
    const body = await call(signal, ({ sdk }, inner) =>
      (cancel ? sdk.post(`${path}/cancel`, { signal: inner }) : sdk.get(path, { signal: inner })).asResponse(),
    );
    return toRemote(body) ?? notTheApi(await deps.getClient());
  };
  return {
    create: (items, template, signal) => create(deps, { items, template, signal }),
    get: (id, signal) => one(id, signal),
    cancel: (id, signal) => one(id, signal, true),
    async list(signal) {
      const body = await call(signal, ({ sdk }, inner) =>
        sdk.messages.batches.list({ limit: LISTED }, { signal: inner }).asResponse(),
      );
      return (Array.isArray(body['data']) ? body['data'] : []).flatMap((item) => toRemote(item) ?? []);
    },
    // Not from `results_url`: the key goes to the address that the user chose, and nowhere else.
    async results(id, signal) {
      return downloadFrom(deps, await deps.getClient(), signal, ({ sdk }, inner) =>
        sdk.get(`${pathOf(id)}/results`, { signal: inner, headers: { accept: 'application/x-jsonl' } }).asResponse(),
      );
    },
  };
}

interface Creation {
  readonly items: AsyncIterable<BatchItem>;
  readonly template: BatchTemplate;
  readonly signal: AbortSignal;
}

/** The SDK's own way takes a list, and a batch may have 256 MB. */
async function create(deps: FilesDeps, { items, template, signal }: Creation): Promise<RemoteBatch> {
  const client = await deps.getClient();
  const betas = [...new Set([...client.betas, ...template.betas])].join(',');
  const headers = { 'content-type': 'application/json', ...(betas === '' ? {} : { 'anthropic-beta': betas }) };
  const post = { path: '/v1/messages/batches', headers, chunks: bodyOf(items, template), signal };
  return streamedPost(
    deps,
    client,
    post,
    async (response) => toRemote(await readJsonObject(response, client)) ?? notTheApi(client),
  );
}

async function* bodyOf(
  items: AsyncIterable<BatchItem>,
  template: BatchTemplate,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder();
  let before = '{"requests":[';
  for await (const { id, content } of items) {
    const built = buildItemBody({ ...template, messages: [{ role: 'user', content: [...content] }] });
    if (!built.ok) throw new ApiError(built.failure);
    yield encoder.encode(`${before}{"custom_id":${JSON.stringify(id)},"params":${built.json}}`);
    before = ',';
  }
  yield encoder.encode(before === ',' ? ']}' : `${before}]}`);
  return undefined;
}

/** Ids go into paths of ours, and they come from answers. */
function pathOf(id: string): string {
  return `/v1/messages/batches/${encodeURIComponent(id)}`;
}

function toRemote(value: unknown): RemoteBatch | undefined {
  const id = stringAt(value, 'id') ?? '';
  if (!isObject(value) || !/^[A-Za-z0-9_-]{1,200}$/.test(id)) return undefined;
  const counts = isObject(value['request_counts']) ? value['request_counts'] : {};
  const count = (name: string): number => {
    const found = counts[name];
    return typeof found === 'number' && found >= 0 ? found : 0;
  };
  const status = value['processing_status'];
  return {
    id,
    status: status === 'ended' || status === 'canceling' ? status : 'in_progress',
    createdAt: stringAt(value, 'created_at') ?? '',
    counts: {
      processing: count('processing'),
      succeeded: count('succeeded'),
      errored: count('errored'),
      canceled: count('canceled'),
      expired: count('expired'),
    },
  };
}

function notTheApi(client: Client): never {
  throw new ApiError(localFailure('protocol', notTheApiText(client.host, 'application/json'), client.context()));
}
