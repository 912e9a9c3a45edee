import { setTimeout as delay } from 'node:timers/promises';
import { MessageAccumulator } from '../../../src/api/accumulator.ts';
import { createApi, type Api, type ApiOptions } from '../../../src/api/index.ts';
import { toDisposable } from '../../../src/core/base/disposable.ts';
import { CancelledError, type ApiFailure } from '../../../src/core/errors.ts';
import type { Clock, Logger, ModelEvent, ModelOutcome, ModelRequest } from '../../../src/core/ports.ts';
import type { SseEvent } from '../../support/sseServer.ts';

export const KEY = 'sk-ant-api03-0123456789abcdefghij';

/** Real time: these tests talk to a real socket. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    delay(ms, undefined, { signal }).catch(() => {
      throw new CancelledError();
    }),
  timer(ms, run) {
    const timer = setTimeout(run, ms);
    return toDisposable(() => clearTimeout(timer));
  },
};

export interface RecordingLogger extends Logger {
  readonly lines: string[];
}

export function recordingLogger(): RecordingLogger {
  const lines: string[] = [];
  return {
    lines,
    info: (message) => void lines.push(`info ${message}`),
    warn: (message) => void lines.push(`warn ${message}`),
    trace: (message) => void lines.push(`trace ${message}`),
    error: (message, error) => void lines.push(`error ${message} ${error instanceof Error ? error.message : ''}`),
  };
}

export function apiAt(url: string, options: Partial<ApiOptions> = {}): Api {
  return createApi({
    connection: () => Promise.resolve({ baseUrl: url, apiKey: KEY }),
    logger: recordingLogger(),
    clock: realClock,
    ...options,
  });
}

export const REQUEST: ModelRequest = {
  model: 'claude-test',
  maxTokens: 1024,
  system: [{ type: 'text', text: 'You are a test.' }],
  tools: [],
  messages: [{ role: 'user', content: 'Hello' }],
  betas: [],
};

export interface Streamed {
  readonly events: readonly ModelEvent[];
  readonly outcome: ModelOutcome;
}

export async function streamOnce(
  api: Api,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = new AbortController().signal,
): Promise<Streamed> {
  const events: ModelEvent[] = [];
  const outcome = await api.model.stream(request, signal, (event) => events.push(event));
  return { events, outcome };
}

/** The finished blocks, as the log gets them. */
export function blocksOf(events: readonly ModelEvent[]): readonly unknown[] {
  return events.flatMap((event) => (event.type === 'blockStop' ? [event.block] : []));
}

export function messageStart(extra: object = {}): SseEvent {
  return {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test-1',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      container: null,
      usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 3, cache_read_input_tokens: 5 },
      ...extra,
    },
  };
}

export function blockStart(index: number, block: object): SseEvent {
  return { type: 'content_block_start', index, content_block: block };
}

export function delta(index: number, fields: object): SseEvent {
  return { type: 'content_block_delta', index, delta: fields };
}

export function blockStop(index: number): SseEvent {
  return { type: 'content_block_stop', index };
}

export function messageEnd(stopReason = 'end_turn', usage: object = { output_tokens: 7 }): readonly SseEvent[] {
  return [
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

export function textBlock(index: number, ...texts: readonly string[]): readonly SseEvent[] {
  return [
    blockStart(index, { type: 'text', text: '', citations: null }),
    ...texts.map((text) => delta(index, { type: 'text_delta', text })),
    blockStop(index),
  ];
}

export function toolBlock(index: number, pieces: readonly string[], fields: object = {}): readonly SseEvent[] {
  return [
    blockStart(index, { type: 'tool_use', id: `toolu_${index}`, name: 'bash', input: {}, ...fields }),
    ...pieces.map((piece) => delta(index, { type: 'input_json_delta', partial_json: piece })),
    blockStop(index),
  ];
}

export function answer(...blocks: readonly (readonly SseEvent[])[]): readonly SseEvent[] {
  return [messageStart(), ...blocks.flat(), ...messageEnd()];
}

let nextChunks: readonly Uint8Array[] = [];
let chunkApi: Api | undefined;

/**
 * An API whose next answer is these chunks, exactly as cut: a socket would join small pieces. One for all, because a new
 * client per stream costs more than the stream.
 */
export function apiOfChunks(chunks: readonly Uint8Array[]): Api {
  nextChunks = chunks;
  chunkApi ??= apiAt('http://127.0.0.1:1', {
    fetch: () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of nextChunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  return chunkApi;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Runs with these variables set, and puts back what was there. */
export async function withEnvironment(
  values: Readonly<Record<string, string>>,
  run: () => Promise<void>,
): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, values);
  try {
    await run();
  } finally {
    for (const name of Object.keys(values)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  }
}

/** What `model.stream` failed with. */
export function failureOf(outcome: ModelOutcome): ApiFailure {
  if (outcome.kind !== 'failed') throw new Error(`It did not fail but is ${outcome.kind}`);
  return outcome.failure;
}

export interface Folded {
  readonly events: readonly ModelEvent[];
  readonly accumulator: MessageAccumulator;
}

/** Folds events that need no server to come from. */
export function fold(events: readonly SseEvent[]): Folded {
  const seen: ModelEvent[] = [];
  const accumulator = new MessageAccumulator((event) => seen.push(event));
  for (const event of events) accumulator.accept(event.type, JSON.stringify(event));
  return { events: seen, accumulator };
}
