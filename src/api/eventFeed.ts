import { ProtocolError } from './accumulator.ts';

/** The deltas that make up nearly all of a stream. */
export type DeltaField = 'text' | 'thinking' | 'partial_json';

export interface EventFeedHandlers {
  /** A record with data. `event` is its name, undefined where it has none. */
  record(event: string | undefined, data: string): void;
  /**
   * The same as a record with `{"type":"content_block_delta","index":index,"delta":{"type":…,[field]:text}}`, without the
   * detour of parsing the envelope.
   */
  delta(index: number, field: DeltaField, text: string): void;
  comment(): void;
  /** The longest data that one record may have, in UTF-16 units; longer ones throw `ProtocolError`. */
  readonly maxChars: number;
}

/** Server-sent events from bytes, as the WHATWG standard reads them, synchronously and without copies of what is read. */
export interface EventFeed {
  /** Keeps `bytes` until their line ends. */
  feed(bytes: Uint8Array): void;
  /** What is left counts as a last record, although no blank line ended it. */
  end(): void;
}

/**
 * How one delta after another begins, character by character, up to its text. Matched as it came: names of other events,
 * other keys, or other keys in between make it no such delta.
 */
const DELTA =
  /^(?:event: ?content_block_delta\n)?data: ?\{"type": ?"content_block_delta", ?"index": ?(\d{1,9}), ?"delta": ?\{"type": ?"(?:text_delta", ?"(text)|thinking_delta", ?"(thinking)|input_json_delta", ?"(partial_json))": ?"/;
/** And how it ends. */
const DELTA_END = '"}}\n\n';
/** What a text without escapes can't have inside its quotes. */
// eslint-disable-next-line no-control-regex -- JSON strings hold no control characters
const NOT_PLAIN = /["\u0000-\u001F]/;

const LF = 0x0a;
const CR = 0x0d;
/** UTF-8 has three bytes for a UTF-16 unit at most. */
const BYTES_PER_CHAR = 3;

export function createEventFeed(handlers: EventFeedHandlers): EventFeed {
  return new Feed(handlers);
}

class Feed implements EventFeed {
  readonly #handlers: EventFeedHandlers;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Bytes of a line that has not ended. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #started = false;
  /** The last line ended with CR at the end of what was read: a LF that follows belongs to it. */
  #afterCr = false;
  #event = '';
  #data: string | undefined;
  #prefix = '';
  #index = 0;
  #field: DeltaField = 'text';

  constructor(handlers: EventFeedHandlers) {
    this.#handlers = handlers;
  }

  feed(bytes: Uint8Array): void {
    // Where there is no LF at all, lines end with CR; where there is one, what comes after the last can wait.
    const end = bytes.lastIndexOf(LF) + 1 || bytes.lastIndexOf(CR) + 1;
    if (end > 0) {
      const whole = end === bytes.length ? bytes : bytes.subarray(0, end);
      const text = this.#decoder.decode(this.#pendingBytes === 0 ? whole : this.#withPending(whole));
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#read(text);
    }
    if (end === bytes.length) return;
    this.#pending.push(end === 0 ? bytes : bytes.subarray(end));
    this.#pendingBytes += bytes.length - end;
    if (this.#pendingBytes > this.#handlers.maxChars * BYTES_PER_CHAR) throw tooLarge(this.#handlers.maxChars);
  }

  end(): void {
    const rest = this.#decoder.decode(this.#withPending(new Uint8Array()));
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#read(`${rest}\n\n`);
  }

  #withPending(bytes: Uint8Array): Uint8Array {
    const all = new Uint8Array(this.#pendingBytes + bytes.length);
    let at = 0;
    for (const part of [...this.#pending, bytes]) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  /** Whole lines. */
  #read(text: string): void {
    let at = this.#beginning(text);
    let recordStart = this.#data === undefined && this.#event === '' ? at : -1;
    let nextCr = text.indexOf('\r', at);
    while (at < text.length) {
      if (at === recordStart) {
        const behind = this.#delta(text, at);
        if (behind > 0) {
          at = recordStart = behind;
          continue;
        }
      }
      if (nextCr !== -1 && nextCr < at) nextCr = text.indexOf('\r', at);
      const lf = text.indexOf('\n', at);
      const end = lineEnd(lf, nextCr, text.length);
      const isBlank = end === at;
      if (!isBlank) this.#line(text, at, end);
      at = behindLine(text, end);
      if (!isBlank) continue;
      this.#dispatch();
      if (recordStart >= 0) this.#learn(text, recordStart, at);
      recordStart = at;
    }
    this.#afterCr = text.endsWith('\r');
  }

  #beginning(text: string): number {
    if (!this.#started && text !== '') {
      this.#started = true;
      if (text.startsWith('\uFEFF')) return 1;
    }
    return this.#afterCr && text.startsWith('\n') ? 1 : 0;
  }

  /** The end of a delta like the one before, which was delivered; 0 where it is anything else. */
  #delta(text: string, start: number): number {
    if (this.#prefix === '' || !text.startsWith(this.#prefix, start)) return 0;
    const from = start + this.#prefix.length;
    const lf = text.indexOf('\n', from);
    const to = lf - 3;
    if (to < from || !text.startsWith(DELTA_END, to)) return 0;
    const raw = text.slice(from, to);
    const value = raw.includes('\\') ? unescaped(raw) : NOT_PLAIN.test(raw) ? undefined : raw;
    if (value === undefined) return 0;
    this.#handlers.delta(this.#index, this.#field, value);
    return to + DELTA_END.length;
  }

  /** Takes the record that was just read as the pattern of the next ones, where it is such a delta. */
  #learn(text: string, start: number, end: number): void {
    if (this.#prefix !== '' && text.startsWith(this.#prefix, start)) return;
    if (!text.endsWith(DELTA_END, end)) return;
    const match = DELTA.exec(text.slice(start, Math.min(end, start + 256)));
    if (!match) return;
    this.#prefix = match[0];
    this.#index = Number(match[1]);
    this.#field = (match[2] ?? match[3] ?? match[4]) as DeltaField;
  }

  #line(text: string, start: number, end: number): void {
    if (text.startsWith('data:', start)) {
      const value = valueOf(text, start + 5, end);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      if (this.#data.length > this.#handlers.maxChars) throw tooLarge(this.#handlers.maxChars);
    } else if (text.startsWith('event:', start)) {
      this.#event = valueOf(text, start + 6, end);
    } else if (text.startsWith(':', start)) {
      this.#handlers.comment();
    } else if (text.slice(start, end) === 'data') {
      this.#data = this.#data === undefined ? '' : `${this.#data}\n`;
    } else if (text.slice(start, end) === 'event') {
      this.#event = '';
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = '';
    if (data !== undefined) this.#handlers.record(event === '' ? undefined : event, data);
  }
}

/** The first line end, or the end of the text. -1 means that there is none. */
function lineEnd(lf: number, cr: number, length: number): number {
  if (cr === -1) return lf === -1 ? length : lf;
  return lf === -1 ? cr : Math.min(lf, cr);
}

function behindLine(text: string, end: number): number {
  return text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
}

/** A field's value: one space behind the colon does not belong to it. */
function valueOf(text: string, start: number, end: number): string {
  return text.slice(text.charCodeAt(start) === 0x20 ? start + 1 : start, end);
}

/** The inside of a JSON string; undefined when it is none (a quote that ends it, for one). */
function unescaped(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

function tooLarge(maxChars: number): ProtocolError {
  return new ProtocolError(`An event is larger than ${Math.floor(maxChars / (1024 * 1024))} MB`);
}
