import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringOf } from './json.ts';
import type { Json } from './json.ts';
import { toolNamed } from './web.ts';

/** A call of a tool of an MCP server; `deferred`: emitted without result, which comes when the conversation goes on. */
export interface McpCallStep {
  readonly type: 'mcp_call';
  readonly server: string;
  readonly name: string;
  readonly input: Json;
  readonly result?: string;
  readonly isError?: boolean;
  readonly deferred?: boolean;
}

/** The list of a server's tools, as the API fetched it for this response. */
export interface McpListingStep {
  readonly type: 'mcp_listing';
  readonly server: string;
  readonly tools: readonly string[];
}

/** The advisor is asked; `error` is a code in place of its words. */
export interface AdvisorStep {
  readonly type: 'advisor';
  readonly advice?: string;
  readonly error?: string;
  readonly deferred?: boolean;
}

/** Deferred tools are searched for, and these are found. */
export interface ToolSearchStep {
  readonly type: 'tool_search';
  readonly query: string;
  readonly found: readonly string[];
}

/** What a call brings. */
type Outcome = Pick<McpCallStep, 'result' | 'isError'> & Pick<AdvisorStep, 'advice' | 'error'>;

export type ConnectorStep = McpCallStep | McpListingStep | AdvisorStep | ToolSearchStep;

/** What the steps bring: blocks of betas, which the SDK's GA namespace has no types for. */
export function connectorBlocks(step: ConnectorStep, newId: () => string): readonly ContentBlock[] {
  const blocks = rawBlocks(step, newId);
  return blocks as unknown as readonly ContentBlock[];
}

/** The result of a call that an earlier response left open. */
export function connectorResult(call: Json, step: Outcome = {}): Json {
  const id = stringOf(call['id']);
  if (call['type'] === 'mcp_tool_use') {
    const content = [{ type: 'text', text: step.result ?? 'Simulated result.' }];
    return { type: 'mcp_tool_result', tool_use_id: id, is_error: step.isError === true, content };
  }
  const content =
    step.error === undefined
      ? { type: 'advisor_result', text: step.advice ?? 'Simulated advice.', stop_reason: null }
      : { type: 'advisor_tool_result_error', error_code: step.error };
  return { type: 'advisor_tool_result', tool_use_id: id, content };
}

function rawBlocks(step: ConnectorStep, newId: () => string): readonly Json[] {
  switch (step.type) {
    case 'mcp_listing': {
      const tools = step.tools.map((name) => ({
        name,
        description: `Simulated ${name}.`,
        input_schema: { type: 'object' },
      }));
      return [{ type: 'mcp_tool_listing', mcp_server_name: step.server, tools }];
    }
    case 'mcp_call': {
      const { server, name, input } = step;
      const call = { type: 'mcp_tool_use', id: `mcptoolu_${newId()}`, name, server_name: server, input };
      return step.deferred ? [call] : [call, connectorResult(call, step)];
    }
    case 'advisor': {
      const call = { type: 'server_tool_use', id: `srvtoolu_${newId()}`, name: 'advisor', input: {} };
      return step.deferred ? [call] : [call, connectorResult(call, step)];
    }
    case 'tool_search': {
      const id = `srvtoolu_${newId()}`;
      const references = step.found.map((name) => ({ type: 'tool_reference', tool_name: name }));
      const content = { type: 'tool_search_tool_search_result', tool_references: references };
      return [
        { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', input: { query: step.query } },
        { type: 'tool_search_tool_result', tool_use_id: id, content },
      ];
    }
  }
}

/** What advisors of a response used, for `usage.iterations`: its own model's tokens come first, theirs are beside them. */
export function advisorIterations(body: Json, blocks: readonly ContentBlock[], own: Json): readonly Json[] {
  const advice = blocks.filter((block) => (block.type as string) === 'advisor_tool_result').length;
  const tool = toolNamed(body, 'advisor');
  if (advice === 0 || !isObject(tool)) return [];
  const model = stringOf(tool['model']);
  const iteration = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const asked = Array.from({ length: advice }, () => ({ type: 'advisor_message', model, ...iteration }));
  return [{ type: 'message', ...own }, ...asked];
}
