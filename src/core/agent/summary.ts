import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import type { ApiFailure } from '../errors.ts';
import { isTooLong } from '../session/tooLong.ts';
import type { ModelOutcome } from '../ports.ts';
import type { Compacted } from '../session/contextEntries.ts';
import type { Aside } from './aside.ts';

/** A summary in words, and the answer that brought it; or why there is none. */
export type Summary =
  | {
      readonly kind: 'summary';
      readonly text: string;
      readonly outcome: Extract<ModelOutcome, { kind: 'finished' }>;
      /** The API made it. */
      readonly signed?: NonNullable<Compacted['signed']>;
    }
  | Unsummarized;

export type Unsummarized =
  | { readonly kind: 'failed'; readonly why: string; readonly failure?: ApiFailure }
  /** The user did not want to pass a cap. */
  | { readonly kind: 'stopped'; readonly detail: string }
  | { readonly kind: 'cancelled' };

/** The words of an answer that is a whole summary. */
export function toSummary(aside: Aside): Summary {
  if (aside.kind === 'failed') return { ...aside, why: aside.failure.message };
  if (aside.kind !== 'answered') return aside;
  const text = textOf(aside.blocks);
  if (aside.outcome.stopReason !== 'end_turn' || text === '')
    return { kind: 'failed', why: l10n.t('The model gave no whole summary.') };
  return { kind: 'summary', text, outcome: aside.outcome };
}

/** What was asked does not fit into the window, or leaves no room in it for the answer. */
export function isOverflow(aside: Aside): boolean {
  if (aside.kind === 'failed') return isTooLong(aside.failure);
  return aside.kind === 'answered' && aside.outcome.stopReason === 'model_context_window_exceeded';
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}
