import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { asArray, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { messagesOf } from './context.ts';
import type { CheckContext } from './context.ts';

interface Picture {
  readonly path: string;
  readonly block: Json;
  /** Pixels of the longer side; undefined for one that is not in the request itself. */
  readonly side: number | undefined;
}

const mostBase64 = 5 * 1024 * 1024;
const longestSide = 8000;
const many = 20;
const longestSideOfMany = 2000;

/** Images as the API looks at them: what the bytes are, how large, how long their sides, how many. */
export function checkImages(context: CheckContext): ApiProblem | null {
  const pictures: Picture[] = [];
  for (const { path, block } of imagesOf(context.body)) {
    const source = isObject(block['source']) ? block['source'] : {};
    if (source['type'] !== 'base64') {
      pictures.push({ path, block, side: undefined });
      continue;
    }
    const problem = checkData(source, `${path}.image.source.base64`);
    if (problem) return problem;
    const sides = sidesOf(Buffer.from(stringOf(source['data']), 'base64'));
    pictures.push({ path, block, side: sides && Math.max(...sides) });
  }
  const most = smallWindow(context) ? 100 : 600;
  if (pictures.length > most) {
    return invalid(`messages: too many images and document pages: ${pictures.length} > ${most}`);
  }
  return checkSides(pictures, context);
}

function checkSides(pictures: readonly Picture[], context: CheckContext): ApiProblem | null {
  const limit = pictures.length > many ? longestSideOfMany : longestSide;
  const tooLong = pictures.filter(({ side = 0 }) => side > limit);
  if (tooLong.length > 0) return refuse(tooLong, limit);
  const exact = smallWindow(context) ? 1568 : 2576;
  const asked = pictures.filter(({ block, side = 0 }) => asksForExact(block) && side > exact);
  return asked.length > 0 ? refuse(asked, exact) : null;
}

function refuse(pictures: readonly Picture[], limit: number): ApiProblem {
  return invalid(`${pictures[0]?.path}.image: image dimensions exceed max allowed size: ${limit} pixels`, {
    error_code: 'image_dimensions_too_large',
    max_side_length_pixels: limit,
    paths: pictures.map(({ path }) => path),
  });
}

function asksForExact(block: Json): boolean {
  return isObject(block['transformations']) && block['transformations']['oversized_image'] === 'error';
}

function smallWindow({ model }: CheckContext): boolean {
  return (model.info.max_input_tokens ?? Infinity) <= 200_000;
}

function checkData(source: Json, path: string): ApiProblem | null {
  const data = stringOf(source['data']);
  if (data.length > mostBase64) {
    return invalid(`${path}: image exceeds 5 MB maximum: ${data.length} bytes > ${mostBase64} bytes`);
  }
  const said = stringOf(source['media_type']);
  const real = kindOf(Buffer.from(data.slice(0, 64), 'base64'));
  if (real === undefined) return invalid(`${path}.data: Could not process image`);
  if (said === `image/${real}`) return null;
  return invalid(`${path}.data: Image does not match the provided media type ${said}, but appears to be image/${real}`);
}

function imagesOf(body: Json): readonly { readonly path: string; readonly block: Json }[] {
  return messagesOf(body).flatMap(({ index, blocks }) =>
    blocks.flatMap((block, at) => {
      const path = `messages.${index}.content.${at}`;
      if (block['type'] === 'image') return [{ path, block }];
      if (block['type'] !== 'tool_result') return [];
      return asArray(block['content']).flatMap((inner, position) =>
        isObject(inner) && inner['type'] === 'image'
          ? [{ path: `${path}.tool_result.content.${position}`, block: inner }]
          : [],
      );
    }),
  );
}

function kindOf(data: Buffer): 'png' | 'jpeg' | 'gif' | 'webp' | undefined {
  if (data.length < 12) return undefined;
  if (data.readUInt32BE(0) === 0x89504e47 && data.readUInt32BE(4) === 0x0d0a1a0a) return 'png';
  if (data.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'jpeg';
  const text = data.toString('latin1', 0, 12);
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  return text.startsWith('RIFF') && text.endsWith('WEBP') ? 'webp' : undefined;
}

/** Width and height from the head of the file; undefined when it has none. */
function sidesOf(data: Buffer): readonly [number, number] | undefined {
  try {
    switch (kindOf(data)) {
      case 'png':
        return [data.readUInt32BE(16), data.readUInt32BE(20)];
      case 'gif':
        return [data.readUInt16LE(6), data.readUInt16LE(8)];
      case 'jpeg':
        return jpegSides(data);
      case 'webp':
        return webpSides(data);
      case undefined:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

function jpegSides(data: Buffer): readonly [number, number] | undefined {
  for (let at = 2; at + 9 < data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return [data.readUInt16BE(at + 7), data.readUInt16BE(at + 5)];
    }
  }
  return undefined;
}

function webpSides(data: Buffer): readonly [number, number] | undefined {
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1];
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    case 'VP8 ':
      return [data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff];
    default:
      return undefined;
  }
}
