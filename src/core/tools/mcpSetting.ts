import { isObject, stringAt, type JsonObject } from '../base/json.ts';
import type { McpWish } from './mcp.ts';

/** A server of the setting: what of it is declared, and where it is. */
export interface McpServer extends McpWish {
  readonly url: string;
}

export interface McpServers {
  readonly servers: readonly McpServer[];
  /** What of the setting can't be used and why, in English, for the log. */
  readonly problems: readonly string[];
}

/**
 * Reads the setting: name → `{url, tools?, deferLoading?}`. The API takes https only; names are those that it takes for
 * tools. An entry that can't be used is left out, and named in `problems`.
 */
export function readMcpServers(setting: JsonObject): McpServers {
  const servers: McpServer[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(setting)) {
    const url = checkUrl(stringAt(entry, 'url') ?? '');
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) problems.push(`MCP server "${name}": no name that the API takes`);
    else if (url === undefined) problems.push(`MCP server "${name}": its address is not https, or holds a password`);
    else
      servers.push({ name, url, tools: toolsOf(entry), deferred: isObject(entry) && entry['deferLoading'] === true });
  }
  return { servers, problems };
}

function checkUrl(text: string): string | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : undefined;
  } catch {
    return undefined;
  }
}

function toolsOf(entry: unknown): readonly string[] {
  const tools = isObject(entry) ? entry['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return [...new Set(tools.filter((tool): tool is string => typeof tool === 'string' && tool.trim() !== ''))];
}
