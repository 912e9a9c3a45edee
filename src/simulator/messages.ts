import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { chainOf, estimateTokens } from './chain.ts';
import { advisorIterations } from './connectors.ts';
import type { Fault } from './faults.ts';
import { remember } from './issued.ts';
import type { IssuedState } from './issued.ts';
import { isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import { findModel } from './models.ts';
import { Producer } from './produce.ts';
import type { Machine, Piece, ProduceOptions } from './produce.ts';
import type { Reply, Stop } from './scenario.ts';
import { pause, SseWriter } from './sse.ts';
import { droppedThinking } from './validate/thinking.ts';
import type { Turn } from './turn.ts';
import { finalUsage, startUsage } from './usage.ts';
import type { PromptUsage } from './usage.ts';

export interface ResponseJob {
  readonly turn: Turn;
  readonly reply: Reply;
  readonly faults: readonly Fault[];
  readonly prompt: PromptUsage;
  readonly machine: Machine;
  readonly issued: IssuedState;
  readonly betas: readonly string[];
  readonly chunkSize: number;
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

/** Answers a valid request: as a stream when it asks for one, else as one JSON body. */
export async function respond(job: ResponseJob, response: ServerResponse): Promise<void> {
  const body = job.turn.body;
  const producer = new Producer(job.machine, job.turn, produceOptions(job));
  if (body['stream'] === true) await streamMessage(job, producer, response);
  else await sendMessage(job, producer, response);
}

async function sendMessage(job: ResponseJob, producer: Producer, response: ServerResponse): Promise<void> {
  const message = await wholeMessage(job, producer);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(message));
}

/** The answer to a request of a batch. */
export function makeMessage(job: ResponseJob): Promise<Message> {
  return wholeMessage(job, new Producer(job.machine, job.turn, produceOptions(job)));
}

async function wholeMessage(job: ResponseJob, producer: Producer): Promise<Message> {
  const content: ContentBlock[] = [];
  const warming = job.turn.body['max_tokens'] === 0;
  for await (const piece of warming ? [] : producer.run(job.reply)) {
    if (piece.kind === 'block') content.push(piece.block);
  }
  const stop = warming ? { reason: 'max_tokens' } : job.reply.stop;
  const end = ending(stop, content);
  const usage = usageOf(job, content);
  const message = {
    ...skeleton(job),
    content,
    ...end,
    container: producer.container,
    usage: {
      ...startUsage(job.prompt),
      output_tokens: usage.output_tokens,
      ...advisors(job.turn.body, content, usage),
    },
    ...transformations(job),
  } satisfies Message;
  remember(job.issued, content as unknown as Json[], producer.end, end.stop_reason);
  return message;
}

/** With what advisors used, where any was asked. */
function usageOf({ prompt, turn }: ResponseJob, content: readonly ContentBlock[]): MessageDeltaUsage {
  const usage = finalUsage(prompt, outputTokens(content), thinkingTokens(content));
  return { ...usage, ...advisors(turn.body, content, usage) };
}

function advisors(body: Json, content: readonly ContentBlock[], usage: MessageDeltaUsage): object {
  const iterations = advisorIterations(body, content, usage as unknown as Json);
  return iterations.length === 0 ? {} : { iterations };
}

async function streamMessage(job: ResponseJob, producer: Producer, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const writer = new SseWriter(response, job);
  const message = { ...skeleton(job), usage: startUsage(job.prompt), ...transformations(job) } satisfies Message;
  const content: ContentBlock[] = [];
  const echoed: ContentBlock[] = [];
  if (!(await writer.send({ type: 'message_start', message }))) return;
  if (!(await writer.send({ type: 'ping' }))) return;
  for await (const piece of producer.run(job.reply)) {
    if (piece.kind === 'wait') {
      await pause(piece.ms, job.signal);
      continue;
    }
    if (!(await streamBlock(writer, piece, content.length, job.chunkSize))) return;
    content.push(piece.block);
    // A malformed input can't come back as it was.
    if (piece.raw === undefined) echoed.push(piece.block);
  }
  const end = ending(job.reply.stop, content);
  remember(job.issued, echoed as unknown as Json[], producer.end, end.stop_reason);
  const delta = { ...end, container: producer.container };
  const usage = usageOf(job, content);
  if (!(await writer.send({ type: 'message_delta', delta, usage }))) return;
  if (!(await writer.send({ type: 'message_stop' }))) return;
  await writer.end();
}

async function streamBlock(
  writer: SseWriter,
  piece: Extract<Piece, { kind: 'block' }>,
  index: number,
  chunkSize: number,
): Promise<boolean> {
  const start = { type: 'content_block_start', index, content_block: opening(piece.block) } as const;
  if (!(await writer.send(start satisfies RawMessageStreamEvent))) return false;
  for (const delta of deltas(piece, chunkSize)) {
    if (!(await writer.send({ type: 'content_block_delta', index, delta }))) return false;
  }
  return writer.send({ type: 'content_block_stop', index });
}

/** The block as its start event carries it: texts and inputs empty, everything else complete. */
function opening(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '', citations: block.citations && [] };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, input: {} };
    default:
      if (typeOf(block) === 'mcp_tool_use') return { ...block, input: {} } as unknown as ContentBlock;
      return typeOf(block) === 'compaction'
        ? ({ ...block, content: null, signature: '' } as unknown as ContentBlock)
        : block;
  }
}

