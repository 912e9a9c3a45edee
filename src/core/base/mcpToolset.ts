import { isObject, stringAt } from './json.ts';

/** The type of a declaration that stands for the tools of one server of the MCP connector: Anthropic connects to it. */
export const MCP_TOOLSET = 'mcp_toolset';

/** The server whose tools a declaration stands for; undefined for any other tool. */
export function mcpServerOf(tool: unknown): string | undefined {
  return stringAt(tool, 'type') === MCP_TOOLSET ? stringAt(tool, 'mcp_server_name') : undefined;
}

/** Whether a declaration is loaded only when it is searched for. */
export function isDeferred(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  const { defer_loading: own, default_config: usual } = tool;
  return own === true || (isObject(usual) && usual['defer_loading'] === true);
}
