import { MOST_READ, type FromPreview, type ToPreview } from '../../src/protocol/preview.ts';

/** The bytes of the file, piece by piece. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** Fewer bytes than asked for only at the end of the file. Rejects with what the host says. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

export interface HostSource {
  open(size: number): ByteSource;
  receive(message: Extract<ToPreview, { type: 'bytes' }>): void;
}

interface Waiting {
  readonly resolve: (bytes: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Asks the host for bytes, in pieces that it gives. */
export function createHostSource(post: (message: FromPreview) => void): HostSource {
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  const ask = (offset: number, length: number): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      waiting.set(id, { resolve, reject });
      post({ type: 'read', id, offset, length });
    });
  return {
    open: (size) => ({ size, read: (offset, length) => readAll(ask, offset, Math.min(length, size - offset)) }),
    receive({ id, bytes, failure }) {
      const asker = waiting.get(id);
      waiting.delete(id);
      if (bytes === undefined) asker?.reject(new Error(failure ?? ''));
      else asker?.resolve(new Uint8Array(bytes));
    },
  };
}

async function readAll(
  ask: (offset: number, length: number) => Promise<Uint8Array>,
  offset: number,
  length: number,
): Promise<Uint8Array> {
  if (length <= 0) return new Uint8Array();
  if (length <= MOST_READ) return ask(offset, length);
  const whole = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const piece = await ask(offset + at, Math.min(MOST_READ, length - at));
    if (piece.length === 0) return whole.slice(0, at);
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
