import type { ToolPresenter } from '../session/live.ts';
import { mcpCallOf } from '../session/callRow.ts';
import { presentMcpCall, presentMcpResult } from '../tools/mcpCards.ts';
import type { AnyTool, ClientTool, ServerTool } from '../tools/tool.ts';

/** Titles and bodies of cards, asked from the session's tools; a call of an unknown tool shows its name and input. */
export function presenterOf(tools: readonly AnyTool[]): ToolPresenter {
  const client = (name: string): ClientTool | undefined =>
    tools.find((tool): tool is ClientTool => tool.kind === 'client' && tool.name === name);
  const server = (name: string): ServerTool | undefined =>
    tools.find((tool): tool is ServerTool => tool.kind === 'server' && tool.calls.includes(name));
  return {
    clientTitle: (name, input) => client(name)?.title(input) ?? name,
    serverCall(name, input) {
      const mcp = mcpCallOf(name);
      if (mcp !== undefined) return { ...presentMcpCall(mcp.server, mcp.tool, input), place: 'server' };
      const tool = server(name);
      if (tool === undefined) return { title: name, body: json(input), place: 'server' };
      return { ...tool.presentCall(name, input), place: tool.place };
    },
    serverResult(name, input, result) {
      const mcp = mcpCallOf(name);
      if (mcp !== undefined) return presentMcpResult(mcp.server, mcp.tool, { input, result });
      return server(name)?.presentResult(name, input, result) ?? { title: name, body: json(result), isError: false };
    },
  };
}

function json(value: unknown): { readonly kind: 'json'; readonly json: string } {
  // Of undefined there is no JSON, whatever the type says.
  return { kind: 'json', json: value === undefined ? '' : JSON.stringify(value, null, 2) };
}
