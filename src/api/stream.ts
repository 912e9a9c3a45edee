import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../core/base/json.ts';
import { ApiError, type ApiFailure } from '../core/errors.ts';
import type { StreamRecorder } from '../core/streamRecorder.ts';
import type { Clock, Logger, ModelEvent, ModelOutcome, ModelRequest } from '../core/ports.ts';
import { LIMITS, MessageAccumulator, ProtocolError, StreamErrorEvent } from './accumulator.ts';
import type { UnfinishedUse } from '../core/session/entryBase.ts';
import type { Client } from './connection.ts';
import { createEventFeed, type DeltaField } from './eventFeed.ts';
import {
  fromErrorBody,
  localFailure,
  notTheApiText,
  requestIdOf,
  timeoutText,
  toFailure,
  type FailureContext,
} from './failure.ts';
import { readLimited } from './fetch.ts';
import { buildBody, type Body } from './request.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

export interface StreamDeps {
  readonly getClient: () => Promise<Client>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Silence after which the request counts as dead, in milliseconds. */
  readonly inactivityMs: number;
  readonly recorder?: StreamRecorder | undefined;
}

/** Slowest upload that still counts as one, in bytes per millisecond. */
const SLOWEST_UPLOAD = 64;
/** A stream's bytes on the wire, after decompression: what an answer of 64 MB can have in envelopes, with room. */
const MAX_STREAM_BYTES = 512 * 1024 * 1024;
/** What may come after the end of the message before the connection is given up instead of kept for the next request. */
const MAX_TAIL_BYTES = 64 * 1024;
const MAX_TAIL_MS = 2_000;

/** One request of the loop, and its stream: the contract is that of `ModelPort.stream`. */
export function streamMessage(
  deps: StreamDeps,
  request: ModelRequest,
  signal: AbortSignal,
  onEvent: (event: ModelEvent) => void,
): Promise<ModelOutcome> {
  return new Promise((resolve) => {
    const run = new StreamRun(deps, request, onEvent, (outcome) => {
      signal.removeEventListener('abort', cancel);
      resolve(outcome);
    });
    const cancel = (): void => run.cancel();
    if (signal.aborted) return run.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    void run.start();
  });
}

/** The life of one request. It is settled exactly once; after that nothing is delivered any more. */
class StreamRun {
  readonly #deps: StreamDeps;
  readonly #request: ModelRequest;
  readonly #onEvent: (event: ModelEvent) => void;
  readonly #resolve: (outcome: ModelOutcome) => void;
  readonly #controller = new AbortController();
  readonly #accumulator: MessageAccumulator;
  readonly #startedAt: number;
  #context: FailureContext = { host: '', secrets: [], now: 0 };
  #requestId: string | undefined;
  #responded = false;
  #settled = false;
  #watchdog: Watchdog | undefined;

  constructor(
    deps: StreamDeps,
    request: ModelRequest,
    onEvent: (event: ModelEvent) => void,
    resolve: (outcome: ModelOutcome) => void,
  ) {
    this.#deps = deps;
    this.#request = request;
    this.#onEvent = onEvent;
    this.#resolve = resolve;
    this.#startedAt = deps.clock.now();
    this.#accumulator = new MessageAccumulator((event) => this.#deliver(event));
  }

  cancel(): void {
    this.#settle({ kind: 'cancelled', ...this.#used() });
    this.#controller.abort();
  }

