import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ItemChange, ItemRef } from '../entries.ts';
import { keyOf, originOf } from '../origin.ts';
import type { Ailment, Finding, Place } from './finding.ts';

/** What is to be done about findings. */
export interface Diagnosis {
  readonly repairs: readonly {
    readonly target: ItemRef;
    readonly change: ItemChange;
    readonly ailment: Ailment;
    readonly place: Place;
  }[];
  /** What only the user can decide on. */
  readonly asks: readonly { readonly target: ItemRef; readonly ailment: Ailment; readonly place: Place }[];
  /** A repair changes what Claude has answered to already. */
  readonly prefixChanged: boolean;
}

/** What Claude reads of an image that a tool brought and the API would not take. */
const LEFT_OUT =
  '[An image was left out here: it is too large, or of a kind that cannot be sent. Make it smaller first.]';

/**
 * Decides what is mended and what is asked. Whatever has a safe repair is mended; an image of a tool's result that was
 * not sent yet is left out, and Claude is told so. Findings about what is in no entry of the log are passed over: there
 * is nothing to mend, and the API has the last word.
 */
export function diagnose(messages: readonly MessageParam[], findings: readonly Finding[]): Diagnosis {
  const sent = messages.findLastIndex(({ role }) => role === 'assistant');
  const repairs: Diagnosis['repairs'][number][] = [];
  const asks: Diagnosis['asks'][number][] = [];
  const seen = new Set<string>();
  for (const { ailment, place, fix } of findings) {
    const target = refAt(messages, place);
    if (target === undefined || seen.has(keyOf(target))) continue;
    seen.add(keyOf(target));
    const isNewResult = place.inner !== undefined && place.message > sent;
    const change = fix ?? (isNewResult ? ({ kind: 'replace', text: LEFT_OUT } as const) : undefined);
    if (change === undefined) asks.push({ target, ailment, place });
    else repairs.push({ target, change, ailment, place });
  }
  return { repairs, asks, prefixChanged: repairs.some(({ place }) => place.message <= sent) };
}

/** Where the log has what stands at a place of the request. */
export function refAt(messages: readonly MessageParam[], place: Place): ItemRef | undefined {
  const block = blockAt(messages, place);
  return typeof block === 'object' && block !== null ? originOf(block) : undefined;
}

/** The block at a place; undefined when there is none. */
export function blockAt(messages: readonly MessageParam[], { message, block, inner }: Place): unknown {
  const content = messages[message]?.content;
  if (!Array.isArray(content)) return undefined;
  // A message that has only one block is meant by it.
  const outer: unknown = content[block ?? (content.length === 1 ? 0 : -1)];
  if (inner === undefined) return outer;
  const within = (outer as { readonly content?: unknown } | undefined)?.content;
  return Array.isArray(within) ? within[inner] : undefined;
}