function typeOf(block: ContentBlock): string {
  return block.type;
}

function* deltas({ block, raw }: Extract<Piece, { kind: 'block' }>, size: number): Generator<RawContentBlockDelta> {
  switch (block.type) {
    case 'text':
      for (const text of chunks(block.text, size)) yield { type: 'text_delta', text };
      for (const citation of block.citations ?? []) yield { type: 'citations_delta', citation };
      return;
    case 'thinking':
      for (const thinking of chunks(block.thinking, size)) yield { type: 'thinking_delta', thinking };
      yield { type: 'signature_delta', signature: block.signature };
      return;
    case 'tool_use':
    case 'server_tool_use': {
      yield { type: 'input_json_delta', partial_json: '' };
      const text = raw ?? (isEmptyObject(block.input) ? '' : JSON.stringify(block.input));
      for (const part of chunks(text, size)) yield { type: 'input_json_delta', partial_json: part };
      return;
    }
    default:
      if (typeOf(block) === 'mcp_tool_use')
        yield* deltas({ kind: 'block', block: { ...(block as unknown as ToolUseBlock), type: 'tool_use' } }, size);
      if (typeOf(block) === 'compaction') yield* compactionDeltas(block as unknown as Json);
  }
}

/** One delta with the whole summary, then its signature. */
function* compactionDeltas({ content, encrypted_content, signature }: Json): Generator<RawContentBlockDelta> {
  yield { type: 'compaction_delta', content, encrypted_content } as unknown as RawContentBlockDelta;
  if (typeof signature === 'string') yield { type: 'signature_delta', signature };
}

/** Pieces of at most `size` code points. */
function* chunks(text: string, size: number): Generator<string> {
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += size) yield characters.slice(start, start + size).join('');
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function skeleton(job: ResponseJob): Message {
  return {
    id: `msg_01${randomBytes(11).toString('hex')}`,
    type: 'message',
    role: 'assistant',
    model: stringOf(job.turn.body['model']),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: startUsage(job.prompt),
  } satisfies Message;
}

type Ending = Pick<Message, 'stop_reason' | 'stop_sequence' | 'stop_details'>;

function ending(stop: Stop | undefined, content: readonly ContentBlock[]): Ending {
  const usual = content.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  return {
    // Reasons that the API may add one day are of no known type.
    stop_reason: (stop?.reason ?? usual) as Message['stop_reason'],
    stop_sequence: stop?.sequence ?? null,
    stop_details: stop?.details ?? null,
  };
}

function outputTokens(content: readonly ContentBlock[]): number {
  return content
    .filter((block) => !block.type.endsWith('_tool_result'))
    .reduce((sum, block) => sum + estimateTokens(block), 1);
}

function thinkingTokens(content: readonly ContentBlock[]): number {
  return content.filter((block) => block.type === 'thinking').reduce((sum, block) => sum + estimateTokens(block), 0);
}

function produceOptions(job: ResponseJob): ProduceOptions {
  const { body } = job.turn;
  const model = stringOf(body['model']);
  const config = isObject(body['thinking']) ? body['thinking'] : undefined;
  const on = config ? config['type'] !== 'disabled' : findModel(model)?.thinksByDefault === true;
  const shown = config?.['display'] ?? (config?.['type'] === 'enabled' ? 'summarized' : 'omitted');
  const thinking = !on ? 'off' : shown === 'summarized' ? 'summarized' : 'omitted';
  return { model, before: chainOf(body).end, thinking, signal: job.signal };
}

/** What was dropped on request, for clients that sent the beta. */
function transformations({ turn, betas }: ResponseJob): object {
  if (!betas.includes('thinking-binding-controls-2026-08-01')) return {};
  const dropped = droppedThinking(turn.body, stringOf(turn.body['model']));
  return {
    input_transformations: dropped.map((item) => ({ type: 'thinking_dropped', ...item })),
  };
}
