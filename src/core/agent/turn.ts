import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../base/json.ts';
import { ApiError, CancelledError, type ApiFailure } from '../errors.ts';
import type { TurnEnded, TurnOutcome } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { isSummary, isThinking } from '../session/toMessages.ts';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { callsOf, requestAnswer, type Answer, type FinishedBlock } from './answer.ts';
import { compactWhenFull } from './compaction.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { fetchFile, filesIn } from './downloads.ts';
import { chooseModel, ensureEpoch } from './epoch.ts';
import type { ChosenModel } from './prefix.ts';
import { findMisfit } from './fit.ts';
import { createRunawayGuard, MAX_ROUNDS } from './guards.ts';
import { classifyStop } from './stopReason.ts';
import { runCalls, type Call } from './toolCalls.ts';

/** `pause_turn` continuations in a row. */
const MAX_RESUMES = 20;

interface End {
  readonly outcome: TurnOutcome;
  readonly failure?: ApiFailure;
  readonly detail?: string;
  readonly overflow?: boolean;
}

/**
 * Runs one turn to its end: request, answer, tools, results, again. The user message is in the log already. Always
 * records `turnEnded` and returns it; rejects only when the log can't be written.
 */
export async function runTurn(context: TurnContext, signal: AbortSignal): Promise<TurnEnded> {
  const turnId = context.ids.random();
  const downloads = createDownloads(context, signal);
  await record(context, { type: 'turnStarted', turnId });
  let end: End;
  try {
    end = await prepareAndLoop(context, downloads, signal);
  } catch (error) {
    if (signal.aborted || error instanceof CancelledError) end = { outcome: 'cancelled' };
    else if (error instanceof ApiError) end = { outcome: 'failed', failure: error.failure };
    else throw error;
  }
  if (downloads.pending > 0) context.phase(l10n.t('Fetching files'));
  await downloads.settled();
  return (await record(context, { type: 'turnEnded', turnId, ...end })) as TurnEnded;
}

async function prepareAndLoop(context: TurnContext, downloads: Downloads, signal: AbortSignal): Promise<End> {
  context.phase(l10n.t('Preparing'));
  const model = await chooseModel(context, signal);
  const misfit = await findMisfit(context, model, signal);
  if (misfit !== undefined) return { outcome: 'limit', ...misfit };
  return loop(context, model, downloads, signal);
}

async function loop(context: TurnContext, model: ChosenModel, downloads: Downloads, signal: AbortSignal): Promise<End> {
  await ensureEpoch(context, model);
  const guard = createRunawayGuard();
  let resumes = 0;
  let stopped: string | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    stopped = await compactWhenFull(context, model, signal);
    if (stopped !== undefined) return { outcome: 'limit', detail: stopped };
    const answer = await requestAnswer(
      context,
      { model: model.info, onBlock: (block) => downloads.fetchFrom(block) },
      signal,
    );
    if (answer.kind === 'failed') return { outcome: 'failed', failure: answer.failure };
    if (answer.kind === 'stopped') return { outcome: 'limit', detail: answer.detail };
    if (answer.kind === 'cancelled') return { outcome: 'cancelled' };
    const calls = callsOf(answer.blocks);
    const summaries = answer.blocks.filter(({ block }) => isSummary(block)).length;
    switch (classifyStop(answer.stopReason, calls.length, summaries)) {
      case 'runTools':
        resumes = 0;
        stopped = guard.before(calls);
        if (stopped !== undefined) return { outcome: 'limit', detail: stopped };
        await runCalls(context, calls, signal);
        if (signal.aborted) return { outcome: 'cancelled' };
        stopped = guard.after(allFailed(context, calls));
        if (stopped !== undefined) return { outcome: 'limit', detail: stopped };
        break;
      case 'resume':
        resumes += 1;
        if (resumes > MAX_RESUMES)
          return { outcome: 'limit', detail: l10n.t('The server paused {0} times without finishing.', MAX_RESUMES) };
        break;
      case 'done':
        return { outcome: 'done', ...detailOf(silence(answer.blocks)) };
      case 'truncated':
        return { outcome: 'truncated', ...truncation(answer, model.info) };
      case 'discard':
        await record(context, { type: 'messageDiscarded', messageId: answer.messageId, reason: 'refusal' });
        return { outcome: 'refused', ...detailOf(explanationOf(answer.stopDetails)) };
      case 'unknown':
        return { outcome: 'unknownStop', detail: answer.stopReason ?? 'null' };
    }
  }
  return { outcome: 'limit', detail: l10n.t('{0} rounds without an end.', MAX_ROUNDS) };
}

/** An answer that ends the turn without a word looks like one that never came. */
function silence(blocks: readonly FinishedBlock[]): string | undefined {
  const isSilent = blocks.every(
    ({ block }) => isThinking(block) || (block.type === 'text' && block.text.trim() === ''),
  );
  return isSilent ? l10n.t('Claude ended its turn without a word.') : undefined;
}

/** The user's own no is no failure of Claude's. */
function allFailed(context: TurnContext, calls: readonly Call[]): boolean {
  const { results } = foldConversation(context.log.entries());
  return calls.every(({ block }) => results.get(block.id)?.status === 'error');
}

function truncation(
  answer: Extract<Answer, { kind: 'finished' }>,
  model: KnownModel,
): Pick<End, 'detail' | 'overflow'> {
  if (answer.stopReason === 'model_context_window_exceeded')
    return { detail: l10n.t('The conversation filled the context window.'), overflow: true };
  return detailOf(
    model?.maxTokens == null ? undefined : l10n.t('The model writes {0} tokens at most.', model.maxTokens),
  );
}

function explanationOf(stopDetails: unknown): string | undefined {
  return isObject(stopDetails) ? stringAt(stopDetails, 'explanation') : undefined;
}

function detailOf(detail: string | undefined): { readonly detail?: string } {
  return detail === undefined ? {} : { detail };
}

interface Downloads {
  /** Begins to fetch what a finished block brought. */
  fetchFrom(block: ContentBlock): void;
  readonly pending: number;
  /** Rejects when one of them could not be recorded. */
  settled(): Promise<void>;
}

function createDownloads(context: TurnContext, signal: AbortSignal): Downloads {
  const seen = new Set<string>();
  const running: Promise<void>[] = [];
  let pending = 0;
  return {
    fetchFrom(block) {
      for (const file of filesIn(block, context.tools)) {
        if (seen.has(file.fileId)) continue;
        seen.add(file.fileId);
        pending += 1;
        const fetching = fetchFile(context, file, signal).finally(() => (pending -= 1));
        fetching.catch(() => undefined);
        running.push(fetching);
      }
    },
    get pending() {
      return pending;
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
