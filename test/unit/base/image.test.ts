import assert from 'node:assert/strict';
import fc from 'fast-check';
import { imageSize, imageType, isSafeToDecode } from '../../../src/core/base/image.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const u32 = (n: number): number[] => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const u16 = (n: number): number[] => [(n >>> 8) & 255, n & 255];
const le16 = (n: number): number[] => u16(n).reverse();
const le24 = (n: number): number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255];

const png = (w: number, h: number): Uint8Array =>
  bytes('\x89PNG\r\n\x1a\n', u32(13), 'IHDR', u32(w), u32(h), [8, 6, 0, 0, 0]);
const gif = (w: number, h: number): Uint8Array => bytes('GIF89a', le16(w), le16(h), [0, 0, 0]);
const jpeg = (w: number, h: number, before = 0): Uint8Array =>
  bytes(
    [0xff, 0xd8, 0xff, 0xe0],
    u16(before + 2),
    Array<number>(before).fill(0xff),
    [0xff, 0xff, 0xc2],
    u16(17),
    [8],
    u16(h),
    u16(w),
    [3],
  );
const lossy = (w: number, h: number): Uint8Array =>
  bytes('RIFF', u32(0), 'WEBPVP8 ', u32(0), [0, 0, 0, 0x9d, 0x01, 0x2a], le16(w), le16(h));
const lossless = (w: number, h: number): Uint8Array => {
  const bits = ((h - 1) << 14) | (w - 1);
  return bytes('RIFF', u32(0), 'WEBPVP8L', u32(0), [0x2f], u32(bits).reverse());
};
const extended = (w: number, h: number): Uint8Array =>
  bytes('RIFF', u32(0), 'WEBPVP8X', u32(10), u32(0), le24(w - 1), le24(h - 1));

const formats: readonly (readonly [string, (w: number, h: number) => Uint8Array, number])[] = [
  ['image/png', png, 100_000],
  ['image/gif', gif, 65_535],
  ['image/jpeg', jpeg, 65_535],
  ['image/webp', lossy, 16_383],
  ['image/webp', lossless, 16_384],
  ['image/webp', extended, 100_000],
];

suite('image sniffing', () => {
  for (const [type, make, most] of formats) {
    test(`${make.name} is ${type}, with its dimensions`, () => {
      assert.equal(imageType(make(3, 5)), type);
      for (const [width, height] of [
        [1, 1],
        [640, 480],
        [most, 2],
        [2, most],
      ] as const) {
        assert.deepEqual(imageSize(make(width, height)), { width, height });
      }
    });
  }

  test('what is not one of the safe formats is none, whatever it is called', () => {
    for (const text of [
      '',
      '<svg/>',
      '<html>',
      '%PDF-1.7',
      'BM',
      'GIF8',
      'RIFFxxxxWAVE',
      'RIFF',
      '\x89PNG',
      'PK\x03\x04',
    ]) {
      assert.equal(imageType(bytes(text)), null, text);
      assert.equal(imageSize(bytes(text)), undefined);
      assert.equal(isSafeToDecode(bytes(text)), false);
    }
  });

  test('an image of more than 25 megapixels, with an absurd side, or without dimensions is not decoded', () => {
    assert.equal(isSafeToDecode(png(5000, 5000)), true);
    for (const [w, h] of [
      [5001, 5000],
      [1, 100_000],
      [10_000, 10_000],
      [0, 10],
      [2 ** 31, 2 ** 31],
    ] as const) {
      assert.equal(isSafeToDecode(png(w, h)), false, `${w} × ${h}`);
    }
    assert.equal(isSafeToDecode(png(10, 10).subarray(0, 20)), false, 'cut off');
  });

  test('a JPEG’s metadata is skipped, and one whose frame is not in the head has no dimensions', () => {
    assert.deepEqual(imageSize(jpeg(7, 9, 60_000)), { width: 7, height: 9 });
    assert.equal(imageSize(jpeg(7, 9, 60_000).subarray(0, 1000)), undefined);
  });

  test('never throws and never loops, whatever the bytes', () => {
    const start = fc.constantFrom(png(1, 1), gif(1, 1), jpeg(1, 1), lossy(1, 1), lossless(1, 1), extended(1, 1));
    fc.assert(
      fc.property(start, fc.nat(30), fc.uint8Array({ maxLength: 100 }), (head, keep, rest) => {
        const found = imageSize(bytes([...head.subarray(0, keep)], [...rest]));
        assert.ok(!found || (found.width > 0 && found.height > 0));
      }),
      { numRuns: 3000 },
    );
  });
});
