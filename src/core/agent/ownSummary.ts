import type { TextBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import type { ModelRequest } from '../ports.ts';
import { foldConversation, type Piece } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import { askAside } from './aside.ts';
import type { TurnContext } from './context.ts';
import { buildRequest } from './request.ts';
import { isOverflow, toSummary, type Summary } from './summary.ts';
import { summarizeParts } from './summaryParts.ts';

/**
 * Asks the conversation's model for a summary of everything but its newest `kept` pieces, in a request that has the same
 * cached prefix; where even that does not fit into the model's window, in parts. Rejects only when the log can't be written.
 */
export async function summarize(context: TurnContext, kept: number, signal: AbortSignal): Promise<Summary> {
  const request = (): ModelRequest => {
    const conversation = foldConversation(context.log.entries());
    const asked: Piece = { kind: 'user', content: [INSTRUCTIONS] };
    const pieces = [...conversation.pieces.slice(0, conversation.pieces.length - kept), asked];
    // Nobody looks at what the cache did for a summary.
    const { previousMessageId: _, ...built } = buildRequest(context.log.entries(), context.config.baseUrl);
    return { ...built, messages: projectMessages({ ...conversation, pieces }) };
  };
  const aside = await askAside(context, { request, phase: l10n.t('Summarizing the conversation') }, signal);
  if (!isOverflow(aside)) return toSummary(aside);
  const { messages } = request();
  return summarizeParts(context, messages.slice(0, -1), signal);
}

const INSTRUCTIONS: TextBlockParam = {
  type: 'text',
  text: `Summarize this conversation so that you can go on with nothing but the summary. Write down, in this order: what the user wants, with their own words where the wording matters; decisions and constraints; what was done, with the paths of the files and what changed in them; what was tried and failed, with the messages of errors; the state now; the next steps. Keep names, paths, commands and numbers exact. Do not use tools, and write only the summary.`,
};
