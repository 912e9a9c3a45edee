import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelRequest } from '../ports.ts';
import type { Conversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import { withHistory } from './betas.ts';
import { nextEpoch } from './epoch.ts';
import type { ChosenModel, PrefixSource } from './prefix.ts';

/**
 * The request that would come next, as far as its tokens can be counted: with the prefix that it would have, also where
 * that has yet to begin. Pure.
 */
export function nextRequest(
  source: PrefixSource,
  conversation: Conversation,
  model: ChosenModel,
  typed: readonly MessageParam[] = [],
): ModelRequest {
  const next = nextEpoch(source, conversation, model);
  const { maxTokens, system, tools, betas, thinking, contextManagement } = next;
  // What was thought before a new epoch is not sent in it.
  const epochs = conversation.epochs + ('id' in next ? 0 : 1);
  const messages = [...projectMessages({ ...conversation, epochs }), ...typed];
  return {
    ...{ model: model.id, maxTokens, system, tools, messages, betas: withHistory(betas, messages) },
    ...(thinking === undefined ? {} : { thinking }),
    ...(contextManagement === undefined ? {} : { contextManagement }),
  };
}
