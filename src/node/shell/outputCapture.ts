import { toWellFormed } from '../../core/base/text.ts';
import { DisplayText } from './displayText.ts';
import { EscapeParser } from './escapes.ts';
import { LineFolder } from './foldLines.ts';
import { HeadTail } from './headTail.ts';
import { OutputFile } from './outputFile.ts';

export interface CaptureOptions {
  /** Where the whole output is kept when the model gets only a part of it. */
  readonly directory: string;
  /** For the terminal: safe escapes, CR LF. */
  readonly onDisplay: (text: string) => void;
  /** For the card: plain text, as it comes. */
  readonly onLive: (text: string) => void;
  readonly limits?: Partial<CaptureLimits>;
}

export interface CaptureLimits {
  /** UTF-16 units for the model. */
  readonly model: number;
  /** UTF-16 units for the terminal. */
  readonly display: number;
  /** UTF-16 units for the card while the command runs. */
  readonly live: number;
  readonly fileBytes: number;
}

export interface CapturedOutput {
  readonly text: string;
  readonly totalBytes: number;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  /** The terminal did not get everything. */
  readonly displayCut: boolean;
}

const LIMITS: CaptureLimits = {
  model: 30_000,
  display: 256 * 1024,
  live: 64 * 1024,
  fileBytes: 64 * 1024 * 1024,
};

/** How much is looked at before output with NUL characters is taken for binary data. */
const SAMPLE = 64 * 1024;
/** Share of NUL and undecodable characters above which it is. */
const BINARY_SHARE = 0.1;

/** Takes one command's output apart: the model's copy, the card's, the terminal's, and the whole in a file. Bounded memory. */
export class OutputCapture {
  readonly #options: CaptureOptions;
  readonly #limits: CaptureLimits;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #file: OutputFile;
  readonly #model: HeadTail;
  readonly #folder: LineFolder;
  readonly #display: DisplayText;
  readonly #parser: EscapeParser;
  #live = 0;
  /** What of the pending line the card has been given. */
  #shown = '';
  #characters = 0;
  #undecodable = 0;
  #binary = false;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    this.#file = new OutputFile(options.directory, this.#limits.fileBytes);
    this.#model = new HeadTail(this.#limits.model);
    this.#folder = new LineFolder((text) => this.#line(text));
    this.#display = new DisplayText(this.#limits.display);
    const [folder, display] = [this.#folder, this.#display];
    this.#parser = new EscapeParser({
      text: (run) => (folder.text(run), display.text(run)),
      control: (code) => (folder.control(code), display.control(code)),
      csi: (params, final) => (folder.csi(params, final), display.csi(params, final)),
    });
  }

  /** The promise, where there is one, settles when more may come. */
  write(bytes: Buffer): Promise<void> | undefined {
    const pending = this.#file.write(bytes);
    if (!this.#binary) this.#text(this.#decoder.decode(bytes, { stream: true }));
    return pending;
  }

  async finish(): Promise<CapturedOutput> {
    if (!this.#binary) this.#text(this.#decoder.decode());
    this.#binary ||= this.#looksBinary();
    this.#folder.flush();
    const cut = this.#binary || this.#model.omitted > 0;
    const path = await this.#file.finish(cut);
    return {
      text: toWellFormed(this.#binary ? this.#binaryNote(path) : this.#model.toString((n) => this.#cutNote(n, path))),
      totalBytes: this.#file.size,
      truncated: cut,
      displayCut: this.#display.full || this.#binary,
      ...(path === undefined ? {} : { fullOutputPath: path }),
    };
  }

  #text(text: string): void {
    if (this.#characters < SAMPLE) {
      this.#characters += text.length;
      this.#undecodable += text.split('\uFFFD').length - 1;
    }
    this.#parser.feed(text);
    this.#binary = this.#characters >= SAMPLE && this.#looksBinary();
    const shown = this.#display.take();
    if (shown !== '') this.#options.onDisplay(shown);
    this.#showPending();
  }

  #looksBinary(): boolean {
    const { nulls } = this.#folder;
    return nulls > 0 && nulls + this.#undecodable > this.#characters * BINARY_SHARE;
  }

  #line(text: string): void {
    this.#model.push(text);
    // A line that was rewritten since the card got its beginning is given again, on a line of its own.
    if (text.startsWith(this.#shown)) this.#emitLive(text.slice(this.#shown.length));
    else this.#emitLive(`\n${text}`);
    this.#shown = '';
  }

  #showPending(): void {
    const { pending } = this.#folder;
    if (pending.length <= this.#shown.length || !pending.startsWith(this.#shown)) return;
    this.#emitLive(pending.slice(this.#shown.length));
    this.#shown = pending;
  }

  #emitLive(text: string): void {
    if (text === '' || this.#live >= this.#limits.live) return;
    const taken = text.slice(0, this.#limits.live - this.#live);
    this.#live += taken.length;
    this.#options.onLive(toWellFormed(taken));
    if (this.#live >= this.#limits.live) this.#options.onLive('\n…\n');
  }

  #cutNote(omitted: number, path: string | undefined): string {
    return `\n[... ${omitted} characters left out; ${this.#whereabouts(path)} ...]\n`;
  }

  #binaryNote(path: string | undefined): string {
    return `[${this.#file.size} bytes of binary output, not shown; ${this.#whereabouts(path)}]\n`;
  }

  #whereabouts(path: string | undefined): string {
    if (path === undefined) return 'the whole output could not be kept';
    if (this.#file.complete) return `the whole output is in ${path}`;
    return `the first ${this.#limits.fileBytes} bytes of the output are in ${path}`;
  }
}
