import * as l10n from '@vscode/l10n';
import { UserError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { DroppedFile, PieceOfFile } from '../../protocol/inputs.ts';

/** A view that was closed, or that hangs, must not keep a reader waiting. Milliseconds. */
const LONGEST_WAIT_MS = 20_000;

export interface DroppedFiles {
  /** The bytes, in order. Throws `UserError` when the view can't read the file, or does not answer. */
  read(file: DroppedFile): AsyncIterable<Uint8Array>;
  /** What the view answered. What nobody waits for is dropped. */
  piece(id: string, at: number, data: PieceOfFile): void;
}

/** Files whose bytes only the view has. One piece is on its way at a time, so that nothing piles up on either side. */
export function createDroppedFiles(ask: (id: string, at: number) => void, clock: Pick<Clock, 'timer'>): DroppedFiles {
  const waiting = new Map<string, (data: PieceOfFile | undefined) => void>();
  const next = (id: string, at: number): Promise<PieceOfFile | undefined> =>
    new Promise((resolve) => {
      const key = keyOf(id, at);
      const settle = (data: PieceOfFile | undefined): void => {
        waiting.delete(key);
        deadline.dispose();
        resolve(data);
      };
      const deadline = clock.timer(LONGEST_WAIT_MS, () => settle(undefined));
      waiting.set(key, settle);
      ask(id, at);
    });
  return {
    async *read({ id, name, size }) {
      for (let at = 0; at < size;) {
        const data = await next(id, at);
        if (data === undefined) throw new UserError(l10n.t('{0} was not taken: the view was closed.', name));
        if (data === 'unreadable')
          throw new UserError(l10n.t('{0} can’t be read. Of a folder, attach the files in it, or a ZIP.', name));
        at += data.byteLength;
        if (data.byteLength === 0 || at > size)
          throw new UserError(l10n.t('{0} changed while it was read. Nothing of it was kept; attach it again.', name));
        yield data;
      }
    },
    piece: (id, at, data) => waiting.get(keyOf(id, at))?.(data),
  };
}

function keyOf(id: string, at: number): string {
  return `${String(at)} ${id}`;
}
