import { appendFile, mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { redact } from '../../core/base/redact.ts';
import type { StreamRecorder } from '../../core/streamRecorder.ts';
import type { Clock, Ids, Logger } from '../../core/ports.ts';

/** One raw event stream as it is kept: one line of JSON. */
export interface RecordedStream {
  /** ISO 8601: when it began. */
  readonly at: string;
  /** '' where the server names none. */
  readonly requestId: string;
  /** Credentials redacted; undecodable bytes are U+FFFD. */
  readonly text: string;
  /** Bytes that came and are not in `text`. */
  readonly cut: number;
  /** Streams before this one that were not kept, because the disk was slower than they came. */
  readonly dropped: number;
}

export interface RecorderOptions {
  /** Absolute path of a folder of its own; made with the first stream. */
  readonly dir: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly secrets: () => readonly string[];
  readonly enabled: () => boolean;
  readonly limits?: RecorderLimits;
}

/** All in bytes, but for the number of files. */
export interface RecorderLimits {
  readonly stream: number;
  readonly file: number;
  readonly files: number;
  /** What may wait for the disk. */
  readonly waiting: number;
}

export interface KeptStreams extends StreamRecorder {
  /** Newest first, as far as `matches` says yes, of all windows. Never throws: what can't be read is not there. */
  find(matches: (stream: RecordedStream) => boolean): Promise<readonly RecordedStream[]>;
  /** Resolves when nothing waits for the disk. */
  settled(): Promise<void>;
}

const LIMITS: RecorderLimits = { stream: 2 ** 20, file: 4 * 2 ** 20, files: 8, waiting: 8 * 2 ** 20 };

/**
 * A ring of files, one after the other per window and capped together. Bytes are only referred to while a stream runs;
 * decoding, redacting and writing come after its end, one stream at a time.
 */
export function createRecorder(options: RecorderOptions): KeptStreams {
  const limits = options.limits ?? LIMITS;
  let file: { readonly path: string; size: number } | undefined;
  let writing: Promise<void> = Promise.resolve();
  let waiting = 0;
  let dropped = 0;

  async function write(stream: Omit<RecordedStream, 'text'>, chunks: readonly Uint8Array[]): Promise<void> {
    const text = redact(Buffer.concat(chunks).toString('utf8'), options.secrets());
    const line = `${JSON.stringify({ ...stream, text })}\n`;
    file = await fileFor(options, limits, file);
    await appendFile(file.path, line, { mode: 0o600 });
    file.size += Buffer.byteLength(line);
  }

  return {
    begin(requestId) {
      if (!options.enabled()) return undefined;
      const at = new Date(options.clock.now()).toISOString();
      const chunks: Uint8Array[] = [];
      let kept = 0;
      let cut = 0;
      return {
        bytes(chunk) {
          const room = Math.min(chunk.byteLength, limits.stream - kept);
          if (room > 0) chunks.push(room === chunk.byteLength ? chunk : chunk.subarray(0, room));
          kept += room;
          cut += chunk.byteLength - room;
        },
        end() {
          const bytes = kept;
          if (waiting + bytes > limits.waiting) {
            dropped += 1;
            return;
          }
          waiting += bytes;
          const stream = { at, requestId: requestId ?? '', cut, dropped };
          dropped = 0;
          writing = writing
            .then(() => write(stream, chunks))
            .catch((error: unknown) => options.logger.warn(`An event stream was not kept: ${String(error)}`))
            .finally(() => (waiting -= bytes));
        },
      };
    },
    async find(matches) {
      await writing;
      const found: RecordedStream[] = [];
      for (const name of (await filesIn(options.dir)).reverse()) {
        const text = await readFile(join(options.dir, name), 'utf8').catch(() => '');
        found.push(...text.split('\n').flatMap(toStream).filter(matches).reverse());
      }
      return found.sort((a, b) => b.at.localeCompare(a.at));
    },
    settled: () => writing,
  };
}

async function fileFor(
  { dir, clock, ids }: RecorderOptions,
  limits: RecorderLimits,
  current: { readonly path: string; size: number } | undefined,
): Promise<{ readonly path: string; size: number }> {
  if (current && current.size < limits.file && (await exists(current.path))) return current;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const old = await filesIn(dir);
  for (const name of old.slice(0, Math.max(0, old.length - limits.files + 1))) {
    // Another window may have done it.
    await unlink(join(dir, name)).catch(() => undefined);
  }
  // Behind all others also where the clock stands still or went back: names are what their order goes by.
  const time = Math.max(clock.now(), (Number.parseInt(old.at(-1) ?? '', 10) || 0) + 1);
  return { path: join(dir, `${String(time).padStart(15, '0')}-${ids.random()}.jsonl`), size: 0 };
}

/** Oldest first. */
async function filesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => name.endsWith('.jsonl')).sort();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** None for a line that was cut or is not ours. */
function toStream(line: string): readonly RecordedStream[] {
  try {
    const value = JSON.parse(line) as Partial<RecordedStream>;
    const { at, requestId, text } = value;
    if (typeof at !== 'string' || typeof requestId !== 'string' || typeof text !== 'string') return [];
    return [{ at, requestId, text, cut: value.cut ?? 0, dropped: value.dropped ?? 0 }];
  } catch {
    return [];
  }
}
