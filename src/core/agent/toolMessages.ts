import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { stringAt } from '../base/json.ts';
import type { ApiFailure } from '../errors.ts';
import { isTooLong } from '../session/tooLong.ts';
import type { LogEntry, NewEntry } from '../session/entries.ts';
import type { Conversation } from '../session/fold.ts';
import { changeBetween, isServerKey, toolKey } from '../session/toolChanges.ts';
import { projectMessages } from '../session/toMessages.ts';
import type { TurnContext } from './context.ts';
import type { Prefix, PrefixSource } from './prefix.ts';

type Change = Extract<NewEntry, { type: 'toolsChanged' }>;

/**
 * The message that changes the tools in place of a new epoch; undefined where a new one it has to be. No capability says
 * which models take such messages: each is tried once, and what it refused is remembered for the life of the window.
 */
export function toolMessage(source: PrefixSource, conversation: Conversation, next: Prefix): Change | undefined {
  if (next.reason !== 'tools' || source.refusedVersions.has(refusalKey(source, next.model))) return undefined;
  // Before the first answer there is nothing to lose, and behind an answer the message may not stand.
  const answered = conversation.pieces.some((piece) => piece.kind === 'answer' && piece.state === 'finished');
  if (!answered || projectMessages(conversation).at(-1)?.role !== 'user') return undefined;
  const change = changeBetween(conversation.tools, next.tools);
  // Tools of an MCP server have names that nobody knows here: another set of servers is another prefix.
  const hasServer = [...change.added.map(toolKey), ...change.removed].some(isServerKey);
  return hasServer || replacesVersion(conversation.tools, change.added)
    ? undefined
    : { type: 'toolsChanged', ...change };
}

/**
 * Another version of a tool takes the old one's place in `tools` (Messages API, "Upgrade to latest tool version"): what
 * versions need of each other is judged there.
 */
function replacesVersion(before: readonly ToolUnion[], added: Change['added']): boolean {
  const versions = new Map(before.map((tool) => [toolKey(tool), stringAt(tool, 'type')]));
  return added.some((tool) => versions.has(toolKey(tool)) && versions.get(toolKey(tool)) !== stringAt(tool, 'type'));
}

/** Whether the API refused a message that changes tools: then the model is not asked again. */
export function isRefusedToolMessage(context: TurnContext, model: string, failure: ApiFailure): boolean {
  if (failure.kind !== 'invalid-request' || isTooLong(failure) || !isUnanswered(context.log.entries())) return false;
  if (!/system|tool_addition|tool_removal|tool[._]definition|inline-tools|mid-conversation/i.test(failure.message))
    return false;
  context.refusedVersions.add(refusalKey(context, model));
  return true;
}

function isUnanswered(entries: readonly LogEntry[]): boolean {
  const last = entries.findLast(({ type }) => type === 'toolsChanged' || type === 'messageFinished');
  return last?.type === 'toolsChanged';
}

function refusalKey({ config }: Pick<PrefixSource, 'config'>, model: string): string {
  return `${config.baseUrl}\n${model}\ntoolMessages`;
}
