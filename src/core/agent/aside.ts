import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { CancelledError, type ApiFailure } from '../errors.ts';
import type { ModelOutcome, ModelRequest } from '../ports.ts';
import { stoppedByBudget } from './budget.ts';
import { record, type TurnContext } from './context.ts';
import { watchQuiet } from './quiet.ts';
import { createAttempts } from './retrying.ts';
import { stepAround } from './stepAround.ts';
import { useOf } from './used.ts';

/** What came of a request whose answer is no part of the conversation. */
export type Aside =
  | {
      readonly kind: 'answered';
      readonly blocks: readonly ContentBlock[];
      readonly outcome: Extract<ModelOutcome, { kind: 'finished' }>;
    }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** The user did not want to pass a cap. */
  | { readonly kind: 'stopped'; readonly detail: string }
  | { readonly kind: 'cancelled' };

export interface AsideQuestion {
  /** Made anew for every attempt: a refused tool version or a lost container changes it. */
  request(): ModelRequest;
  /** In words, while it is waited for. */
  readonly phase: string;
}

/**
 * Asks the model something beside the conversation, under the same rules as every request: the caps of the settings, the
 * one retry policy, and what it used counts. Nothing of the answer is shown or recorded; what an attempt that broke off used
 * is. Rejects only when the log can't be written.
 */
export async function askAside(context: TurnContext, question: AsideQuestion, signal: AbortSignal): Promise<Aside> {
  const attempts = createAttempts(context);
  try {
    for (;;) {
      const request = question.request();
      const detail = await stoppedByBudget(context, request.model, signal);
      if (detail !== undefined) return { kind: 'stopped', detail };
      const { outcome, blocks } = await attempt(context, question.phase, { request, signal });
      if (outcome.kind === 'finished') return { kind: 'answered', blocks, outcome };
      if (outcome.used !== undefined)
        await record(context, { type: 'asideAsked', purpose: 'summary', unfinished: true, ...useOf(context, outcome) });
      if (outcome.kind === 'cancelled') return outcome;
      const refused = { request, failure: outcome.failure, begun: false };
      if (await stepAround(context, refused, signal)) continue;
      const next = await attempts.failed(outcome.failure, { blocksFinished: 0, interruptions: 0 }, signal);
      if (next === 'final') return { kind: 'failed', failure: outcome.failure };
      if (next === 'cancelled') return { kind: 'cancelled' };
    }
  } catch (error) {
    if (error instanceof CancelledError) return { kind: 'cancelled' };
    throw error;
  }
}

async function attempt(
  context: TurnContext,
  phase: string,
  { request, signal }: { readonly request: ModelRequest; readonly signal: AbortSignal },
): Promise<{ readonly outcome: ModelOutcome; readonly blocks: readonly ContentBlock[] }> {
  const blocks: ContentBlock[] = [];
  context.phase(phase);
  const quiet = watchQuiet(context, () => phase);
  const outcome = await context.model
    .stream(request, signal, (event) => {
      quiet.heard();
      if (event.type === 'blockStop') blocks.push(event.block);
    })
    .finally(() => quiet.dispose());
  return { outcome, blocks };
}
