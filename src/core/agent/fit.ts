import * as l10n from '@vscode/l10n';
import { CancelledError } from '../errors.ts';
import { foldConversation } from '../session/fold.ts';
import { canCompact, compact } from './compaction.ts';
import type { TurnContext } from './context.ts';
import type { ChosenModel } from './prefix.ts';
import { nextRequest } from './nextRequest.ts';

/** From this share of the window on, the estimate is not good enough: another model counts other tokens. */
const COUNT_FROM = 0.6;
const COUNT_TIMEOUT_MS = 10_000;

/** Why a turn was not begun: what the user can do depends on whether there is something to summarise. */
export interface Misfit {
  readonly detail: string;
  readonly overflow: boolean;
}

/**
 * Before a turn: whether the conversation fits into the window of the model that is going to answer, by the server's count
 * where it has one. Where it does not, and the model is the same as before, it is summarised as the settings say; after a
 * change of the model the user is asked first. Undefined: it fits. Rejects with `CancelledError` on abort, and when the log
 * can't be written.
 */
export async function findMisfit(
  context: TurnContext,
  model: ChosenModel,
  signal: AbortSignal,
): Promise<Misfit | undefined> {
  const misfit = await judge(context, model, signal);
  const { epoch } = foldConversation(context.log.entries());
  if (misfit === undefined || context.config.compactAt === 0 || epoch?.model !== model.id) return misfit;
  const result = await compact(context, { by: 'auto', model: model.info }, signal);
  if (result.kind === 'cancelled') throw new CancelledError();
  if (result.kind === 'stopped') return { detail: result.detail, overflow: true };
  return result.kind === 'done' ? judge(context, model, signal) : misfit;
}

async function judge(context: TurnContext, model: ChosenModel, signal: AbortSignal): Promise<Misfit | undefined> {
  const window = model.info?.maxInputTokens;
  if (window == null) return undefined;
  const { context: size, added } = context.ledger();
  const estimate = size.tokens + added;
  if (estimate < window * COUNT_FROM) return undefined;
  const tokens = (await count(context, model, signal)) ?? estimate;
  if (tokens <= window) return undefined;
  const detail = l10n.t('It has about {0} tokens, and {1} takes {2}. Nothing was sent.', tokens, model.id, window);
  return { detail, overflow: canCompact(foldConversation(context.log.entries())) };
}

/** Undefined where the server can't count, or does not in time. */
async function count(context: TurnContext, model: ChosenModel, signal: AbortSignal): Promise<number | undefined> {
  const request = nextRequest(context, foldConversation(context.log.entries()), model);
  const asking = new AbortController();
  const deadline = context.clock.timer(COUNT_TIMEOUT_MS, () => asking.abort());
  try {
    return await context.model.countTokens(request, AbortSignal.any([signal, asking.signal]));
  } catch (error) {
    if (signal.aborted) throw new CancelledError();
    context.logger.info(`Tokens were not counted: ${String(error)}`);
    return undefined;
  } finally {
    deadline.dispose();
  }
}
