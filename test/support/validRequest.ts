import assert from 'node:assert/strict';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { LogEntry } from '../../src/core/session/entries.ts';
import { withHistory } from '../../src/core/agent/betas.ts';
import { foldConversation } from '../../src/core/session/fold.ts';
import { projectMessages } from '../../src/core/session/toMessages.ts';
import { createIssuedState } from '../../src/simulator/issued.ts';
import { validateRequest } from '../../src/simulator/validate.ts';
import { misfit } from './sdkSchemas.ts';

const LENIENT = { acceptUnknownSignatures: true, acceptUnknownFiles: true, acceptUnknownContainers: true };

/** What the API would say to the request that this log projects to, with `next` typed by the user where given. */
export function problemOf(entries: readonly LogEntry[], next?: string): string | undefined {
  const typed: LogEntry[] =
    next === undefined
      ? []
      : [
          {
            type: 'userMessage',
            id: 'next',
            parentId: null,
            at: '',
            text: next,
            content: [{ type: 'text', text: next }],
          },
        ];
  const conversation = foldConversation([...entries, ...typed]);
  const { epoch } = conversation;
  const messages = projectMessages(conversation);
  const body = {
    model: 'claude-simulated-5',
    max_tokens: 1000,
    stream: true,
    messages,
    ...(epoch === undefined ? {} : { system: epoch.system, tools: epoch.tools }),
  };
  const betas = withHistory([], messages);
  const problem = validateRequest(structuredClone(body), createIssuedState(LENIENT), { betas });
  if (problem === null) assertOfTheSdk(body);
  return problem === null ? undefined : `${JSON.stringify(problem)}\n${JSON.stringify(messages, null, 1)}`;
}

/** Every prefix of the log takes another user message. */
export function assertEveryPrefixValid(entries: readonly LogEntry[]): void {
  for (let length = 0; length <= entries.length; length++) {
    const problem = problemOf(entries.slice(0, length), 'next');
    assert.equal(problem, undefined, `after ${String(length)} entries (${entries[length - 1]?.type ?? 'none'})`);
  }
}

/** Of the SDK's own type, but for blocks that it does not know and that go back as they came. */
function assertOfTheSdk(body: { readonly messages: readonly MessageParam[] }): void {
  const messages = body.messages.map(({ role, content }) => ({
    role,
    content: typeof content === 'string' ? content : content.filter(({ type }) => !UNKNOWN.test(type)),
  }));
  assert.equal(misfit({ ...body, messages }, 'MessageCreateParamsBase'), undefined);
}

const UNKNOWN =
  /^(?:mcp_|advisor_|tool_addition$|tool_removal$|compaction$|fallback$|connector_text$|someday$|hologram$|new_)/;
