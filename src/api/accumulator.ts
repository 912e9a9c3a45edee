import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt, type JsonObject } from '../core/base/json.ts';
import type { ModelEvent, ModelOutcome } from '../core/ports.ts';
import { EXTRAS, toContainer, toUsage, type Extra } from './envelope.ts';
import { isDeeperThan, MAX_DEPTH, parseToolInput } from './strictJson.ts';

/** UTF-16 units. */
export interface Limits {
  readonly inputChars: number;
  readonly messageChars: number;
}

/** Far above what any model writes; they keep a hostile or broken server from filling the memory. */
export const LIMITS: Limits = { inputChars: 8 * 1024 * 1024, messageChars: 64 * 1024 * 1024 };

/** The stream contradicts itself or its own limits: nothing of it can be trusted further. `message` is English detail. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** An `error` event: the stream is over. `body` is its data. */
export class StreamErrorEvent extends Error {
  override readonly name = 'StreamErrorEvent';
  readonly body: unknown;
  constructor(body: unknown) {
    super('The stream reported an error');
    this.body = body;
  }
}

type Finished = Omit<Extract<ModelOutcome, { kind: 'finished' }>, 'kind' | 'requestId'>;

interface OpenBlock {
  readonly index: number;
  readonly type: string;
  readonly start: JsonObject;
  /** What deltas made of the start's fields. Strings grow here; everything is put together once, at the stop. */
  readonly fields: Map<string, unknown>;
  /** What grows by deltas, in pieces that are joined once, at the stop. */
  readonly text: string[];
  readonly thinking: string[];
  readonly input: string[];
  inputChars: number;
}

type DeltaKind = 'text' | 'thinking' | 'signature' | 'citations' | 'input' | 'compaction';

const DELTAS: ReadonlyMap<string, DeltaKind> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
  ['citations_delta', 'citations'],
  ['input_json_delta', 'input'],
  ['compaction_delta', 'compaction'],
]);

const CALLS: ReadonlySet<string> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** Deltas that a block of a known type takes. A type that is not here is unknown: it takes whatever comes. */
const BLOCKS: ReadonlyMap<string, readonly DeltaKind[]> = new Map([
  ['text', ['text', 'citations']],
  ['thinking', ['thinking', 'signature']],
  ['redacted_thinking', []],
  ['tool_use', ['input']],
  ['server_tool_use', ['input']],
  ['mcp_tool_use', ['input']],
  ['container_upload', []],
  ['compaction', ['compaction', 'signature']],
  ['fallback', []],
] as const);

/**
 * Folds the events of one streamed message. Pure but for `emit`. What is unknown (events, deltas, block types, fields)
 * is let pass or kept untouched; what is contradictory throws `ProtocolError`. Events before `message_start` and after
 * `message_stop` don't count.
 */
export class MessageAccumulator {
  readonly #emit: (event: ModelEvent) => void;
  readonly #limits: Limits;
  readonly #toolIds = new Set<string>();
  #message: JsonObject | undefined;
  #open: OpenBlock | undefined;
  #blocks = 0;
  #chars = 0;
  /** Length of the record that is being folded. */
  #size = 0;
  #usage: JsonObject = {};
  #stop: JsonObject = {};
  readonly #extras: Partial<Record<Extra, unknown>> = {};
  #container: JsonObject | null = null;
  #done = false;

  constructor(emit: (event: ModelEvent) => void, limits: Limits = LIMITS) {
    this.#emit = emit;
    this.#limits = limits;
  }

  /** `message_start` was seen. */
  get started(): boolean {
    return this.#message !== undefined;
  }

  /** `message_stop` was seen: the message is complete. */
  get done(): boolean {
    return this.#done;
  }

