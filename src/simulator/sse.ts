import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Fault } from './faults.ts';

export interface SseOptions {
  readonly faults: readonly Fault[];
  /** Pause before each delta, milliseconds. */
  readonly delayMs: number;
}

/** Writes stream events, with the faults at their places. */
export class SseWriter {
  readonly #response: ServerResponse;
  readonly #options: SseOptions;
  readonly #pieceBytes: number | undefined;
  readonly #done = new Set<Fault>();
  #sent = 0;
  #over = false;

  constructor(response: ServerResponse, options: SseOptions) {
    this.#response = response;
    this.#options = options;
    const fragment = options.faults.find((fault) => fault.kind === 'fragment');
    this.#pieceBytes = fragment?.kind === 'fragment' ? Math.max(1, fragment.bytes) : undefined;
  }

  /** False when the stream is over, by a fault or because the client left. */
  async send(event: RawMessageStreamEvent | { readonly type: 'ping' }): Promise<boolean> {
    if (event.type === 'content_block_delta' && this.#options.delayMs > 0) await pause(this.#options.delayMs);
    await this.#applyFaults();
    if (this.#over || this.#response.destroyed) return false;
    for (let copy = 0; copy < this.#copies(event.type); copy++)
      await this.#write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    this.#sent += 1;
    return true;
  }

  /** How often the next event is sent. Of a delta nobody could tell that it was lost: the answer would be another one. */
  #copies(type: string): number {
    if (type === 'content_block_delta') return 1;
    const here = (kind: Fault['kind']): boolean =>
      this.#options.faults.some(
        (fault) => fault.kind === kind && 'afterEvents' in fault && fault.afterEvents === this.#sent,
      );
    if (here('drop')) return 0;
    return here('repeat') ? 2 : 1;
  }

  async end(): Promise<void> {
    await this.#applyFaults();
    if (!this.#over) this.#response.end();
  }

  async #applyFaults(): Promise<void> {
    for (const fault of this.#options.faults) {
      if (this.#over || this.#done.has(fault)) continue;
      if (!('afterEvents' in fault) || fault.afterEvents > this.#sent) continue;
      this.#done.add(fault);
      await this.#apply(fault);
    }
  }

  async #apply(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'insert':
        await this.#write(fault.raw ?? record(fault.event));
        return;
      case 'error': {
        const error = { type: fault.type, message: fault.message ?? 'Simulated error' };
        await this.#write(`event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`);
        this.#response.end();
        break;
      }
      case 'end':
        this.#response.end();
        break;
      case 'cut':
        // What was written must reach the client before the connection breaks.
        await pause(20);
        this.#response.destroy();
        break;
      case 'stall':
        if (!this.#response.destroyed) await once(this.#response, 'close');
        break;
      default:
        return;
    }
    this.#over = true;
  }

  async #write(text: string): Promise<void> {
    if (this.#response.destroyed) return;
    const bytes = Buffer.from(text, 'utf8');
    const size = this.#pieceBytes ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size) {
      this.#response.write(bytes.subarray(start, start + size));
      // One packet per piece.
      if (this.#pieceBytes !== undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Waits; an abort ends it early. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function record(event: unknown): string {
  const type = typeof event === 'object' && event !== null && 'type' in event ? String(event.type) : 'unknown';
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}
