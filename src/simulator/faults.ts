/** What can go wrong on purpose. Positions count stream events that were sent before it happens. */
export type Fault =
  /** An error answer in place of the response. `html` answers as an edge proxy does, without JSON. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly type?: string;
      readonly message?: string;
      readonly errorCode?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly html?: boolean;
    }
  /** Nothing more is sent, the connection stays open. Without a position not even headers come. */
  | { readonly kind: 'stall'; readonly afterEvents?: number }
  /** The connection breaks. */
  | { readonly kind: 'cut'; readonly afterEvents: number }
  /** The stream ends cleanly, without the rest. */
  | { readonly kind: 'end'; readonly afterEvents: number }
  /** `event: error`, then the end. */
  | { readonly kind: 'error'; readonly afterEvents: number; readonly type: string; readonly message?: string }
  /** Something is put between the events: an event object, or raw text of the wire. */
  | { readonly kind: 'insert'; readonly afterEvents: number; readonly event?: unknown; readonly raw?: string }
  /** The event at this place, unless it is a delta, is never sent, as if it had been lost. */
  | { readonly kind: 'drop'; readonly afterEvents: number }
  /** The event at this place, unless it is a delta, is sent twice. */
  | { readonly kind: 'repeat'; readonly afterEvents: number }
  /** Another body with status 200 in place of the answer, as a gateway or a captive portal sends it. */
  | { readonly kind: 'body'; readonly contentType: string; readonly text: string }
  /** The bytes arrive in pieces of this size, through characters and lines. */
  | { readonly kind: 'fragment'; readonly bytes: number }
  /** The answer comes late. */
  | { readonly kind: 'delay'; readonly ms: number };

export type FaultTarget = 'messages' | 'count_tokens' | 'models' | 'files' | 'content' | 'skills' | 'batches';

/** Queue of faults for whole requests, beside those that a scenario's reply names. */
export interface FaultQueue {
  /** The next `times` (1) requests to `target` (`messages`) fail so. Faults of one target are used up in order. */
  add(fault: Fault, options?: { readonly target?: FaultTarget; readonly times?: number }): void;
  clear(): void;
}

export class Faults implements FaultQueue {
  #queue: { readonly fault: Fault; readonly target: FaultTarget; left: number }[] = [];

  add(fault: Fault, options: { readonly target?: FaultTarget; readonly times?: number } = {}): void {
    this.#queue.push({ fault, target: options.target ?? 'messages', left: options.times ?? 1 });
  }

  clear(): void {
    this.#queue = [];
  }

  /** The fault of this request, used up by it. */
  take(target: FaultTarget): Fault | undefined {
    const entry = this.#queue.find((item) => item.target === target);
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#queue.splice(this.#queue.indexOf(entry), 1);
    return entry.fault;
  }
}