  /** One SSE record. `event` is its name, which counts only where the data has no `type`. */
  accept(event: string | undefined, data: string): void {
    if (this.#done || data === '[DONE]') return;
    this.#size = data.length;
    const value = this.#parse(event, data);
    if (value !== undefined) this.acceptValue(value, event);
  }

  /** The same for data that is parsed already. */
  acceptValue(data: JsonObject, event?: string): void {
    if (this.#done) return;
    const type = stringAt(data, 'type') ?? event;
    if (type === 'error') throw new StreamErrorEvent(data);
    if (type === 'ping') return this.#emit({ type: 'ping' });
    if (type === 'message_start') return this.#start(data);
    if (!this.#message) return;
    switch (type) {
      case 'content_block_delta':
        return this.#delta(data);
      case 'content_block_start':
        return this.#blockStart(data);
      case 'content_block_stop':
        return this.#blockStop(data);
      case 'message_delta':
        return this.#messageDelta(data);
      case 'message_stop':
        return this.#messageStop();
      default: // a kind of event that is newer than this code
    }
  }

  /** One delta of text, as the feed reads most of them: the same as its record. */
  acceptDelta(index: number, field: 'text' | 'thinking' | 'partial_json', text: string): void {
    if (this.#done || !this.#message) return;
    const open = this.#openAt(index, 'A delta');
    const kind = field === 'partial_json' ? 'input' : field;
    if (!takes(open.type, kind)) throw new ProtocolError(`A ${kind} delta came for a ${open.type} block`);
    this.#append(open, kind, text);
  }

  /** The message as a whole after `done`; before that, as far as it is known. */
  result(fallbackModel: string): Finished {
    const message = this.#message ?? {};
    const stopDetails = this.#stop['stop_details'];
    return {
      apiMessageId: stringAt(message, 'id') ?? '',
      model: stringAt(message, 'model') ?? fallbackModel,
      stopReason: stringAt(this.#stop, 'stop_reason') ?? null,
      stopSequence: stringAt(this.#stop, 'stop_sequence') ?? null,
      ...(stopDetails === undefined || stopDetails === null ? {} : { stopDetails }),
      container: toContainer(this.#container),
      usage: toUsage(this.#usage),
      ...this.#extras,
    };
  }

  #parse(event: string | undefined, data: string): JsonObject | undefined {
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      // An event of a kind that we don't know may carry anything.
      if (event !== undefined && !KNOWN_EVENTS.has(event)) return undefined;
      throw new ProtocolError('An event is not JSON');
    }
    if (!isObject(value)) {
      if (event !== undefined && !KNOWN_EVENTS.has(event)) return undefined;
      throw new ProtocolError('An event is not a JSON object');
    }
    return value;
  }

  #start(data: JsonObject): void {
    if (this.#message) throw new ProtocolError('A second message began in the same stream');
    const message = data['message'];
    if (!isObject(message)) throw new ProtocolError('message_start has no message');
    refuseDepth(message);
    this.#message = message;
    this.#mergeUsage(message['usage']);
    this.#mergeContainer(message['container']);
    this.#mergeExtras(message);
    this.#emit({
      type: 'messageStart',
      apiMessageId: stringAt(message, 'id') ?? '',
      model: stringAt(message, 'model') ?? '',
    });
  }

  #blockStart(data: JsonObject): void {
    const index = data['index'];
    const type = stringAt(data['content_block'], 'type') ?? '';
    if (!isObject(data['content_block']) || type === '') throw new ProtocolError('content_block_start has no block');
    if (this.#open) throw new ProtocolError(`Block ${this.#blocks} began before block ${this.#open.index} ended`);
    if (index !== this.#blocks) throw new ProtocolError(`Block ${this.#blocks} was due, but another index began`);
    refuseDepth(data['content_block']);
    this.#count(this.#size);
    const block = withText(data['content_block'], type);
    if (CALLS.has(type)) this.#checkCall(block);
    this.#open = { index, type, start: block, fields: new Map(), text: [], thinking: [], input: [], inputChars: 0 };
    this.#blocks += 1;
    this.#emit({ type: 'blockStart', index, block: toBlock(block) });
  }

  /** A call without id or with the id of another one can never be answered. */
  #checkCall(block: JsonObject): void {
    const id = stringAt(block, 'id') ?? '';
    if (id === '') throw new ProtocolError('A tool call has no id');
    if (stringAt(block, 'name') === undefined) throw new ProtocolError('A tool call has no name');
    if (this.#toolIds.has(id)) throw new ProtocolError('Two tool calls have the same id');
    this.#toolIds.add(id);
  }

  #delta(data: JsonObject): void {
    const open = this.#openAt(data['index'], 'A delta');
    const delta = data['delta'];
    const kind = DELTAS.get(stringAt(delta, 'type') ?? '');
    if (kind === undefined || !isObject(delta)) return;
    if (!takes(open.type, kind)) throw new ProtocolError(`A ${kind} delta came for a ${open.type} block`);
    this.#fold(open, kind, delta);
  }

  #fold(open: OpenBlock, kind: DeltaKind, delta: JsonObject): void {
    switch (kind) {
      case 'text':
        return this.#append(open, 'text', textOf(delta, 'text'));
      case 'thinking':
        return this.#append(open, 'thinking', textOf(delta, 'thinking'));
      case 'input':
        return this.#append(open, 'input', textOf(delta, 'partial_json'));
      case 'signature':
        open.fields.set('signature', textOf(delta, 'signature'));
        return this.#count(textOf(delta, 'signature').length);
      case 'citations':
        return this.#cite(open, delta['citation']);
      case 'compaction':
        return this.#compact(open, delta);
    }
  }

  #append(open: OpenBlock, field: 'text' | 'thinking' | 'input', text: string): void {
    open[field].push(text);
    if (field === 'input') {
      open.inputChars += text.length;
      if (open.inputChars > this.#limits.inputChars) throw new ProtocolError('A tool input is too large');
    }
    this.#count(text.length);
    if (text !== '') this.#emit({ type: 'blockDelta', index: open.index, field, text });
  }

  #cite(open: OpenBlock, citation: unknown): void {
    if (!isObject(citation)) return;
    refuseDepth(citation);
    this.#count(this.#size);
    const before = open.fields.get('citations') ?? open.start['citations'];
    if (open.fields.has('citations')) (before as unknown[]).push(citation);
    else open.fields.set('citations', [...(Array.isArray(before) ? (before as unknown[]) : []), citation]);
  }

  /** A single delta that holds the whole content. */
  #compact(open: OpenBlock, delta: JsonObject): void {
    refuseDepth(delta);
    this.#count(this.#size);
    for (const [key, value] of Object.entries(delta)) if (key !== 'type') open.fields.set(key, value);
  }

  #blockStop(data: JsonObject): void {
    const open = this.#openAt(data['index'], 'The end of a block');
    this.#open = undefined;
    const block = { ...open.start, ...Object.fromEntries(open.fields), ...grown(open) };
    const raw = rawInput(open);
    if (raw === undefined) return this.#emit({ type: 'blockStop', index: open.index, block: toBlock(block) });
    const input = parseToolInput(raw);
    this.#emit({
      type: 'blockStop',
      index: open.index,
      block: toBlock({ ...block, input: input ?? {} }),
      ...(input === undefined ? { invalidInput: raw } : {}),
    });
  }

  #openAt(index: unknown, what: string): OpenBlock {
    if (this.#open?.index !== index || this.#open === undefined) {
      throw new ProtocolError(`${what} names a block that is not open`);
    }
    return this.#open;
  }

  /** Cumulative and repeatable: what is present wins, nothing is added up. */
  #messageDelta(data: JsonObject): void {
    refuseDepth(data);
    const delta = data['delta'];
    if (isObject(delta)) {
      this.#stop = { ...this.#stop, ...delta };
      this.#mergeContainer(delta['container']);
      this.#mergeExtras(delta);
    }
    this.#mergeExtras(data);
    this.#mergeUsage(data['usage']);
  }

  #messageStop(): void {
    if (this.#open) throw new ProtocolError(`The message ended inside block ${this.#open.index}`);
    this.#done = true;
  }

  #mergeUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const present = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined);
    this.#usage = { ...this.#usage, ...Object.fromEntries(present) };
  }

  #mergeContainer(container: unknown): void {
    if (isObject(container)) this.#container = container;
  }

  /** They may stand in the message or beside or inside its deltas; what comes last counts. */
  #mergeExtras(source: JsonObject): void {
    for (const [name, field] of EXTRAS) {
      if (source[name] !== null && source[name] !== undefined) this.#extras[field] = source[name];
    }
  }

  #count(chars: number): void {
    this.#chars += chars;
    if (this.#chars > this.#limits.messageChars) throw new ProtocolError('The message is too large');
  }
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'error',
]);

