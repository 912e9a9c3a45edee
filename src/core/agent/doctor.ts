import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import type { ApiFailure, FailedItem } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import { diagnose, refAt, type Diagnosis } from '../session/doctor/diagnose.ts';
import { examine } from '../session/doctor/examine.ts';
import { describeAilment, type Ailment } from '../session/doctor/finding.ts';
import { limitsFor } from '../session/doctor/limits.ts';
import { nameItem, placeOfPath } from '../session/doctor/nameItem.ts';
import type { ItemRef, LogEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { keyOf } from '../session/origin.ts';
import { projectMessages } from '../session/toMessages.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { startDropping } from './epoch.ts';

/** A repair can bring up what it hid; more rounds than this would mean that repairs do not help. */
const MOST_ROUNDS = 8;
/**
 * Before a send: mends what the API would refuse in the log's projection, and records what was mended. Returns the
 * failure that names what only the user can decide on, or undefined when the request can go. Throws when the log can't be
 * written.
 */
export async function mendConversation(context: TurnContext, model: KnownModel): Promise<ApiFailure | undefined> {
  await closeGaps(context);
  const limits = limitsFor(model?.maxInputTokens);
  const done = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const conversation = foldConversation(context.log.entries());
    const messages = projectMessages(conversation);
    const findings = examine({ messages, tools: conversation.tools }, limits);
    if (findings.length === 0) return undefined;
    const diagnosis = diagnose(messages, findings);
    const repairs = diagnosis.repairs.filter(({ target, ailment }) => !done.has(`${keyOf(target)} ${ailment}`));
    if (repairs.length === 0) return askFor(context, messages, diagnosis);
    repairs.forEach(({ target, ailment }) => done.add(`${keyOf(target)} ${ailment}`));
    await mend(context, messages, { ...diagnosis, repairs });
  }
  return undefined;
}

async function mend(context: TurnContext, messages: readonly MessageParam[], diagnosis: Diagnosis): Promise<void> {
  const { repairs, prefixChanged } = diagnosis;
  const entries = context.log.entries();
  const named = repairs.map(({ target, ailment, place }) =>
    l10n.t('{0}: {1}', nameItem(entries, messages, { target, place }), describeAilment(ailment)),
  );
  const shown = named.slice(0, 3).join('; ');
  const note =
    named.length > 3
      ? l10n.t('Mended before sending: {0}; and {1} more', shown, named.length - 3)
      : l10n.t('Mended before sending: {0}', shown);
  const changes = repairs.map(({ target, change }) => ({ target, change }));
  await record(context, { type: 'repaired', repairs: changes, note, prefixChanged });
  if (prefixChanged) await startOver(context);
}

/** After entries that are gone or out of order, thinking is bound to a conversation that is no more. */
async function closeGaps(context: TurnContext): Promise<void> {
  const { torn, pieces, epochs } = foldConversation(context.log.entries());
  const thinks = pieces.some(
    (piece) =>
      piece.kind === 'answer' && piece.epoch === epochs && piece.blocks.some(({ type }) => type.endsWith('thinking')),
  );
  if (!torn || !thinks) return;
  const note = l10n.t('Parts of the session file are missing: Claude gets what is left of the conversation.');
  await record(context, { type: 'repaired', repairs: [], note, prefixChanged: true });
  await startOver(context);
}

/** What was thought before the change is bound to another prefix. */
export async function startOver(context: TurnContext): Promise<void> {
  const { epoch } = foldConversation(context.log.entries());
  if (epoch !== undefined) await startDropping(context, epoch, 'repair');
}

function askFor(context: TurnContext, messages: readonly MessageParam[], { asks }: Diagnosis): ApiFailure | undefined {
  if (asks.length === 0) return undefined;
  const entries = context.log.entries();
  const items = asks.map(({ target, ailment, place }) => ({
    ...{ ...target, name: nameItem(entries, messages, { target, place }) },
    ailment,
  }));
  const message = items.map(({ name, ailment }) => explain(name, ailment)).join('\n');
  return { kind: 'item', message, items: items.map(({ ailment: _, ...item }) => item) };
}

function explain(name: string, ailment: Ailment): string {
  return l10n.t('{0}: {1}', name, describeAilment(ailment));
}

/** A refusal of the API that names items of the request, with the items of the log that they are. */
export function withItems(context: TurnContext, request: ModelRequest, failure: ApiFailure): ApiFailure {
  if (failure.kind !== 'invalid-request') return failure;
  const entries = context.log.entries();
  const items = new Map<string, FailedItem>();
  for (const path of [...(failure.paths ?? []), failure.message]) {
    const place = placeOfPath(path);
    const target = place === undefined ? undefined : refAt(request.messages, place);
    if (place === undefined || target === undefined) continue;
    items.set(keyOf(target), { ...target, name: nameItem(entries, request.messages, { target, place }) });
  }
  return items.size === 0 ? failure : { ...failure, items: [...items.values()] };
}

/**
 * Takes the items out that the card of a failed turn names: `noticeId` is the card's row. False when there is no such card,
 * or nothing on it. Throws when the log can't be written.
 */
export async function removeItems(context: TurnContext, noticeId: string): Promise<boolean> {
  const failed = context.log.entries().findLast((entry) => `n:${entry.id}` === noticeId);
  const items = failed?.type === 'turnEnded' ? (failed.failure?.items ?? []) : [];
  if (items.length === 0) return false;
  const prefixChanged = prefixChangesWith(context.log.entries(), items);
  for (const { name, ...target } of items) await record(context, { type: 'itemRemoved', target, name, prefixChanged });
  if (prefixChanged) await startOver(context);
  return true;
}

/** Whether an answer came after one of the items: then what is sent of the conversation changes under it. */
export function prefixChangesWith(entries: readonly LogEntry[], items: readonly ItemRef[]): boolean {
  const first = entries.findIndex(({ id }) => items.some(({ entry }) => entry === id));
  return first >= 0 && entries.slice(first).some(({ type }) => type === 'messageFinished');
}
