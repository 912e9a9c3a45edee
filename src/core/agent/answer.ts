import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { wasSent, type ApiFailure } from '../errors.ts';
import type { ModelEvent, ModelOutcome, ModelRequest } from '../ports.ts';
import { foldConversation } from '../session/fold.ts';
import { behindFallback } from '../session/toMessages.ts';
import type { Call } from './toolCalls.ts';
import { stoppedByBudget } from './budget.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { mendConversation, withItems } from './doctor.ts';
import { watchQuiet } from './quiet.ts';
import { buildRequest } from './request.ts';
import { createAttempts } from './retrying.ts';
import { sendInputsAgain } from './inputsAgain.ts';
import { stepAround } from './stepAround.ts';
import { placeOf, useOf } from './used.ts';

/** One answer of the model, after all retries. */
export type Answer =
  | {
      readonly kind: 'finished';
      readonly messageId: string;
      readonly stopReason: string | null;
      readonly stopDetails?: unknown;
      readonly blocks: readonly FinishedBlock[];
    }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** The user did not want to pass a cap. */
  | { readonly kind: 'stopped'; readonly detail: string }
  | { readonly kind: 'cancelled' };

export interface FinishedBlock {
  readonly block: ContentBlock;
  readonly invalidInput?: string;
}

export interface AnswerOptions {
  readonly model: KnownModel;
  /** A finished block is in the log; used to fetch files at once. */
  onBlock(block: ContentBlock): void;
}

/** What one request brought, before anything is decided about it. */
interface Attempt {
  readonly messageId: string;
  readonly outcome: ModelOutcome;
  readonly blocks: readonly FinishedBlock[];
  /** The block that had begun and not ended. */
  readonly open: { readonly type: string; readonly text: string } | undefined;
  readonly started: boolean;
}

/**
 * Sends the log's projection and records the answer, block by block. Retries by the one policy, visibly; a refused tool
 * version or container is stepped around once each; an answer whose last call was cut by `max_tokens` is repeated with
 * more room. Never rejects but when the log can't be written.
 */
export async function requestAnswer(
  context: TurnContext,
  options: AnswerOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const unsendable = await mendConversation(context, options.model);
  if (unsendable !== undefined) return { kind: 'failed', failure: unsendable };
  const attempts = createAttempts(context);
  let interruptions = 0;
  const firstOnly = createFirstOnly();
  let maxTokens: number | undefined;
  for (;;) {
    const request = buildRequest(context.log.entries(), context.config.baseUrl, maxTokens);
    const detail = await stoppedByBudget(context, request.model, signal);
    if (detail !== undefined) return { kind: 'stopped', detail };
    const result = await attemptOnce(context, request, options, signal);
    const { outcome } = result;
    if (outcome.kind === 'cancelled') return cancelled(context, result);
    if (outcome.kind === 'finished') {
      const more = await moreRoom(context, result, request.maxTokens, options.model);
      if (more === undefined) return finished(context, result, outcome);
      maxTokens = more;
      continue;
    }
    // Before anything changes what the next request is.
    await noteFailure(context, result, outcome.failure);
    const refused = { request, failure: outcome.failure, begun: firstOnly(result.started) };
    if (await stepAround(context, refused, signal)) {
      await discardFailed(context, result);
      await sendInputsAgain(context, signal);
      continue;
    }
    const blocksFinished = result.blocks.length;
    const shown = { blocksFinished, interruptions, putAway: () => discardFailed(context, result) };
    const next = await attempts.failed(outcome.failure, shown, signal);
    if (next === 'final') return failed(context, result, withItems(context, request, outcome.failure));
    if (next === 'cancelled') return { kind: 'cancelled' };
    if (blocksFinished > 0) interruptions += 1;
  }
}

function createFirstOnly(): (value: boolean) => boolean {
  let was = false;
  return (value) => {
    const isFirst = value && !was;
    was ||= value;
    return isFirst;
  };
}

