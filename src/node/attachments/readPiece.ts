import { open, type FileHandle } from 'node:fs/promises';

/** Bytes of a file from `offset` on: fewer than `length` only at its end. */
export async function readPiece(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled === length ? bytes : bytes.slice(0, filled);
}

/** The first `length` bytes of a file, or all of it where it is shorter. */
export async function beginningOf(path: string, length: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    return await readPiece(file, 0, length);
  } finally {
    await file.close();
  }
}