/** The texts of a block to which deltas came. */
function grown(open: OpenBlock): { readonly text?: string; readonly thinking?: string } {
  const { start, text, thinking } = open;
  return {
    ...(text.length === 0 ? {} : { text: (stringAt(start, 'text') ?? '') + text.join('') }),
    ...(thinking.length === 0 ? {} : { thinking: (stringAt(start, 'thinking') ?? '') + thinking.join('') }),
  };
}

/** The text of a block's input, where deltas brought it or the start has none that is an object; else undefined. */
function rawInput(open: OpenBlock): string | undefined {
  if (open.inputChars > 0) return open.input.join('');
  if (!CALLS.has(open.type) || isObject(open.start['input'])) return undefined;
  const given = open.start['input'];
  return given === undefined || given === null ? '' : JSON.stringify(given);
}

/** Results of server tools are complete at their start; blocks of unknown types take whatever comes. */
function takes(type: string, kind: DeltaKind): boolean {
  if (type.endsWith('_tool_result') || type === 'mcp_tool_listing') return false;
  return BLOCKS.get(type)?.includes(kind) ?? true;
}

/** A text without text (a server that leaves the empty string out) would be refused when it is sent back. */
function withText(block: JsonObject, type: string): JsonObject {
  if (type !== 'text' && type !== 'thinking') return block;
  return typeof block[type] === 'string' ? block : { ...block, [type]: '' };
}

function textOf(delta: JsonObject, key: string): string {
  const value = delta[key] ?? '';
  if (typeof value !== 'string') throw new ProtocolError(`A delta's ${key} is not text`);
  return value;
}

function refuseDepth(value: JsonObject): void {
  if (isDeeperThan(value, MAX_DEPTH)) throw new ProtocolError(`An event nests more than ${MAX_DEPTH} levels`);
}

/** Blocks are kept as they came; their types are what the SDK knows today. */
function toBlock(block: JsonObject): ContentBlock {
  return block as unknown as ContentBlock;
}
