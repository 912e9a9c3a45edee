import type { ModelRequest } from '../ports.ts';
import type { EpochStarted, LogEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import { withHistory } from './betas.ts';
import { asSent } from './skills.ts';
import { cacheQuestion } from './used.ts';

/** The request that a log stands for at its end, sent to `baseUrl`. The log has an epoch. */
export function buildRequest(entries: readonly LogEntry[], baseUrl: string, maxTokens?: number): ModelRequest {
  const conversation = foldConversation(entries);
  const epoch = conversation.epoch as EpochStarted;
  const messages = projectMessages(conversation);
  return {
    model: epoch.model,
    maxTokens: maxTokens ?? epoch.maxTokens,
    system: epoch.system,
    tools: epoch.tools,
    messages,
    betas: withHistory(epoch.betas, messages),
    ...cacheQuestion(entries, baseUrl),
    ...(epoch.thinking === undefined ? {} : { thinking: epoch.thinking }),
    ...(epoch.effort === undefined ? {} : { effort: epoch.effort }),
    ...(epoch.contextManagement === undefined ? {} : { contextManagement: epoch.contextManagement }),
    ...(epoch.skills === undefined ? {} : { skills: epoch.skills.map(asSent) }),
    ...(conversation.container === null ? {} : { container: conversation.container.id }),
  };
}
