import * as l10n from '@vscode/l10n';
import { foldConversation } from '../session/fold.ts';
import { compact } from './compaction.ts';
import type { TurnContext } from './context.ts';
import { modelCalled } from './epoch.ts';

/**
 * Summarises the conversation because the user wants it. Returns why there is no summary, in words. Rejects only when the
 * log can't be written.
 */
export async function compactByHand(context: TurnContext, signal: AbortSignal): Promise<string | undefined> {
  const { epoch } = foldConversation(context.log.entries());
  const model = epoch === undefined ? undefined : await modelCalled(context, epoch.model, signal);
  const result = await compact(context, { by: 'user', model }, signal);
  switch (result.kind) {
    case 'done':
      return undefined;
    case 'cancelled':
      return l10n.t('It was stopped. The conversation is as it was.');
    case 'stopped':
      return result.detail;
    case 'failed':
      return result.why;
  }
}
