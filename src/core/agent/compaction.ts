import type { ContentBlockParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { readUsage } from '../cost/usage.ts';
import type { LogEntry, MessageFinished } from '../session/entries.ts';
import { foldConversation, type Conversation } from '../session/fold.ts';
import { isCall, isServerCall } from '../session/toMessages.ts';
import { apiSummary } from './apiSummary.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { mendConversation } from './doctor.ts';
import { ensureEpoch } from './epoch.ts';
import type { ChosenModel } from './prefix.ts';
import { summarize } from './ownSummary.ts';
import type { Unsummarized } from './summary.ts';
import { useOf } from './used.ts';

export type Compaction = { readonly kind: 'done' } | Unsummarized;

/** Growth since the last summary, as a share of the window, without which there is no other one. */
const LEAST_GROWTH = 0.1;

/** Turns whose summary failed: another attempt would cost as much and bring as little. */
const gaveUp = new WeakSet<TurnContext>();

/**
 * Summarises the conversation where it fills more of the model's window than the settings allow: by the last answer, and by
 * what was added since. Never twice without growth, never through an open call. What goes wrong is logged, and the turn goes
 * on; returns why it does not where the user stopped at a cap.
 */
export async function compactWhenFull(
  context: TurnContext,
  model: ChosenModel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const window = model.info?.maxInputTokens;
  const share = context.config.compactAt;
  if (window == null || share === 0 || gaveUp.has(context)) return undefined;
  const { first, last } = sizes(context.log.entries());
  const now = last + context.ledger().added;
  if (last === 0 || now < (window * share) / 100 || now - first < window * LEAST_GROWTH) return undefined;
  const result = await compact(context, { by: 'auto', model: model.info }, signal);
  // A summary in words does not carry over what messages changed of the tools.
  if (result.kind === 'done') await ensureEpoch(context, model);
  if (result.kind === 'stopped') return result.detail;
  if (result.kind !== 'failed') return undefined;
  gaveUp.add(context);
  context.logger.warn(`The conversation was not summarised: ${result.why}`);
  return undefined;
}

/** The size of the conversation, in tokens, after the newest answer and after the first one since the last summary. */
function sizes(entries: readonly LogEntry[]): { readonly first: number; readonly last: number } {
  const from = entries.findLastIndex((entry) => entry.type === 'compacted');
  const since = entries
    .slice(from + 1)
    .filter((entry): entry is MessageFinished => entry.type === 'messageFinished' && entry.usage !== undefined);
  const sizeOf = (entry: MessageFinished | undefined): number =>
    entry === undefined ? 0 : readUsage(entry.usage, entry.model).context;
  return { first: from < 0 ? 0 : sizeOf(since[0]), last: sizeOf(since.at(-1)) };
}

/**
 * Has the conversation summarised and records that: later requests begin with the summary, and what the user said after
 * Claude's last answer follows it word for word. The log keeps everything. Rejects only when the log can't be written.
 */
export async function compact(
  context: TurnContext,
  { by, model }: { readonly by: 'user' | 'auto'; readonly model: KnownModel },
  signal: AbortSignal,
): Promise<Compaction> {
  if (!canCompact(foldConversation(context.log.entries())))
    return { kind: 'failed', why: l10n.t('There is nothing to summarize yet.') };
  const unsendable = await mendConversation(context, model);
  if (unsendable !== undefined) return { kind: 'failed', why: unsendable.message, failure: unsendable };
  const conversation = foldConversation(context.log.entries());
  if (isOpen(conversation)) return { kind: 'failed', why: l10n.t('A call is still open: let Claude go on first.') };
  const kept = keptPieces(conversation);
  const summary =
    (await apiSummary(context, { model, kept: kept.length }, signal)) ??
    (await summarize(context, kept.length, signal));
  if (summary.kind !== 'summary') return summary;
  const words = kept.length === 0 && by === 'auto' ? [wordsBlock(lastWords(context))] : [];
  const content = [summaryBlock(summary.text), ...rulesOf(context.log.entries(), kept), ...words];
  await record(context, {
    ...{ type: 'compacted', by, summary: summary.text, content },
    ...(summary.signed === undefined ? {} : { signed: summary.signed }),
    ...(kept.length === 0 ? {} : { kept: kept.length }),
    ...useOf(context, summary.outcome),
  });
  return { kind: 'done' };
}

/** Whether there is anything to summarise. */
export function canCompact({ epoch, pieces }: Conversation): boolean {
  return epoch !== undefined && pieces.some(({ kind }) => kind === 'answer');
}

/** What the user said after the last answer. */
function keptPieces({ pieces }: Conversation): readonly (readonly ContentBlockParam[])[] {
  const from = pieces.findLastIndex(({ kind }) => kind === 'answer') + 1;
  return pieces.slice(from).map((piece) => (piece.kind === 'user' ? piece.content : []));
}

/** Claude waits for a result, or the server for the rest of the answer: nothing may come in between. */
function isOpen({ pieces, results }: Conversation): boolean {
  const last = pieces.at(-1);
  if (last?.kind !== 'answer') return false;
  const calls = last.blocks.filter(isCall);
  return (
    last.stopReason === 'pause_turn' ||
    calls.some(({ id }) => !results.has(id)) ||
    (calls.length > 0 && last.blocks.some(isServerCall))
  );
}

/** What the user said last: the turn that goes on is about it. */
function lastWords({ log }: TurnContext): string {
  const said = log.entries().findLast((entry) => entry.type === 'userMessage');
  return said?.type === 'userMessage' ? said.text : '';
}

/** The rules files that hold go on to hold, word for word: those that are not in what is kept anyway. */
function rulesOf(
  entries: readonly LogEntry[],
  kept: readonly (readonly ContentBlockParam[])[],
): readonly TextBlockParam[] {
  const rules = new Map<string, TextBlockParam>();
  for (const entry of entries) {
    if (entry.type !== 'contextNoted') continue;
    for (const block of entry.content) {
      const name = /^<project-rules path="[^"]*">/.exec(block.text)?.[0];
      if (name !== undefined) rules.set(name, block);
    }
  }
  const there = new Set(kept.flat().map((block) => (block.type === 'text' ? block.text : '')));
  return [...rules.values()].filter(({ text }) => !there.has(text));
}

function summaryBlock(summary: string): TextBlockParam {
  return {
    type: 'text',
    text: `This conversation was summarized to make room. What was said before is here, in your own words:\n\n${summary}`,
  };
}

function wordsBlock(said: string): TextBlockParam {
  return { type: 'text', text: `The user's newest message, word for word; go on with it:\n\n${said}` };
}
