import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { factsOf, type ImageFact, type MessageFacts } from './facts.ts';
import type { Ailment, Finding, Place } from './finding.ts';
import type { Limits } from './limits.ts';
import { examinePairs } from './pairs.ts';
import { examineReferences } from './references.ts';

/** The parts of a request in which a conversation can go wrong. */
export interface Examined {
  readonly messages: readonly MessageParam[];
  readonly tools: readonly ToolUnion[];
}

/**
 * Everything in a request that the API would refuse, in the order of the request. Pure. Messages that were examined
 * before cost next to nothing. Not judged: what only the server knows (files, signatures), and who speaks last.
 */
export function examine({ messages, tools }: Examined, limits: Limits): readonly Finding[] {
  const facts = messages.map(factsOf);
  return [
    ...facts.flatMap(({ findings }, message) =>
      findings.map((finding) => ({ ...finding, place: { message, ...finding.place } })),
    ),
    ...examinePairs(messages, tools),
    ...examineReferences(messages, tools),
    ...examineImages(facts, limits),
    ...examineSize(facts, limits),
  ].sort((a, b) => a.place.message - b.place.message);
}

function examineImages(facts: readonly MessageFacts[], limits: Limits): readonly Finding[] {
  const images = facts.flatMap((fact, message) =>
    fact.images.map((image) => ({ ...image, place: { message, ...image.place } })),
  );
  const many = images.length > limits.manyImages;
  return images.flatMap((image, index): readonly Finding[] => {
    const ailment = ailmentOf(image, index, many, limits);
    return ailment === undefined ? [] : [{ ailment, place: image.place }];
  });
}

function ailmentOf(
  { chars, size, exact }: ImageFact,
  index: number,
  many: boolean,
  limits: Limits,
): Ailment | undefined {
  if (chars > limits.imageChars) return 'imageBytes';
  const most = Math.min(limits.side, many ? limits.manySide : limits.side, exact ? limits.exactSide : limits.side);
  if (size !== undefined && Math.max(size.width, size.height) > most) return 'imageSide';
  return index >= limits.images ? 'imageCount' : undefined;
}

/** The largest pieces, as many as have to go. */
function examineSize(facts: readonly MessageFacts[], limits: Limits): readonly Finding[] {
  let excess = facts.reduce((sum, { bytes }) => sum + bytes + 1, 2) - limits.requestBytes;
  if (excess <= 0) return [];
  const findings: Finding[] = [];
  const pieces = facts
    .flatMap((fact, message) => fact.pieces.map(({ place, bytes }) => ({ bytes, place: { message, ...place } })))
    .filter(({ place }, _, all) => !all.some((other) => isInside(other.place, place)))
    .sort((a, b) => b.bytes - a.bytes);
  for (const { place, bytes } of pieces) {
    if (excess <= 0) break;
    findings.push({ ailment: 'requestBytes', place });
    excess -= bytes;
  }
  return findings;
}

/** A tool result that holds large pieces is not one itself. */
function isInside(inner: Place, outer: Place): boolean {
  return (
    inner.message === outer.message &&
    inner.block === outer.block &&
    inner.inner !== undefined &&
    outer.inner === undefined
  );
}
