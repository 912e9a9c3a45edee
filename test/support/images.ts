import type { ImageBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';

export type ImageKind = 'png' | 'jpeg' | 'gif' | 'webp';

/** The head of an image of these sides, as much of it as tells kind and size, and zeros up to `bytes`. */
export function imageBytes(kind: ImageKind, width: number, height: number, bytes = 64): Buffer {
  const data = Buffer.alloc(Math.max(bytes, 64));
  switch (kind) {
    case 'png':
      Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(data);
      data.writeUInt32BE(width, 16);
      data.writeUInt32BE(height, 20);
      break;
    case 'jpeg':
      Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108', 'hex').copy(data);
      data.writeUInt16BE(height, 25);
      data.writeUInt16BE(width, 27);
      break;
    case 'gif':
      data.write('GIF89a', 'latin1');
      data.writeUInt16LE(width, 6);
      data.writeUInt16LE(height, 8);
      break;
    case 'webp':
      data.write('RIFF\0\0\0\0WEBPVP8X', 'latin1');
      data.writeUIntLE(width - 1, 24, 3);
      data.writeUIntLE(height - 1, 27, 3);
      break;
  }
  return data;
}

export interface ImageOptions {
  readonly kind?: ImageKind;
  readonly width?: number;
  readonly height?: number;
  readonly bytes?: number;
  /** What it says to be; its kind by default. */
  readonly says?: ImageKind;
}

/** An image block of a user message or a tool result. */
export function image(options: ImageOptions = {}): ImageBlockParam {
  const { kind = 'png', width = 10, height = 10, bytes } = options;
  const data = imageBytes(kind, width, height, bytes).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: `image/${options.says ?? kind}`, data } };
}
