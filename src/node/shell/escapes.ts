/** What a text stream with terminal escapes consists of. Strings (OSC, DCS, APC, PM, SOS) and other escapes are dropped. */
export interface EscapeHandler {
  /** Printable text, tabs included; never empty, no control characters. */
  text(run: string): void;
  /** One of the other C0 controls, such as LF, CR, BS or NUL. */
  control(code: number): void;
  /** A control sequence: `params` are the bytes between CSI and the final one. */
  csi(params: string, final: string): void;
}

type State = 'text' | 'escape' | 'escapeMore' | 'csi' | 'string' | 'stringEscape';

const ESC = 0x1b;
/** Everything that ends a run of printable text: C0 but TAB, DEL and C1. */
// eslint-disable-next-line no-control-regex -- control characters are what this file is about
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;
/** Longer sequences are not believed to be any; what follows is text again. */
const MAX_CSI = 64;
const MAX_STRING = 1024 * 1024;

/** Splits decoded terminal output into text, controls and control sequences, wherever the chunks were cut. */
export class EscapeParser {
  readonly #handler: EscapeHandler;
  #state: State = 'text';
  #params = '';
  #length = 0;

  constructor(handler: EscapeHandler) {
    this.#handler = handler;
  }

  feed(chunk: string): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#state === 'text') at = this.#readText(chunk, at);
      else this.#step(chunk.charCodeAt(at), chunk[at++] as string);
    }
  }

  #readText(chunk: string, from: number): number {
    CONTROL.lastIndex = from;
    const found = CONTROL.exec(chunk);
    const end = found?.index ?? chunk.length;
    if (end > from) this.#handler.text(chunk.slice(from, end));
    if (found === null) return end;
    const code = chunk.charCodeAt(end);
    const opened = opening(code);
    if (opened !== undefined) this.#enter(opened);
    else if (code < 0x20) this.#handler.control(code);
    return end + 1;
  }

  #step(code: number, char: string): void {
    // CAN and SUB abort any sequence.
    if (code === 0x18 || code === 0x1a) this.#state = 'text';
    else if (this.#state === 'csi') this.#stepCsi(code, char);
    else if (this.#state === 'string') this.#stepString(code);
    else if (this.#state === 'stringEscape') this.#enter(code === 0x5c ? 'text' : 'escape', code === 0x5c ? 0 : code);
    else this.#stepEscape(code);
  }

  #enter(state: State, reread = 0): void {
    this.#state = state;
    this.#params = '';
    this.#length = 0;
    if (reread !== 0) this.#stepEscape(reread);
  }

  #stepEscape(code: number): void {
    if (code === ESC) this.#enter('escape');
    else if (this.#state === 'escape' && code === 0x5b) this.#enter('csi');
    else if (this.#state === 'escape' && isStringOpener(code)) this.#enter('string');
    else if (code >= 0x20 && code <= 0x2f) this.#state = 'escapeMore';
    else {
      this.#state = 'text';
      if (code < 0x20) this.#handler.control(code);
    }
  }

  #stepCsi(code: number, char: string): void {
    if (code === ESC) this.#enter('escape');
    else if (code < 0x20) this.#handler.control(code);
    else if (code < 0x40 && this.#params.length < MAX_CSI) this.#params += char;
    else {
      this.#state = 'text';
      if (code >= 0x40 && code <= 0x7e) this.#handler.csi(this.#params, char);
    }
  }

  #stepString(code: number): void {
    this.#length += 1;
    if (code === ESC) this.#state = 'stringEscape';
    else if (code === 0x07 || code === 0x9c || this.#length > MAX_STRING) this.#state = 'text';
  }
}

/** `ESC P`, `ESC X`, `ESC ]`, `ESC ^`, `ESC _`. */
function isStringOpener(code: number): boolean {
  return code === 0x50 || code === 0x58 || (code >= 0x5d && code <= 0x5f);
}

/** The state that a control character of the text state leads to. C1 are the one-byte forms of ESC + (code - 0x40). */
function opening(code: number): State | undefined {
  if (code === ESC) return 'escape';
  if (code === 0x9b) return 'csi';
  return code >= 0x80 && isStringOpener(code - 0x40) ? 'string' : undefined;
}
