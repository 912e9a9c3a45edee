import { randomBytes } from 'node:crypto';
import type {
  DeletedMessageBatch,
  MessageBatch,
  MessageBatchIndividualResponse,
  MessageBatchRequestCounts,
  MessageBatchResult,
} from '@anthropic-ai/sdk/resources/messages/batches';
import type { Message } from '@anthropic-ai/sdk/resources/messages/messages';
import { readBody, sendEdgePage, sendJson } from './http.ts';
import type { Exchange } from './http.ts';
import { isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import type { ApiProblem } from './problem.ts';
import { invalid, notFound, ProblemError } from './problem.ts';
import { pause } from './sse.ts';

const batchLimit = 256 * 1024 * 1024;
const mostRequests = 100_000;
const day = 24 * 60 * 60 * 1000;
const idPattern = /^[a-zA-Z0-9_-]{1,64}$/;
/** What an item may not have; it is found out when the item is processed. */
const notInBatches = ['stream', 'speed', 'fallbacks', 'thread'];

export interface BatchMachine {
  /** Judges and answers one request. */
  answer(body: Json, betas: readonly string[], signal: AbortSignal): Promise<Message | ApiProblem>;
  /** Milliseconds that each request takes at least. */
  readonly itemMs: number;
}

interface Stored {
  batch: MessageBatch;
  readonly requests: readonly Item[];
  readonly betas: readonly string[];
  /** The client asks for the results where the batch says that they are. */
  readonly resultsUrl: string;
  readonly results: MessageBatchIndividualResponse[];
  readonly abort: AbortController;
}

interface Item {
  readonly id: string;
  readonly params: Json;
}

/** Message batches: processed one request after the other, with results once all are through. */
export class BatchStore {
  readonly #machine: BatchMachine;
  readonly #batches = new Map<string, Stored>();

  constructor(machine: BatchMachine) {
    this.#machine = machine;
  }

  /** `seen` is given the body of a new batch. */
  async handle(exchange: Exchange, betas: readonly string[], seen: { body?: unknown }): Promise<void> {
    const { request, url } = exchange;
    const method = request.method ?? '';
    const [id, action] = url.pathname.slice('/v1/messages/batches'.length).split('/').filter(Boolean);
    if (id === undefined) return method === 'POST' ? this.#create(exchange, betas, seen) : this.#list(exchange);
    const stored = this.#batches.get(decodeURIComponent(id));
    if (!stored) throw new ProblemError(notFound(`Message Batch not found: ${id}`));
    switch (`${method} ${action ?? ''}`) {
      case 'GET ':
        return sendJson(exchange, stored.batch);
      case 'DELETE ':
        if (stored.batch.processing_status !== 'ended') {
          throw new ProblemError(invalid('Message Batch has not ended processing'));
        }
        this.#batches.delete(stored.batch.id);
        return sendJson(exchange, { id, type: 'message_batch_deleted' } satisfies DeletedMessageBatch);
      case 'POST cancel':
        this.#cancel(stored);
        return sendJson(exchange, stored.batch);
      case 'GET results':
        return sendResults(exchange, stored);
      default:
        throw new ProblemError(notFound('Not found'));
    }
  }

  /** The requests that were not answered yet are those of a batch that took too long. */
  expire(id: string): void {
    const stored = this.#batches.get(id);
    if (stored) finish(stored, 'expired');
  }

  close(): void {
    for (const { abort } of this.#batches.values()) abort.abort();
  }

  async #create(exchange: Exchange, betas: readonly string[], seen: { body?: unknown }): Promise<void> {
    const bytes = await readBody(exchange, batchLimit);
    if (!bytes) return sendEdgePage(exchange, 413, 'Request Entity Too Large');
    const body = parse(bytes.toString('utf8'));
    seen.body = body;
    const requests = readRequests(body);
    const now = Date.now();
    const batch: MessageBatch = {
      id: `msgbatch_01${randomBytes(11).toString('hex')}`,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + day).toISOString(),
      ended_at: null,
      cancel_initiated_at: null,
      archived_at: null,
      results_url: null,
    };
    const resultsUrl = `http://${exchange.request.headers.host ?? ''}/v1/messages/batches/${batch.id}/results`;
    const stored: Stored = { batch, requests, betas, resultsUrl, results: [], abort: new AbortController() };
    this.#batches.set(batch.id, stored);
    sendJson(exchange, batch);
    void this.#process(stored);
  }

  #list({ url, ...exchange }: Exchange): void {
    const limit = Number(url.searchParams.get('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
      throw new ProblemError(invalid('limit: Input should be between 1 and 1000'));
    }
    const all = [...this.#batches.values()].map(({ batch }) => batch).reverse();
    const after = url.searchParams.get('after_id');
    const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
    const data = all.slice(start, start + limit);
    const has_more = start + limit < all.length;
    sendJson({ url, ...exchange }, { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null });
  }

  #cancel(stored: Stored): void {
    if (stored.batch.processing_status !== 'in_progress') return;
    const cancel_initiated_at = new Date().toISOString();
    stored.batch = { ...stored.batch, processing_status: 'canceling', cancel_initiated_at };
  }

  async #process(stored: Stored): Promise<void> {
    const { signal } = stored.abort;
    for (const { id, params } of stored.requests) {
      await pause(this.#machine.itemMs, signal);
      if (signal.aborted) return;
      if (stored.batch.processing_status !== 'in_progress') break;
      stored.results.push({ custom_id: id, result: await this.#result(params, stored) });
    }
    finish(stored, 'canceled');
  }

  async #result(params: Json, { betas, abort }: Stored): Promise<MessageBatchResult> {
    const field = notInBatches.find((name) => params[name] !== undefined);
    const wrong =
      field !== undefined
        ? invalid(`${field}: not supported in batches`)
        : params['max_tokens'] === 0
          ? invalid('max_tokens: must be at least 1 in batches')
          : undefined;
    const answer = wrong ?? (await this.#machine.answer(params, betas, abort.signal));
    if ('status' in answer) {
      const error = { type: 'error', error: answer.error, request_id: null } as const;
      return { type: 'errored', error } as MessageBatchResult;
    }
    return { type: 'succeeded', message: { ...answer, usage: { ...answer.usage, service_tier: 'batch' } } };
  }
}

/** Ends a batch: what has no result yet gets `rest`. */
function finish(stored: Stored, rest: 'canceled' | 'expired'): void {
  if (stored.batch.processing_status === 'ended') return;
  const done = new Set(stored.results.map(({ custom_id }) => custom_id));
  for (const { id } of stored.requests) {
    if (!done.has(id)) stored.results.push({ custom_id: id, result: { type: rest } });
  }
  // Nothing may count on the order of the requests.
  stored.results.reverse();
  const counts: MessageBatchRequestCounts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
  for (const { result } of stored.results) counts[result.type] += 1;
  stored.batch = {
    ...stored.batch,
    processing_status: 'ended',
    request_counts: counts,
    ended_at: new Date().toISOString(),
    results_url: stored.resultsUrl,
  };
}

function sendResults({ response }: Exchange, { batch, results }: Stored): void {
  if (batch.processing_status !== 'ended') {
    throw new ProblemError(notFound(`Message Batch ${batch.id} has no results yet`));
  }
  response.setHeader('content-type', 'application/x-jsonl');
  response.end(results.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function readRequests(body: Json): readonly Item[] {
  const extra = Object.keys(body).find((key) => key !== 'requests');
  if (extra !== undefined) throw new ProblemError(invalid(`${extra}: Extra inputs are not permitted`));
  const { requests } = body;
  if (!Array.isArray(requests)) throw new ProblemError(invalid('requests: Field required'));
  if (requests.length === 0) throw new ProblemError(invalid('requests: List should have at least 1 item'));
  if (requests.length > mostRequests) throw new ProblemError(invalid(`requests: at most ${mostRequests} requests`));
  const seen = new Set<string>();
  return (requests as unknown[]).map((item, index) => {
    const path = `requests.${index}`;
    if (!isObject(item)) throw new ProblemError(invalid(`${path}: Input should be an object`));
    const unknown = Object.keys(item).find((key) => key !== 'custom_id' && key !== 'params');
    if (unknown !== undefined) throw new ProblemError(invalid(`${path}.${unknown}: Extra inputs are not permitted`));
    const id = stringOf(item['custom_id']);
    if (!idPattern.test(id)) {
      throw new ProblemError(invalid(`${path}.custom_id: String should match pattern '${idPattern.source}'`));
    }
    if (seen.has(id)) throw new ProblemError(invalid(`requests: duplicate custom_id '${id}'`));
    seen.add(id);
    if (!isObject(item['params'])) throw new ProblemError(invalid(`${path}.params: Field required`));
    return { id, params: item['params'] };
  });
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new ProblemError(invalid('The request body is not valid JSON'));
}
