import type { FromWebview } from '../src/protocol/messages.ts';

/** Bytes that are handed to the host at a time. */
const PIECE_BYTES = 1024 * 1024;

/** Files from outside of the editor, which does not tell where they are: the host asks for them piece by piece. */
export interface Drops {
  take(files: Iterable<File>): void;
  give(id: string, at: number): Promise<void>;
}

export function createDrops(post: (message: FromWebview) => void): Drops {
  const held = new Map<string, File>();
  return {
    take(files) {
      const offered = Array.from(files, (file) => {
        const id = crypto.randomUUID();
        held.set(id, file);
        return { id, name: file.name, size: file.size };
      });
      post({ type: 'input/dropFiles', files: offered });
    },
    async give(id, at) {
      const file = held.get(id);
      const end = at + PIECE_BYTES;
      if (!file || end >= file.size) held.delete(id);
      // A folder can't be read, and a file may have gone meanwhile.
      const bytes = await file
        ?.slice(at, end)
        .arrayBuffer()
        .catch(() => undefined);
      post({ type: 'input/dropPiece', id, at, data: bytes ? new Uint8Array(bytes) : 'unreadable' });
    },
  };
}