  async start(): Promise<void> {
    try {
      const client = await this.#deps.getClient();
      if (this.#isSettled()) return;
      this.#context = client.context();
      const body = buildBody(this.#request, client.mcpServers);
      if (!body.ok) return this.#fail(body.failure);
      this.#watch(this.#deps.inactivityMs + body.bytes / SLOWEST_UPLOAD);
      const response = await this.#send(client, body);
      if (this.#isSettled()) {
        await response.body?.cancel();
        return;
      }
      this.#responded = true;
      this.#requestId = requestIdOf(response.headers);
      this.#watch(this.#deps.inactivityMs);
      await this.#read(response);
    } catch (error) {
      this.#fail(this.#explain(error));
    }
  }

  #send(client: Client, body: Body & { ok: true }): Promise<Response> {
    const betas = [...new Set([...client.betas, ...this.#request.betas])].join(',');
    return client.sdk
      .post('/v1/messages', {
        body: body.json,
        headers: { 'content-type': 'application/json', ...(betas === '' ? {} : { 'anthropic-beta': betas }) },
        signal: this.#controller.signal,
        stream: true,
      })
      .asResponse();
  }

  async #read(response: Response): Promise<void> {
    const type = (response.headers.get('content-type') ?? '').toLowerCase();
    if (type === '' || type.includes('text/event-stream')) return this.#readEvents(response);
    if (type.includes('json')) return this.#readWhole(response);
    this.#controller.abort();
    throw new NotTheApi(type);
  }

  async #readEvents(response: Response): Promise<void> {
    const recording = this.#deps.recorder?.begin(this.#requestId);
    const reader = response.body?.getReader();
    try {
      await this.#feed(reader, (chunk) => recording?.bytes(chunk));
    } finally {
      recording?.end();
    }
    if (this.#isSettled()) return;
    this.#finish();
    if (reader) await drain(reader, this.#deps.clock);
  }

  async #feed(
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    record: (chunk: Uint8Array) => void,
  ): Promise<void> {
    let atEnd = false;
    const feed = createEventFeed({
      maxChars: LIMITS.messageChars,
      record: (event, data) => this.#accept(event, data, atEnd),
      delta: (index, field, text) => this.#acceptDelta(index, field, text),
      comment: () => this.#watchdog?.alive(),
    });
    let bytes = 0;
    while (reader && !this.#accumulator.done) {
      const { done, value } = await reader.read();
      if (this.#isSettled()) return;
      if (done) break;
      bytes += value.byteLength;
      record(value);
      if (bytes > MAX_STREAM_BYTES) throw new ProtocolError('The stream is larger than 512 MB');
      this.#watchdog?.bytes(value.byteLength);
      feed.feed(value);
    }
    atEnd = true;
    if (!this.#accumulator.done) feed.end();
  }

  /** A record that the end of the stream cut is no protocol error: the stream broke, and that is said below. */
  #accept(event: string | undefined, data: string, atEnd: boolean): void {
    if (this.#settled) return;
    this.#watchdog?.alive();
    try {
      this.#accumulator.accept(event, data);
    } catch (error) {
      if (!(atEnd && error instanceof ProtocolError && !isJson(data))) throw error;
    }
  }

  #acceptDelta(index: number, field: DeltaField, text: string): void {
    if (this.#settled) return;
    this.#watchdog?.alive();
    this.#accumulator.acceptDelta(index, field, text);
  }

  /** A gateway that does not stream sends the message at once; it is delivered as if it had been streamed. */
  async #readWhole(response: Response): Promise<void> {
    const { text, cut } = await readLimited(response, LIMITS.messageChars);
    if (cut) throw new ProtocolError('The answer is larger than 64 MB');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new ProtocolError('The answer is not JSON');
    }
    if (!isObject(value)) throw new ProtocolError('The answer is not a JSON object');
    if (stringAt(value, 'type') === 'error' || isObject(value['error'])) throw new StreamErrorEvent(value);
    if (!Array.isArray(value['content'])) throw new ProtocolError('The answer is not a message');
    const { content, ...message } = value;
    this.#accumulator.acceptValue({ type: 'message_start', message });
    (content as unknown[]).forEach((block, index) => {
      this.#accumulator.acceptValue({ type: 'content_block_start', index, content_block: block });
      this.#accumulator.acceptValue({ type: 'content_block_stop', index });
    });
    this.#accumulator.acceptValue({ type: 'message_delta', delta: message });
    this.#accumulator.acceptValue({ type: 'message_stop' });
    this.#finish();
  }

  /** A call, because what is true before an `await` need not be so after it. */
  #isSettled(): boolean {
    return this.#settled;
  }

  #finish(): void {
    if (!this.#accumulator.done) throw new StreamCut(this.#accumulator.started);
    const requestId = this.#requestId === undefined ? {} : { requestId: this.#requestId };
    this.#settle({ kind: 'finished', ...this.#accumulator.result(this.#request.model), ...requestId });
  }

  /** A listener that throws must not break the stream, and one that aborts must not hear any more. */
  #deliver(event: ModelEvent): void {
    if (this.#settled) return;
    try {
      this.#onEvent(event);
    } catch (error) {
      this.#deps.logger.error('A listener of the model stream failed', error);
    }
  }

  #watch(silenceMs: number): void {
    this.#watchdog?.dispose();
    this.#watchdog = startWatchdog(this.#deps.clock, silenceMs, () => {
      this.#fail({ kind: 'timeout', message: this.#silenceText(silenceMs) });
      this.#controller.abort();
    });
  }

  #silenceText(silenceMs: number): string {
    if (!this.#responded) return timeoutText(this.#context.host);
    return l10n.t('{0} has sent nothing for {1} seconds.', this.#context.host, Math.round(silenceMs / 1000));
  }

  #explain(error: unknown): ApiFailure {
    const { host } = this.#context;
    if (error instanceof StreamErrorEvent) return fromErrorBody(error.body, this.#context);
    if (error instanceof ProtocolError) {
      const message = l10n.t('The answer of {0} breaks the rules of the Messages API: {1}.', host, error.message);
      return localFailure('protocol', message, this.#context);
    }
    if (error instanceof NotTheApi)
      return localFailure('protocol', notTheApiText(host, error.contentType), this.#context);
    if (error instanceof StreamCut) return localFailure('stream', cutText(host, error.started), this.#context);
    const failure = toFailure(error, this.#context);
    if (!this.#responded || error instanceof ApiError) return failure;
    return { ...failure, kind: 'stream', message: `${cutText(host, this.#accumulator.started)} ${failure.message}` };
  }

  #fail(failure: ApiFailure): void {
    const requestId = failure.requestId ?? this.#requestId;
    const known = requestId === undefined ? failure : { ...failure, requestId };
    this.#settle({ kind: 'failed', failure: known, ...this.#used() });
    // What is still in the air is of no use.
    this.#controller.abort();
  }

  /** What an answer that had begun was known to use. */
  #used(): { readonly used?: UnfinishedUse } {
    if (!this.#accumulator.started) return {};
    const { model, usage } = this.#accumulator.result(this.#request.model);
    const requestId = this.#requestId === undefined ? {} : { requestId: this.#requestId };
    return { used: { model, usage, ...requestId } };
  }

  #settle(outcome: ModelOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#watchdog?.dispose();
    this.#log(outcome);
    this.#resolve(outcome);
  }

  #log(outcome: ModelOutcome): void {
    const after = `after ${this.#deps.clock.now() - this.#startedAt} ms`;
    const id = this.#requestId ?? 'no request id';
    if (outcome.kind === 'failed') {
      const { kind, status, type, code, requestId, message } = outcome.failure;
      const facts = [kind, status, type, code].filter((fact) => fact !== undefined).join(' ');
      this.#deps.logger.warn(`Messages: failed ${after} (${requestId ?? id}): ${facts}: ${message}`);
    } else {
      const stop = outcome.kind === 'finished' ? `, ${outcome.stopReason}` : '';
      this.#deps.logger.info(`Messages: ${outcome.kind} ${after} (${id})${stop}`);
    }
  }
}

/** The answer is of a type that the API never sends. */
class NotTheApi extends Error {
  readonly contentType: string;
  constructor(contentType: string) {
    super(contentType);
    this.contentType = contentType;
  }
}

/** The stream ended without `message_stop`. */
class StreamCut extends Error {
  readonly started: boolean;
  constructor(started: boolean) {
    super('cut');
    this.started = started;
  }
}

function cutText(host: string, started: boolean): string {
  return started
    ? l10n.t('The answer of {0} broke off before its end.', host)
    : l10n.t('{0} closed the connection without an answer.', host);
}

/** Reads what follows the message (as a rule nothing), so that the connection can be used again. */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): Promise<void> {
  let bytes = 0;
  const deadline = clock.timer(MAX_TAIL_MS, () => void reader.cancel().catch(() => undefined));
  try {
    while (bytes <= MAX_TAIL_BYTES) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The message was complete; how the connection ends is of no interest.
  } finally {
    deadline.dispose();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
