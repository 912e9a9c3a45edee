import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Message, MessageTokensCount } from '@anthropic-ai/sdk/resources/messages/messages';
import { BatchStore } from './batchesApi.ts';
import { chainOf } from './chain.ts';
import { Faults } from './faults.ts';
import type { Fault, FaultQueue, FaultTarget } from './faults.ts';
import { handleFiles } from './filesApi.ts';
import { FileStore } from './fileStore.ts';
import {
  authorize,
  headerOf,
  messageLimit,
  openExchange,
  readBody,
  sendEdgePage,
  sendJson,
  sendProblem,
} from './http.ts';
import type { Exchange } from './http.ts';
import { createIssuedState } from './issued.ts';
import type { IssuedOptions, IssuedState } from './issued.ts';
import { isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import { makeMessage, respond } from './messages.ts';
import type { ResponseJob } from './messages.ts';
import type { Machine } from './produce.ts';
import { listModels, retrieveModel } from './modelsApi.ts';
import { invalid, notFound, problem, ProblemError } from './problem.ts';
import type { ApiProblem } from './problem.ts';
import { Sandbox } from './sandbox.ts';
import type { Container } from './sandbox.ts';
import { findReply } from './scenario.ts';
import type { Reply, Scenario } from './scenario.ts';
import { SkillStore } from './skillsApi.ts';
import { pause } from './sse.ts';
import { readTurn } from './turn.ts';
import { PromptCache } from './usage.ts';
import { validateRequest } from './validate.ts';
import { summaryReply } from './summarize.ts';

export interface SimulatorOptions {
  readonly scenario: Scenario;
  /** 0 (default) takes a free one. */
  readonly port?: number;
  /** Directory for containers and files; a new temporary one, removed at the end, when missing. */
  readonly sandboxRoot?: string;
  /** Random when missing. */
  readonly key?: string;
  /** Pause before each stream delta, milliseconds (0). */
  readonly delayMs?: number;
  /** Code points per stream delta (12). */
  readonly chunkSize?: number;
  /** Milliseconds that each request of a batch takes (700). */
  readonly batchItemMs?: number;
  /** How many requests `requests` keeps (500). */
  readonly record?: number;
  readonly accept?: IssuedOptions;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON of `messages`, `count_tokens` and new batches; undefined elsewhere. */
  body?: unknown;
  /** Set when the answer's head was sent. */
  status?: number;
  /** The client left before the answer was complete. */
  aborted?: boolean;
}

export interface Simulator {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly key: string;
  /** Oldest first. */
  readonly requests: readonly RecordedRequest[];
  readonly faults: FaultQueue;
  readonly issued: IssuedState;
  readonly files: FileStore;
  readonly batches: BatchStore;
  setScenario(scenario: Scenario): void;
  /** Makes a container id one that has expired. */
  expireContainer(id: string, refusal?: Container['refusal']): void;
  close(): Promise<void>;
}

/** Starts the stand-in for the Messages API on a loopback port. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const simulator = new SimulatorServer(options, await makeRoot(options.sandboxRoot));
  await simulator.listen(options.port ?? 0);
  return simulator;
}

async function makeRoot(given: string | undefined): Promise<{ readonly path: string; readonly own: boolean }> {
  if (given === undefined) return { path: await mkdtemp(path.join(tmpdir(), 'loopdock-simulator-')), own: true };
  await mkdir(given, { recursive: true });
  return { path: path.resolve(given), own: false };
}

class SimulatorServer implements Simulator {
  readonly key: string;
  readonly requests: RecordedRequest[] = [];
  readonly faults = new Faults();
  readonly issued: IssuedState;
  readonly files: FileStore;
  readonly batches: BatchStore;
  readonly #options: SimulatorOptions;
  readonly #root: { readonly path: string; readonly own: boolean };
  readonly #sandbox: Sandbox;
  readonly #skills = new SkillStore();
  readonly #server: Server;
  readonly #cache = new PromptCache();
  readonly #attempts = new Map<string, number>();
  readonly #deferredNames: Machine['deferredNames'] = new Map();
  #scenario: Scenario;
  #answered = 0;
  #host = '';

  constructor(options: SimulatorOptions, root: { readonly path: string; readonly own: boolean }) {
    this.#options = options;
    this.#root = root;
    this.#scenario = options.scenario;
    this.key = options.key ?? `sk-sim-${randomBytes(24).toString('base64url')}`;
    this.files = new FileStore(path.join(root.path, 'files'));
    this.#sandbox = new Sandbox(root.path);
    this.issued = createIssuedState(options.accept, {
      file: (id) => {
        const file = this.files.get(id);
        return file && { mimeType: file.mime_type, expired: this.files.isExpired(id) };
      },
      container: (id) => this.#sandbox.status(id),
      skill: (type, id, version) => this.#skills.has(type, id, version),
    });
    this.batches = new BatchStore({
      answer: (body, betas, signal) => this.#answerInBatch(body, betas, signal),
      itemMs: options.batchItemMs ?? 700,
    });
    this.#server = createServer((request, response) => {
      const exchange = openExchange(request, response);
      void this.#handle(exchange).catch((error: unknown) => {
        const failure = error instanceof ProblemError ? error.problem : problem(500, 'api_error', String(error));
        sendProblem(exchange, failure);
      });
    });
  }

  get url(): string {
    return `http://${this.#host}`;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  setScenario(scenario: Scenario): void {
    this.#scenario = scenario;
    this.#answered = 0;
    this.#attempts.clear();
  }

  expireContainer(id: string, refusal?: Container['refusal']): void {
    this.#sandbox.expire(id, refusal);
  }

  async close(): Promise<void> {
    this.batches.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
    await this.#sandbox.dispose();
    await this.files.dispose();
    if (this.#root.own) await rm(this.#root.path, { recursive: true, force: true, maxRetries: 3 });
  }

  async #handle(exchange: Exchange): Promise<void> {
    const record = this.#record(exchange);
    authorize(exchange, this.#host, this.key);
    const target = targetOf(exchange.url.pathname);
    const fault = target && this.faults.take(target);
    if (fault && (await applyEarly(fault, exchange))) return;
    if (headerOf(exchange.request, 'anthropic-version') === '') {
      throw new ProblemError(invalid('anthropic-version: header is required'));
    }
    await this.#route(exchange, target, { record, fault });
  }

  async #route(
    exchange: Exchange,
    target: FaultTarget | undefined,
    { record, fault }: { readonly record: RecordedRequest; readonly fault: Fault | undefined },
  ): Promise<void> {
    const { request } = exchange;
    if (await this.#resource(exchange, target, { record, fault })) return;
    if ((target !== 'messages' && target !== 'count_tokens') || request.method !== 'POST') {
      throw new ProblemError(notFound('Not found'));
    }
    const bytes = await readBody(exchange, messageLimit);
    if (!bytes) return sendEdgePage(exchange, 413, 'Request Entity Too Large');
    const body = parseJson(bytes);
    record.body = body;
    const betas = betasOf(exchange);
    const found = validateRequest(body, this.issued, { betas, counting: target === 'count_tokens' });
    if (found) throw new ProblemError(found);
    if (target === 'messages') return this.#answer(exchange, body as Json, fault);
    sendJson(exchange, { input_tokens: chainOf(body as Json).tokens } satisfies MessageTokensCount);
  }

  /** Everything that is no message. False when it is one, or nothing that there is. */
  async #resource(
    exchange: Exchange,
    target: FaultTarget | undefined,
    { record, fault }: { readonly record: RecordedRequest; readonly fault: Fault | undefined },
  ): Promise<boolean> {
    const { request, url } = exchange;
    if (target === 'files' || target === 'content') await handleFiles(exchange, this.files, fault);
    else if (target === 'batches') await this.batches.handle(exchange, betasOf(exchange), record);
    else if (target === 'skills') await this.#skills.handle(exchange);
    else if (target === 'models' && request.method === 'GET') {
      const id = url.pathname.slice('/v1/models/'.length);
      sendJson(
        exchange,
        id === '' ? listModels(url.searchParams, betasOf(exchange)) : retrieveModel(decodeURIComponent(id)),
      );
    } else return false;
    return true;
  }

  async #answer(exchange: Exchange, body: Json, fault: Fault | undefined): Promise<void> {
    const abort = new AbortController();
    exchange.response.once('close', () => abort.abort());
    const { faults, ...job } = this.#job(body, betasOf(exchange), abort.signal);
    for (const item of faults) if (await applyEarly(item, exchange)) return;
    await respond({ ...job, faults: fault ? [fault, ...faults] : faults }, exchange.response);
  }

  async #answerInBatch(body: Json, betas: readonly string[], signal: AbortSignal): Promise<Message | ApiProblem> {
    const found = validateRequest(body, this.issued, { betas });
    if (found) return found;
    const job = this.#job(body, betas, signal);
    const failing = job.faults.find((item) => item.kind === 'status');
    return failing ? statusProblem(failing) : makeMessage(job);
  }

  #job(body: Json, betas: readonly string[], signal: AbortSignal): ResponseJob {
    const chain = chainOf(body);
    const identity = `${stringOf(body['model'])} ${chain.end}`;
    const attempt = this.#attempts.get(identity) ?? 0;
    this.#attempts.set(identity, attempt + 1);
    const turn = readTurn(body, { request: this.#answered, attempt });
    if (body['compaction'] === undefined) this.#answered += 1;
    const reply = summaryReply(body, chain) ?? findReply(this.#scenario, turn) ?? noReply;
    return {
      turn,
      reply,
      faults: (reply.faults ?? []).filter((item) => attempt < (item.attempts ?? 1)),
      prompt: this.#cache.measure(body, chain, Date.now()),
      machine: {
        sandbox: this.#sandbox,
        files: this.files,
        skills: this.#skills,
        deferredNames: this.#deferredNames,
      },
      issued: this.issued,
      betas,
      chunkSize: this.#options.chunkSize ?? 12,
      delayMs: this.#options.delayMs ?? 0,
      signal,
    };
  }

  #record({ request, response, url }: Exchange): RecordedRequest {
    const headers = Object.fromEntries(Object.keys(request.headers).map((name) => [name, headerOf(request, name)]));
    const record: RecordedRequest = { method: request.method ?? '', path: url.pathname + url.search, headers };
    response.once('close', () => {
      record.status = response.statusCode;
      record.aborted = !response.writableFinished;
    });
    this.requests.push(record);
    const excess = this.requests.length - (this.#options.record ?? 500);
    if (excess > 0) this.requests.splice(0, excess);
    return record;
  }
}

const noReply: Reply = { steps: [{ type: 'text', text: 'Simulated answer: the scenario has no reply for this.' }] };

function targetOf(pathname: string): FaultTarget | undefined {
  if (pathname === '/v1/messages') return 'messages';
  if (/^\/v1\/messages\/batches(?:\/|$)/.test(pathname)) return 'batches';
  if (pathname === '/v1/messages/count_tokens') return 'count_tokens';
  if (pathname === '/v1/models' || pathname.startsWith('/v1/models/')) return 'models';
  if (/^\/v1\/files\/[^/]+\/content$/.test(pathname)) return 'content';
  if (pathname === '/v1/skills' || pathname.startsWith('/v1/skills/')) return 'skills';
  return pathname === '/v1/files' || pathname.startsWith('/v1/files/') ? 'files' : undefined;
}

function betasOf({ request }: Exchange): readonly string[] {
  return headerOf(request, 'anthropic-beta')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function parseJson(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new ProblemError(invalid('The request body is not valid JSON'));
}

/** Faults that come before any content. True when the request is done with. */
async function applyEarly(fault: Fault, exchange: Exchange): Promise<boolean> {
  switch (fault.kind) {
    case 'delay':
      await pause(fault.ms);
      return false;
    case 'stall':
      if (fault.afterEvents !== undefined) return false;
      await new Promise((resolve) => exchange.response.once('close', resolve));
      return true;
    case 'body':
      exchange.response.setHeader('connection', 'close');
      exchange.response.setHeader('content-type', fault.contentType);
      exchange.response.end(fault.text);
      return true;
    case 'status':
      for (const [name, value] of Object.entries(fault.headers ?? {})) exchange.response.setHeader(name, value);
      // The body was not read: the connection can't be used again.
      exchange.response.setHeader('connection', 'close');
      if (fault.html) sendEdgePage(exchange, fault.status, 'Simulated');
      else sendProblem(exchange, statusProblem(fault));
      return true;
    default:
      return false;
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function statusProblem(fault: Extract<Fault, { kind: 'status' }>): ReturnType<typeof problem> {
  const details = fault.errorCode === undefined ? undefined : { error_code: fault.errorCode };
  const type = fault.type ?? errorTypes[fault.status] ?? 'api_error';
  return problem(fault.status, type, fault.message ?? `Simulated ${type}`, details);
}
