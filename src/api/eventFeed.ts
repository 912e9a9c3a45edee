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
    const end = behindLast(LF, bytes) || behindLast(CR, bytes);
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
      if (at === recordStart) at = recordStart = this.#deltas(text, at);
      if (at >= text.length) break;
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

  /**
   * Delivers a run of deltas that begin as the one before did. Returns its end: where `start` is no such delta, `start`
   * itself. (Slices are compared, because `startsWith` takes a character at a time.)
   */
  #deltas(text: string, start: number): number {
    const prefix = this.#prefix;
    const raws: string[] = [];
    let at = start;
    while (prefix !== '' && text.slice(at, at + prefix.length) === prefix) {
      const from = at + prefix.length;
      const to = text.indexOf('\n', from) - 3;
      if (to < from || text.slice(to, to + DELTA_END.length) !== DELTA_END) break;
      raws.push(text.slice(from, to));
      at = to + DELTA_END.length;
    }
    return raws.length === 0 ? start : this.#deliver(raws, start);
  }

  /** Returns the end of what was delivered: it ends before a text that is none. */
  #deliver(raws: readonly string[], start: number): number {
    const all = stringsOf(raws);
    let at = start;
    for (let index = 0; index < raws.length; index++) {
      const raw = raws[index] as string;
      const value = all === undefined ? stringsOf([raw])?.[0] : all[index];
      if (value === undefined) break;
      at += this.#prefix.length + raw.length + DELTA_END.length;
      this.#handlers.delta(this.#index, this.#field, value);
    }
    return at;
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

/** The index behind the last such byte, 0 where there is none. A loop, because mostly it is the very last one. */
function behindLast(byte: number, bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] !== byte) end -= 1;
  return end;
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

/**
 * What these texts are inside the quotes of a JSON string, parsed at once. Undefined when one of them is none. A text
 * that ends its string by a quote makes the list longer; one that hides the quote behind it makes the line end part of a
 * string, which is no JSON: so the list has the right length only when each text is one string.
 */
function stringsOf(raws: readonly string[]): readonly string[] | undefined {
  const [first = ''] = raws;
  if (raws.length === 1 && isPlain(first)) return raws;
  try {
    const values = JSON.parse(`["${raws.join('",\n"')}"]`) as readonly string[];
    return values.length === raws.length ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a text is the same inside the quotes of a JSON string and outside. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

function tooLarge(maxChars: number): ProtocolError {
  return new ProtocolError(`An event is larger than ${Math.floor(maxChars / (1024 * 1024))} MB`);
}
