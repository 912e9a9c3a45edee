import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { Row, ToolRow } from '../../protocol/rows.ts';
import { stringAt } from '../base/json.ts';
import type { ToolPresenter } from './live.ts';
import { callerId, isCall } from './toMessages.ts';

/** A call of a tool, ours or Anthropic's. */
export type CallBlock = ContentBlock & { readonly id: string; readonly name: string; readonly input: unknown };

const MCP = /^mcp:([^/]*)\/([^]*)$/;

/** The name of a call for those who show it. Names of tools of an MCP server are that server's own: they get its name. */
export function calledName(block: CallBlock): string {
  if ((block.type as string) !== 'mcp_tool_use') return block.name;
  return `mcp:${(stringAt(block, 'server_name') ?? '').replaceAll('/', '_')}/${block.name}`;
}

/** What such a name says; undefined for a tool that is not an MCP server's: no other name has a colon. */
export function mcpCallOf(name: string): { readonly server: string; readonly tool: string } | undefined {
  const found = MCP.exec(name);
  return found === null ? undefined : { server: found[1] ?? '', tool: found[2] ?? '' };
}

/** The card of a call. `known` is the row as it was: what is shown of a call of ours stays. */
export function callRow(
  presenter: ToolPresenter,
  block: CallBlock,
  row: { readonly id: string; readonly status: ToolRow['status']; readonly known: Row | undefined },
): ToolRow {
  const { id, status, known } = row;
  const nested = callerId(block) === undefined ? {} : ({ nested: true } as const);
  const name = calledName(block);
  const base = { kind: 'tool', id, callId: block.id, tool: name, status, ...nested } as const;
  if (isCall(block)) {
    const title = presenter.clientTitle(block.name, block.input);
    const body = known?.kind === 'tool' && status !== 'streaming' ? known.body : ({ kind: 'none' } as const);
    return { ...base, title, place: 'local', body };
  }
  const { title, body, place } = presenter.serverCall(name, block.input);
  return { ...base, title, place, body: status === 'streaming' ? { kind: 'none' } : body };
}

/** The row once nothing is asked any more. */
export function withoutApproval(row: ToolRow): ToolRow {
  const { approval: _, ...rest } = row;
  return rest;
}
