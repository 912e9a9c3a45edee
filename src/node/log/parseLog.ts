import * as l10n from '@vscode/l10n';
import { LOG_VERSION, type LogEntry, type SessionHeader } from '../../core/session/entries.ts';
import { isEntry, isHeader } from './entryShape.ts';

export interface ParsedLog {
  /** Undefined when the first line is not one. */
  readonly header: SessionHeader | undefined;
  readonly entries: readonly LogEntry[];
  /** What was wrong, in the user's language. */
  readonly repairs: readonly string[];
  /** Bytes that stay: what is behind them is a torn last line, and is cut before the next write. */
  readonly keep: number;
  /** The last line that stays has no line feed yet. */
  readonly unterminated: boolean;
}

const lineFeed = 0x0a;
const mostLinesNamed = 5;

/**
 * Reads a whole session file and never throws: what can be read is kept, what can't is skipped and reported. Lines end
 * at the byte LF and nowhere else (U+2028 in a text is no line end). While another window writes, an
 * unfinished last line is nothing to report.
 */
export function parseLog(bytes: Buffer, beingWritten = false): ParsedLog {
  const reader = new LineReader();
  let start = 0;
  for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
    reader.line(bytes.subarray(start, end));
    start = end + 1;
  }
  const tail = bytes.subarray(start);
  const keepTail = tail.length > 0 && reader.tail(tail);
  return {
    header: reader.header,
    entries: reader.entries,
    repairs: reader.repairs(beingWritten),
    keep: keepTail ? bytes.length : start,
    unterminated: keepTail,
  };
}

class LineReader {
  header: SessionHeader | undefined;
  readonly entries: LogEntry[] = [];
  readonly #ids = new Set<string>();
  readonly #unreadable: number[] = [];
  #count = 0;
  #cut = 0;
  #noHeader = false;

  line(bytes: Uint8Array): void {
    this.#count += 1;
    const text = decode(bytes);
    if (text.trim() === '') {
      if (bytes.includes(0)) this.#unreadable.push(this.#count);
      return;
    }
    const value = parse(text);
    if (this.#take(value)) return;
    const salvaged = value === undefined ? salvage(text).filter((entry) => this.#take(entry)) : [];
    if (this.#count === 1 && salvaged.length === 0) this.#noHeader = true;
    else if (salvaged.length === 0 || value === undefined) this.#unreadable.push(this.#count);
  }

  /** The last line, which has no line feed. False when there is nothing in it to keep. */
  tail(bytes: Uint8Array): boolean {
    const text = decode(bytes);
    if (this.#take(parse(text))) return true;
    const salvaged = salvage(text).filter((entry) => this.#take(entry));
    this.#cut = bytes.length;
    return salvaged.length > 0;
  }

  repairs(beingWritten: boolean): readonly string[] {
    const named = this.#unreadable.slice(0, mostLinesNamed);
    const more = this.#unreadable.length - named.length;
    const repairs = named.map((line) =>
      l10n.t('Line {0} of the session file is damaged: what could not be read was left out.', line),
    );
    if (more > 0) repairs.push(l10n.t('{0} more lines of the session file are damaged.', more));
    if (this.#noHeader || (this.header === undefined && this.entries.length > 0)) {
      repairs.push(l10n.t('The first line of the session file is damaged: the folders of this session are unknown.'));
    }
    if (this.#cut > 0 && !beingWritten) {
      repairs.push(
        l10n.t('The session file ended in the middle of an entry ({0} bytes), which was left out.', this.#cut),
      );
    }
    if (this.header && this.header.v > LOG_VERSION) {
      repairs.push(l10n.t('This session was written by a newer version of Loopdock, so it can only be read here.'));
    }
    return repairs;
  }

  /** False when it is neither a header nor an entry. An entry that is there twice counts once. */
  #take(value: unknown): boolean {
    if (isHeader(value)) {
      this.header ??= value;
      return true;
    }
    if (!isEntry(value)) return false;
    if (!this.#ids.has(value.id)) this.entries.push(value);
    this.#ids.add(value.id);
    return true;
  }
}

/** Power loss leaves blocks of NUL bytes, some editors a byte order mark. */
function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^[\0\uFEFF]+|\0+$/g, '');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** How every entry and header of ours begins. Inside a string the quotes would be escaped. */
const beginning = /\{"(?:id":"[^"\\]{1,200}","parentId":(?:null|"[^"\\]{1,200}"),"at":"|type":"session","v":)/g;

/** The whole records in a line that has lost its line ends or the end of a record. */
function salvage(text: string): readonly unknown[] {
  const starts = [...text.matchAll(beginning)].slice(0, 1000).map(({ index }) => index);
  return starts
    .map((start, i) => parse(text.slice(start, starts[i + 1] ?? text.length).replace(/[^}]*$/, '')))
    .filter((value) => value !== undefined);
}