async function attemptOnce(
  context: TurnContext,
  request: ModelRequest,
  options: AnswerOptions,
  signal: AbortSignal,
): Promise<Attempt> {
  const messageId = context.ids.random();
  const blocks: FinishedBlock[] = [];
  let open: Attempt['open'];
  let started = false;
  let writing: Promise<void> = Promise.resolve();
  const phase = (): string => (started ? l10n.t('Claude is answering') : l10n.t('Waiting for Claude'));
  context.phase(phase());
  const quiet = watchQuiet(context, phase);
  const onEvent = (event: ModelEvent): void => {
    quiet.heard();
    switch (event.type) {
      case 'blockStart':
        started = true;
        open = { type: event.block.type, text: '' };
        if (event.index === 0) context.phase(phase());
        context.emit({ type: 'blockStart', messageId, index: event.index, block: event.block });
        return;
      case 'blockDelta':
        if (open !== undefined && event.field === 'text') open = { ...open, text: open.text + event.text };
        context.emit({ type: 'blockDelta', messageId, index: event.index, field: event.field, text: event.text });
        return;
      case 'blockStop': {
        open = undefined;
        const { index, block } = event;
        const finishedBlock: FinishedBlock = {
          block,
          ...(event.invalidInput === undefined ? {} : { invalidInput: event.invalidInput }),
        };
        blocks.push(finishedBlock);
        writing = writing.then(async () => {
          await record(context, { type: 'assistantBlock', messageId, index, ...finishedBlock });
          options.onBlock(block);
        });
        // The first failure is thrown below; until then it must not count as unhandled.
        writing.catch(() => undefined);
        return;
      }
      case 'messageStart':
      case 'ping':
        return;
    }
  };
  const outcome = await context.model.stream(request, signal, onEvent).finally(() => quiet.dispose());
  await writing;
  return { messageId, outcome, blocks, open, started };
}

/** A request that went out and got no answer leaves no other trace. */
async function noteFailure(context: TurnContext, attempt: Attempt, failure: ApiFailure): Promise<void> {
  const { started, messageId, outcome } = attempt;
  if (started || !(wasSent(failure) || failure.kind === 'cancelled')) return;
  const used = 'used' in outcome ? useOf(context, outcome) : {};
  await record(context, { type: 'requestFailed', messageId, failure, ...used });
}

/** What a failed attempt brought stays out of the conversation when the request is sent again. */
async function discardFailed(context: TurnContext, { started, messageId, outcome }: Attempt): Promise<void> {
  if (!started) return;
  await record(context, { type: 'messageDiscarded', messageId, reason: 'retry', ...useOf(context, outcome) });
}

async function finished(
  context: TurnContext,
  attempt: Attempt,
  outcome: Extract<ModelOutcome, { kind: 'finished' }>,
): Promise<Answer> {
  const { kind: _, ...rest } = outcome;
  await record(context, { type: 'messageFinished', messageId: attempt.messageId, ...rest, ...placeOf(context) });
  return {
    kind: 'finished',
    messageId: attempt.messageId,
    stopReason: outcome.stopReason,
    stopDetails: outcome.stopDetails,
    blocks: attempt.blocks,
  };
}

async function cancelled(context: TurnContext, attempt: Attempt): Promise<Answer> {
  if (attempt.started) await interrupted(context, attempt, 'cancelled');
  else await noteFailure(context, attempt, { kind: 'cancelled', message: l10n.t('Stopped before an answer came.') });
  return { kind: 'cancelled' };
}

async function failed(context: TurnContext, attempt: Attempt, failure: ApiFailure): Promise<Answer> {
  if (attempt.started) await interrupted(context, attempt, 'failed');
  return { kind: 'failed', failure };
}

async function interrupted(context: TurnContext, attempt: Attempt, reason: 'cancelled' | 'failed'): Promise<void> {
  const unsent = attempt.open?.type === 'text' ? attempt.open.text : '';
  await record(context, {
    type: 'messageInterrupted',
    messageId: attempt.messageId,
    reason,
    ...useOf(context, attempt.outcome),
    ...(unsent === '' ? {} : { unsentText: unsent }),
  });
}

/**
 * An answer that hit `max_tokens` inside a tool call is discarded, and the same request repeated with twice the room, as
 * far as the model goes; where that is unknown, once. Returns the new `max_tokens`, or undefined when the answer stands.
 */
async function moreRoom(
  context: TurnContext,
  attempt: Attempt,
  maxTokens: number,
  model: KnownModel,
): Promise<number | undefined> {
  if (attempt.outcome.kind !== 'finished' || attempt.outcome.stopReason !== 'max_tokens') return undefined;
  const last = attempt.open?.type ?? attempt.blocks.at(-1)?.block.type;
  const usual = foldConversation(context.log.entries()).epoch?.maxTokens ?? maxTokens;
  const limit = model?.maxTokens ?? usual * 2;
  const more = Math.min(maxTokens * 2, limit);
  if (last !== 'tool_use' || more <= maxTokens) return undefined;
  const { messageId, outcome } = attempt;
  const repeat = { reason: 'cutToolCall', repeatMaxTokens: more } as const;
  await record(context, { type: 'messageDiscarded', messageId, ...repeat, ...useOf(context, outcome) });
  return more;
}

/** The calls of an answer that this client runs, in source order: none of a model that another one took over from. */
export function callsOf(blocks: readonly FinishedBlock[]): readonly Call[] {
  const valid = new Set(behindFallback(blocks.map(({ block }) => block)));
  return blocks
    .filter(({ block }) => valid.has(block))
    .flatMap(({ block, invalidInput }) =>
      block.type === 'tool_use' ? [{ block, ...(invalidInput === undefined ? {} : { invalidInput }) }] : [],
    );
}
