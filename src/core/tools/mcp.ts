import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { MCP_TOOLSET } from '../base/mcpToolset.ts';

/** What the user wants of a server. Its address and its token are no part of a conversation: the API layer adds them. */
export interface McpWish {
  /** As requests and cards name it: letters, digits, `_` and `-`, 64 at most. */
  readonly name: string;
  /** Only these of its tools; empty: all. */
  readonly tools: readonly string[];
  /** Definitions reach the model when it searches for them. */
  readonly deferred: boolean;
}

/** The declaration of a server's tools (Messages API, "MCP connector"). Without a tool search nothing can be deferred. */
export function mcpToolset({ name, tools, deferred }: McpWish, canSearch: boolean): ToolUnion {
  const defers = deferred && canSearch ? { defer_loading: true } : {};
  const usual = { ...(tools.length === 0 ? {} : { enabled: false }), ...defers };
  const configs = Object.fromEntries(tools.map((tool) => [tool, { enabled: true, ...defers }]));
  // A type of the SDK's beta namespace.
  return {
    type: MCP_TOOLSET,
    mcp_server_name: name,
    ...(Object.keys(usual).length === 0 ? {} : { default_config: usual }),
    ...(tools.length === 0 ? {} : { configs }),
  } as unknown as ToolUnion;
}
