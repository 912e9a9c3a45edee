import type { MessageParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { stringAt } from '../base/json.ts';
import { MCP_TOOLSET } from '../base/mcpToolset.ts';
import { isSummary } from '../session/toMessages.ts';

/** On the request for a summary of the API's, and on every later one that begins with its signed block. */
export const SUMMARY_BETA = 'compact-2026-09-04';
/** Of the edit that summarises inside of an answer. This loop does not ask for it, but a gateway may. */
const THRESHOLD_BETA = 'compact-2026-01-12';
/** Of messages that add tools by their definitions, and remove them. */
const TOOLS_BETAS = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];
/** Of the edits that clear old results and old thinking. */
export const EDITS_BETA = 'context-management-2025-06-27';

/** What a tool of a beta version needs. */
const ADVISOR_BETA = 'advisor-tool-2026-03-01';
const MCP_BETA = 'mcp-client-2026-09-15';
const TOOL_BETAS: Readonly<Record<string, string>> = {
  code_execution_20250522: 'code-execution-2025-05-22',
  advisor_20260301: ADVISOR_BETA,
  [MCP_TOOLSET]: MCP_BETA,
};

/** The betas of the tools that a request declares. */
export function betasOfTools(tools: readonly ToolUnion[]): readonly string[] {
  return tools.flatMap((tool) => TOOL_BETAS[tool.type ?? ''] ?? []);
}

/** The betas of an epoch, and those of the blocks in its history: for as long as they are there (rule "beta field used"). */
export function withHistory(betas: readonly string[], messages: readonly MessageParam[]): readonly string[] {
  const found = messages.flatMap(({ role, content }) =>
    role !== 'user' && Array.isArray(content) ? content.flatMap(betasOf) : [],
  );
  return found.length === 0 ? betas : [...new Set([...betas, ...found])];
}

function betasOf(block: unknown): readonly string[] {
  const type = stringAt(block, 'type') ?? '';
  if (/^tool_(?:addition|removal)$/.test(type)) return TOOLS_BETAS;
  if (/^mcp_tool_/.test(type)) return [MCP_BETA];
  if (type === 'advisor_tool_result' || (type === 'server_tool_use' && stringAt(block, 'name') === 'advisor'))
    return [ADVISOR_BETA];
  if (!isSummary(block)) return [];
  return [stringAt(block, 'signature') === undefined ? THRESHOLD_BETA : SUMMARY_BETA];
}
