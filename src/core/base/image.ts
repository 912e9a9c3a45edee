export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Bytes from the start of a file that are enough to tell its type. */
export const SNIFF_BYTES = 16;

/** The safe image formats, by their first bytes. The name and the declared type of a file say nothing. */
export function imageType(head: Uint8Array): ImageType | null {
  if (starts(head, 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (starts(head, 0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  const text = String.fromCharCode(...head.subarray(0, 12));
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  return /^RIFF[^]{4}WEBP/.test(text) ? 'image/webp' : null;
}

/** Width and height as the file's head says them; undefined when it is no image of those formats or says none. */
export function imageSize(head: Uint8Array): ImageSize | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  try {
    switch (imageType(head)) {
      case 'image/png':
        return starts(head, 12, 0x49, 0x48, 0x44, 0x52) ? size(view.getUint32(16), view.getUint32(20)) : undefined;
      case 'image/gif':
        return size(view.getUint16(6, true), view.getUint16(8, true));
      case 'image/jpeg':
        return jpegSize(view);
      case 'image/webp':
        return webpSize(view);
      case null:
        return undefined;
    }
  } catch {
    return undefined; // cut off
  }
}

const mostPixels = 25_000_000;
const longestSide = 16_384;

/** Whether it may be decoded for a thumbnail: the dimensions are known, at most 25 megapixels, and no side is absurd. */
export function isSafeToDecode(head: Uint8Array): boolean {
  const found = imageSize(head);
  if (!found) return false;
  return found.width * found.height <= mostPixels && Math.max(found.width, found.height) <= longestSide;
}

/** Walks the segments to the frame header, which is the only one that has the size. */
function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  while (view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1; // fill byte
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return size(view.getUint16(at + 7), view.getUint16(at + 5));
    if (marker === 0xda || marker === 0xd9) return undefined; // the picture began, or ended
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint32(12)) {
    case 0x56503858: // 'VP8X'
      return size(1 + uint24(view, 24), 1 + uint24(view, 27));
    case 0x5650384c: {
      // 'VP8L'
      const bits = view.getUint32(21, true);
      return view.getUint8(20) === 0x2f ? size(1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)) : undefined;
    }
    case 0x56503820: // 'VP8 '
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    default:
      return undefined;
  }
}

function size(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function starts(head: Uint8Array, at: number, ...bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => head[at + i] === byte);
}
