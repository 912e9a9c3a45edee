import type { MessageParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { readUsage } from '../cost/usage.ts';
import type { LogEntry, MessageFinished } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { isCall, isServerCall } from '../session/toMessages.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { buildRequest } from './request.ts';
import { useOf } from './used.ts';

/** Growth since the last summary, as a share of the window, without which there is no other one. */
const LEAST_GROWTH = 0.1;

/** Turns whose summary failed: another attempt would cost as much and bring as little. */
const gaveUp = new WeakSet<TurnContext>();

/**
 * Summarises the conversation where the last answer says that it fills more of the model's window than the settings
 * allow. Never twice without growth, never through an open call. What goes wrong is logged, and the turn goes on.
 */
export async function compactWhenFull(context: TurnContext, model: KnownModel, signal: AbortSignal): Promise<void> {
  const window = model?.maxInputTokens;
  const share = context.config.compactAt;
  if (window == null || share === 0 || gaveUp.has(context)) return;
  const { first, last } = sizes(context.log.entries());
  if (last < (window * share) / 100 || last - first < window * LEAST_GROWTH) return;
  const problem = await compact(context, 'auto', signal);
  if (problem === undefined) return;
  gaveUp.add(context);
  context.logger.warn(`The conversation was not summarised: ${problem}`);
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
 * Asks the model for a summary of the conversation, in a request that has the same cached prefix, and records it: later
 * requests begin with it. The log keeps everything. Returns why there is none, in words. Rejects only when the log can't
 * be written.
 */
export async function compact(
  context: TurnContext,
  by: 'user' | 'auto',
  signal: AbortSignal,
): Promise<string | undefined> {
  const conversation = foldConversation(context.log.entries());
  const { epoch, pieces } = conversation;
  if (epoch === undefined || !pieces.some(({ kind }) => kind === 'answer'))
    return l10n.t('There is nothing to summarize yet.');
  if (isOpen(conversation)) return l10n.t('A call is still open: let Claude go on first.');
  context.phase(l10n.t('Summarizing the conversation'));
  const ask: MessageParam = { role: 'user', content: [{ type: 'text', text: INSTRUCTIONS }] };
  // Nobody looks at what the cache did for a summary.
  const { previousMessageId: _, ...request } = buildRequest(context.log.entries(), context.config.baseUrl);
  const parts: string[] = [];
  const outcome = await context.model.stream(
    {
      ...request,
      messages: [...request.messages, ask],
    },
    signal,
    (event) => {
      if (event.type === 'blockStop' && event.block.type === 'text') parts.push(event.block.text);
    },
  );
  if (outcome.kind === 'cancelled') return l10n.t('It was stopped.');
  if (outcome.kind === 'failed') return outcome.failure.message;
  const summary = parts.join('\n').trim();
  if (outcome.stopReason !== 'end_turn' || summary === '') return l10n.t('The model gave no whole summary.');
  const content = [...rulesOf(context.log.entries()), summaryBlock(summary, by === 'auto' ? lastWords(context) : '')];
  await record(context, { type: 'compacted', by, summary, content, ...useOf(context, outcome) });
  return undefined;
}

/** Claude waits for a result, or the server for the rest of the answer: nothing may come in between. */
function isOpen({ pieces, results }: ReturnType<typeof foldConversation>): boolean {
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

/** The rules files that hold go on to hold, word for word. */
function rulesOf(entries: readonly LogEntry[]): readonly TextBlockParam[] {
  const rules = new Map<string, TextBlockParam>();
  for (const entry of entries) {
    if (entry.type !== 'contextNoted') continue;
    for (const block of entry.content) {
      const name = /^<project-rules path="[^"]*">/.exec(block.text)?.[0];
      if (name !== undefined) rules.set(name, block);
    }
  }
  return [...rules.values()];
}

function summaryBlock(summary: string, said: string): TextBlockParam {
  const words = said === '' ? '' : `\n\nThe user's newest message, word for word; go on with it:\n\n${said}`;
  return {
    type: 'text',
    text: `This conversation was summarized to make room. What was said before is here, in your own words:\n\n${summary}${words}`,
  };
}

const INSTRUCTIONS = `Summarize this conversation so that you can go on with nothing but the summary. Write down, in this order: what the user wants, with their own words where the wording matters; decisions and constraints; what was done, with the paths of the files and what changed in them; what was tried and failed, with the messages of errors; the state now; the next steps. Keep names, paths, commands and numbers exact. Do not use tools, and write only the summary.`;
