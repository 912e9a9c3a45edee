import { crc32, deflateSync } from 'node:zlib';

/** A real picture of these sides: a gradient. `chunks` come before its end. */
export function png(width: number, height: number, ...chunks: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows.set([(x * 255) / width, (y * 255) / height, 120], at);
    }
  }
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  const [head, data, end] = [pngChunk('IHDR', header), pngChunk('IDAT', deflateSync(rows)), pngChunk('IEND')];
  return Buffer.concat([signature, head, ...chunks, data, end]);
}

export function pngChunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
