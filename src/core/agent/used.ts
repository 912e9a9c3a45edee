import { isAnthropic } from '../cost/address.ts';
import type { ModelOutcome, ModelRequest } from '../ports.ts';
import type { LogEntry } from '../session/entries.ts';
import type { UnfinishedUse } from '../session/entryBase.ts';
import type { TurnContext } from './context.ts';

/** Asks why the cache was missed, where the address answers that (Messages API, "Cache diagnostics"). */
export function cacheQuestion(entries: readonly LogEntry[], baseUrl: string): Pick<ModelRequest, 'previousMessageId'> {
  if (!isAnthropic(baseUrl)) return {};
  const before = entries.findLast((entry) => entry.type === 'messageFinished');
  return { previousMessageId: before?.apiMessageId || null };
}

/** Marks an answer that list prices say nothing about. */
export function placeOf({ config }: TurnContext): Pick<UnfinishedUse, 'elsewhere'> {
  return isAnthropic(config.baseUrl) ? {} : { elsewhere: true };
}

/** What an answer used that is not recorded as finished: its last counters. */
export function useOf(context: TurnContext, outcome: ModelOutcome): UnfinishedUse {
  const used =
    outcome.kind === 'finished' ? { model: outcome.model, usage: outcome.usage, ...idOf(outcome) } : outcome.used;
  return { ...used, ...placeOf(context) };
}

function idOf({ requestId }: { readonly requestId?: string }): Pick<UnfinishedUse, 'requestId'> {
  return requestId === undefined ? {} : { requestId };
}
