import { closeSync, existsSync, openSync, readSync, readFileSync } from 'node:fs';
import type { ResultLine } from './record.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads a results file while another process writes it. */
export class ResultsTail {
  readonly #file: string;
  readonly #onLine: (line: ResultLine) => void;
  #offset = 0;
  #rest = '';
  #ended = false;

  constructor(file: string, onLine: (line: ResultLine) => void) {
    this.#file = file;
    this.#onLine = onLine;
  }

  /** True once mocha's own end has been read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Reads what has come since the last call. */
  poll(): void {
    if (!existsSync(this.#file)) return;
    const lines = (this.#rest + this.#readOn()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = JSON.parse(line) as ResultLine;
      if (parsed.type === 'end') this.#ended = true;
      this.#onLine(parsed);
    }
  }

  #readOn(): string {
    const file = openSync(this.#file, 'r');
    try {
      const chunks: Buffer[] = [];
      const buffer = Buffer.alloc(64 * 1024);
      for (let read = readSync(file, buffer, 0, buffer.length, this.#offset); read > 0;) {
        chunks.push(Buffer.from(buffer.subarray(0, read)));
        this.#offset += read;
        read = readSync(file, buffer, 0, buffer.length, this.#offset);
      }
      return Buffer.concat(chunks).toString();
    } finally {
      closeSync(file);
    }
  }
}

/** Prints one result as it comes in from another process. */
export function printResult(line: ResultLine): void {
  if (line.type === 'pass') console.log(`  ✔ ${line.title}${line.ms > 1000 ? ` (${line.ms} ms)` : ''}`);
  else if (line.type === 'fail') console.log(`  ✘ ${line.title}\n${line.error.replaceAll(/^/gm, '      ')}`);
  else if (line.type === 'pending') console.log(`  - ${line.title} (not run)`);
  else if (line.type === 'note') console.log(`  · ${line.text}`);
}

/**
 * Counts a results file. A run that never ended counts one failure more, and so does one that ran nothing: a dead
 * process must not look like a success.
 */
export function countResults(file: string): Counts & { readonly problem?: string } {
  const lines = readResults(file);
  const passed = lines.filter((line) => line.type === 'pass').length;
  const failed = lines.filter((line) => line.type === 'fail').length;
  const skipped = lines.filter((line) => line.type === 'pending').length;
  const counts = { passed, failed, skipped };
  if (!lines.some((line) => line.type === 'end'))
    return { ...counts, failed: failed + 1, problem: 'the run did not end' };
  if (passed + failed === 0) return { ...counts, failed: failed + 1, problem: 'no test was run' };
  return counts;
}

/** Full titles of the tests that passed. */
export function passedTitles(file: string): readonly string[] {
  return readResults(file).flatMap((line) => (line.type === 'pass' ? [line.title] : []));
}

function readResults(file: string): readonly ResultLine[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // What comes after the last line end is no line: its process was killed while it wrote.
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ResultLine);
}
