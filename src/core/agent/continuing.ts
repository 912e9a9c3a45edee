import * as l10n from '@vscode/l10n';
import type { LogEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';

/**
 * What the user has to say so that a conversation goes on where it stopped; undefined when it needs no words. After an
 * answer the API wants a user message; after a message or results that nothing answered it just goes on. Where Claude
 * ended its turn without a word, the same request would bring the same silence (Messages API, "Stop reasons").
 */
export function wordsToContinue(entries: readonly LogEntry[]): string | undefined {
  const last = projectMessages(foldConversation(entries)).at(-1);
  const ended = entries.findLast((entry) => entry.type === 'turnEnded');
  return last?.role === 'user' && ended?.outcome !== 'done' ? undefined : l10n.t('Continue');
}
