import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { base64Head } from '../../base/base64.ts';
import { imageSize, imageType, type ImageSize } from '../../base/image.ts';
import { isObject, stringAt } from '../../base/json.ts';
import { jsonLength } from '../../base/text.ts';
import { isWellFormed } from '../blocks.ts';
import { examineBlock, type Spot } from './blocks.ts';
import { UNREADABLE_ITEM, type Finding, type Place } from './finding.ts';

/** What is known of one message whatever stands around it. A message is looked at once in its life. */
export interface MessageFacts {
  /** UTF-8 bytes of its JSON. */
  readonly bytes: number;
  readonly images: readonly ImageFact[];
  /** The largest pieces of it, for a request that is too large. */
  readonly pieces: readonly { readonly place: InMessage; readonly bytes: number }[];
  readonly findings: readonly (Omit<Finding, 'place'> & { readonly place: InMessage })[];
}

export type InMessage = Omit<Place, 'message'>;

export interface ImageFact {
  readonly place: InMessage;
  /** Characters of its base64 data; 0 for one that is sent by reference. */
  readonly chars: number;
  readonly size: ImageSize | undefined;
  /** It asks the API not to make it smaller. */
  readonly exact: boolean;
}

/** Enough of a file for the head of every format; of a JPEG, whose size may stand behind metadata, what is usual. */
const HEAD_BYTES = 256 * 1024;
/** Smaller pieces are not worth naming. Bytes. */
const LARGE_PIECE = 64 * 1024;

const known = new WeakMap<MessageParam, MessageFacts>();

/** The facts of a message; messages are never changed, so they hold for as long as it is sent. */
export function factsOf(message: MessageParam): MessageFacts {
  const found = known.get(message) ?? gather(message);
  known.set(message, found);
  return found;
}

interface Gathering {
  readonly images: ImageFact[];
  readonly pieces: { place: InMessage; bytes: number }[];
  readonly findings: (Omit<Finding, 'place'> & { place: InMessage })[];
}

function gather({ role, content }: MessageParam): MessageFacts {
  const into: Gathering = { images: [], pieces: [], findings: [] };
  const blocks: readonly unknown[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const spot = role === 'assistant' ? 'assistant' : 'user';
  blocks.forEach((block, index) => lookAt(into, block, { block: index }, spot));
  if (blocks.length === 0) into.findings.push({ ailment: 'shape', place: {} });
  return { ...into, bytes: bytesOf({ role, content }) };
}

function lookAt(into: Gathering, block: unknown, place: InMessage, spot: Spot): void {
  const bytes = bytesOf(block);
  if (bytes >= LARGE_PIECE) into.pieces.push({ place, bytes });
  const ill = examineBlock(block, spot);
  if (ill !== undefined) into.findings.push({ ...ill, place });
  else if (!isWellFormed(block)) into.findings.push({ ailment: 'encoding', place, ...dropFor(spot) });
  if (!isObject(block) || ill !== undefined) return;
  if (block['type'] === 'image') lookAtImage(into, block, place);
  if (block['type'] === 'tool_result') lookInside(into, block, place);
}

function dropFor(spot: Spot): Pick<Finding, 'fix'> {
  return { fix: spot === 'assistant' ? { kind: 'drop' } : { kind: 'replace', text: UNREADABLE_ITEM } };
}

function lookInside(into: Gathering, result: Readonly<Record<string, unknown>>, place: InMessage): void {
  const { content } = result;
  if (Array.isArray(content)) {
    content.forEach((block: unknown, inner) => lookAt(into, block, { ...place, inner }, 'result'));
  } else if (content !== undefined && typeof content !== 'string') {
    into.findings.push({ ailment: 'shape', place, ...dropFor('result') });
  }
  if (result['is_error'] !== true) return;
  const texts = Array.isArray(content) ? content : [content];
  const onlyText = texts.every((item: unknown) => typeof item === 'string' || stringAt(item, 'type') === 'text');
  if (texts.length === 0 || content === '' || !onlyText)
    into.findings.push({ ailment: 'errorResult', place, fix: { kind: 'replace', text: 'Error' } });
}

function lookAtImage(into: Gathering, block: Readonly<Record<string, unknown>>, place: InMessage): void {
  const source = block['source'];
  const data = stringAt(source, 'type') === 'base64' ? (stringAt(source, 'data') ?? '') : '';
  const exact = stringAt(block['transformations'], 'oversized_image') === 'error';
  if (data === '') {
    into.images.push({ place, chars: 0, size: undefined, exact });
    return;
  }
  const head = base64Head(data, HEAD_BYTES);
  const type = imageType(head);
  into.images.push({ place, chars: data.length, size: imageSize(head), exact });
  if (type === null) into.findings.push({ ailment: 'notAnImage', place });
  else if (type !== stringAt(source, 'media_type'))
    into.findings.push({ ailment: 'mediaType', place, fix: { kind: 'mediaType', mediaType: type } });
}

/** Bytes of a value's JSON. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return jsonLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOf(item) + 1, 2);
  if (!isObject(value)) return String(value).length;
  return Object.entries(value).reduce((sum, [key, held]) => sum + jsonLength(key) + bytesOf(held) + 2, 2);
}
