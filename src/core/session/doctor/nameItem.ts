import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../../base/json.ts';
import type { ItemRef, LogEntry } from '../entries.ts';
import { blockAt } from './diagnose.ts';
import type { Place } from './finding.ts';

/** How an item is called in front of the user, such as "the image of 6.2 MB in your third message". */
export function nameItem(
  entries: readonly LogEntry[],
  messages: readonly MessageParam[],
  { target, place }: { readonly target: ItemRef; readonly place: Place },
): string {
  const what = whatIs(blockAt(messages, place));
  const entry = entries.find(({ id }) => id === target.entry);
  switch (entry?.type) {
    case 'userMessage':
      return l10n.t('{0} in your message {1} (“{2}”)', what, countTo(entries, target.entry), beginning(entry.text));
    case 'inputsSent':
      return l10n.t('{0} that was sent to the container again', what);
    case 'toolFinished':
      return l10n.t('{0} in the result of “{1}”', what, entry.title);
    case 'contextNoted':
      return l10n.t('{0} about your editor', what);
    case 'compacted':
      return l10n.t('{0} of the summary', what);
    default:
      return l10n.t('{0} in an answer of Claude', what);
  }
}

/** The place in a request that the API's text names, such as `messages.3.content.1.image.source`. */
export function placeOfPath(path: string): Place | undefined {
  const found = /\bmessages\.(\d+)(?:\.content\.(\d+)(?:(?:\.tool_result)?\.content\.(\d+))?)?/.exec(path);
  if (found === null) return undefined;
  const [, message, block, inner] = found;
  return {
    message: Number(message),
    ...(block === undefined ? {} : { block: Number(block) }),
    ...(inner === undefined ? {} : { inner: Number(inner) }),
  };
}

function whatIs(block: unknown): string {
  const type = stringAt(block, 'type') ?? '';
  const source = isObject(block) ? block['source'] : undefined;
  const size = megabytes(stringAt(source, 'data'));
  switch (type) {
    case 'image':
      return size === undefined ? l10n.t('the image') : l10n.t('the image of {0} MB', size);
    case 'document': {
      const title = stringAt(block, 'title');
      return title === undefined ? l10n.t('the document') : l10n.t('the document {0}', title);
    }
    case 'container_upload':
      return l10n.t('the file for the container');
    case 'text':
      return l10n.t('the text');
    case 'tool_use':
    case 'server_tool_use':
      return l10n.t('the call of {0}', stringAt(block, 'name') ?? '?');
    case 'tool_result':
      return l10n.t('the text');
    case 'thinking':
    case 'redacted_thinking':
      return l10n.t('the thinking');
    default:
      return l10n.t('the item “{0}”', type);
  }
}

/** Of base64 data, with one decimal. */
function megabytes(data: string | undefined): string | undefined {
  return data === undefined ? undefined : ((data.length * 3) / 4 / 1_000_000).toFixed(1);
}

/** Which of the user's messages it is, from 1. */
function countTo(entries: readonly LogEntry[], id: string): number {
  const messages = entries.filter(({ type }) => type === 'userMessage');
  return messages.findIndex((entry) => entry.id === id) + 1;
}

function beginning(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > 40 ? `${line.slice(0, 39).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}
