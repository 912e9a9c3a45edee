import assert from 'node:assert/strict';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { MODEL } from '../../../src/simulator/models.ts';

const MCP = 'mcp-client-2026-09-15';
const ADVISOR = 'advisor-tool-2026-03-01';

const asked = { role: 'user', content: 'Go on.' };
const server = (changes: object = {}): object => ({
  ...{ type: 'url', url: 'https://tracker.example/mcp', name: 'tracker' },
  ...changes,
});
const toolset = (changes: object = {}): object => ({ type: 'mcp_toolset', mcp_server_name: 'tracker', ...changes });
const echo = (changes: object = {}): object => ({ name: 'echo', input_schema: { type: 'object' }, ...changes });
const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5-5' };
const both = { mcp_servers: [server()], tools: [toolset()] };
const listing = { type: 'mcp_tool_listing', mcp_server_name: 'tracker', tools: [] };
const ownCall = [
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'advisor', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Fine.' }] },
];

const cases: readonly (readonly [string, object, readonly string[], RegExp])[] = [
  ['a server with its toolset [C137]', both, [MCP], /^ok$/],
  ['both without the beta [C18]', both, [], /mcp_servers: Extra inputs are not permitted/],
  ['a server without a toolset [C137]', { mcp_servers: [server()] }, [MCP], /not referenced by any mcp_toolset/],
  ['a toolset without a server [C137]', { tools: [toolset()] }, [MCP], /unknown MCP server 'tracker'/],
  ['a server with two toolsets [C137]', { ...both, tools: [toolset(), toolset()] }, [MCP], /one mcp_toolset only/],
  ['a server twice', { ...both, mcp_servers: [server(), server()] }, [MCP], /must be unique/],
  ['a server without https', { ...both, mcp_servers: [server({ url: 'http://x.example' })] }, [MCP], /HTTPS/],
  ['a listing of a server that is gone', { messages: [asked, first(listing), asked] }, [MCP], /not there/],
  [
    'everything deferred [C59]',
    { ...both, tools: [toolset({ default_config: { defer_loading: true } })] },
    [MCP],
    /All tools cannot be deferred/,
  ],
  ['a deferred search [C59]', { tools: [echo(), { ...search, defer_loading: true }] }, [], /cannot be deferred/],
  [
    'a deferred tool with a cache mark [C59]',
    { tools: [search, echo({ defer_loading: true, cache_control: { type: 'ephemeral' } })] },
    [],
    /cannot be combined with cache_control/,
  ],
  ['an advisor without its beta [C18]', { tools: [advisor] }, [], /requires the beta header/],
  ['an advisor', { tools: [advisor] }, [ADVISOR], /^ok$/],
  [
    'a tool of the client that is called like the advisor',
    { tools: [echo({ name: 'advisor' })], messages: [asked, ...ownCall] },
    [],
    /^ok$/,
  ],
];

function first(...content: readonly object[]): object {
  return { role: 'assistant', content };
}

suite('the simulator on connectors', () => {
  for (const [name, changes, betas, expected] of cases) {
    test(`judges ${name}`, () => {
      const body = { model: MODEL, max_tokens: 100, messages: [asked], ...changes };
      const problem = validateRequest(body, createIssuedState(), { betas });
      assert.match(problem === null ? 'ok' : problem.error.message, expected);
    });
  }
});
