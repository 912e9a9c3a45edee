import type { ApiProblem } from '../problem.ts';
import { invalid, problem } from '../problem.ts';
import { asArray, blocksOf, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { messagesOf, typeOf } from './context.ts';
import type { CheckContext } from './context.ts';

export const MCP_BETAS = ['mcp-client-2026-09-15', 'mcp-client-2025-11-20'];
export const ADVISOR_BETA = 'advisor-tool-2026-03-01';

/** The MCP connector, the advisor, and references to tools that are loaded on demand. */
export function checkConnectors(context: CheckContext): ApiProblem | null {
  return checkServers(context) ?? checkHistory(context) ?? checkDeferral(context.body) ?? checkReferences(context.body);
}

/** Each server has one toolset, and each toolset its server (Messages API, "MCP connector"). */
function checkServers({ body, betas }: CheckContext): ApiProblem | null {
  const toolsets = toolsetsOf(body);
  const servers = asArray(body['mcp_servers']);
  if (toolsets.length + servers.length > 0 && !MCP_BETAS.some((beta) => betas.includes(beta)))
    return invalid(`mcp_servers: requires the beta header ${MCP_BETAS[0]}`);
  const names: string[] = [];
  for (const [index, server] of servers.entries()) {
    const wrong = checkServer(server, `mcp_servers.${index}`);
    if (wrong) return wrong;
    names.push(stringOf((server as Json)['name']));
  }
  if (new Set(names).size !== names.length) return invalid('mcp_servers: names must be unique');
  const wanted = toolsets.map((toolset) => stringOf(toolset['mcp_server_name']));
  if (new Set(wanted).size !== wanted.length) return invalid('tools: each MCP server may have one mcp_toolset only');
  const lonely = names.find((name) => !wanted.includes(name));
  if (lonely !== undefined) return invalid(`mcp_servers: '${lonely}' is not referenced by any mcp_toolset`);
  const unknown = wanted.find((name) => !names.includes(name));
  return unknown === undefined ? null : invalid(`tools: mcp_toolset names the unknown MCP server '${unknown}'`);
}

function checkServer(server: unknown, path: string): ApiProblem | null {
  if (!isObject(server)) return invalid(`${path}: Input should be an object`);
  if (server['type'] !== 'url') return invalid(`${path}.type: Input should be 'url'`);
  const extra = Object.keys(server).find((key) => !['type', 'url', 'name', 'authorization_token'].includes(key));
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  if (!stringOf(server['url']).startsWith('https://')) return invalid(`${path}.url: MCP server URL must use HTTPS`);
  return stringOf(server['name']) === '' ? invalid(`${path}.name: Field required`) : null;
}

/** Blocks of a beta need its header, also where nothing of it is declared any more. */
function checkHistory({ body, betas }: CheckContext): ApiProblem | null {
  const blocks = messagesOf(body).flatMap((message) => (message.role === 'assistant' ? message.blocks : []));
  const servers = new Set(toolsetsOf(body).map((toolset) => toolset['mcp_server_name']));
  for (const block of blocks) {
    const type = typeOf(block);
    if (type.startsWith('mcp_tool_') && !MCP_BETAS.some((beta) => betas.includes(beta)))
      return invalid(`messages: \`${type}\` blocks require the beta header ${MCP_BETAS[0]}`);
    // Tools of the user's or of an MCP server may have that name too.
    const asks = type === 'server_tool_use' && block['name'] === 'advisor';
    if ((type === 'advisor_tool_result' || asks) && !betas.includes(ADVISOR_BETA))
      return invalid(`messages: \`${type}\` blocks require the beta header ${ADVISOR_BETA}`);
    if (type === 'mcp_tool_listing' && !servers.has(block['mcp_server_name']))
      return unresolved(
        `messages: a listing of the MCP server '${stringOf(block['mcp_server_name'])}', which is not there`,
      );
  }
  return null;
}

function checkDeferral(body: Json): ApiProblem | null {
  const tools = asArray(body['tools']).filter(isObject);
  for (const tool of tools.filter(isDeferred)) {
    if (stringOf(tool['name']).startsWith('tool_search_tool'))
      return invalid('tools: the search tool cannot be deferred');
    if (isObject(tool['cache_control'])) return invalid('tools: defer_loading cannot be combined with cache_control');
  }
  if (tools.length === 0 || !tools.every(isDeferred)) return null;
  return invalid('At least one tool must have defer_loading=false. All tools cannot be deferred.');
}

function isDeferred(tool: Json): boolean {
  const usual = tool['default_config'];
  return tool['defer_loading'] === true || (isObject(usual) && usual['defer_loading'] === true);
}

/** Names of tools of a server that is declared are that server's own business. */
function checkReferences(body: Json): ApiProblem | null {
  if (toolsetsOf(body).length > 0) return null;
  const known = new Set(asArray(body['tools']).map((tool) => (isObject(tool) ? tool['name'] : undefined)));
  for (const { blocks } of messagesOf(body)) {
    for (const block of blocks) {
      const gone = referencesIn(block).find((name) => !known.has(name));
      if (gone !== undefined) return invalid(`Tool reference '${gone}' not found in available tools`);
    }
  }
  return null;
}

function referencesIn(block: Json): readonly string[] {
  const { content } = block;
  const found = isObject(content) ? asArray(content['tool_references']) : blocksOf(content);
  return found
    .filter(isObject)
    .flatMap((item) => (typeOf(item) === 'tool_reference' ? [stringOf(item['tool_name'])] : []));
}

function toolsetsOf(body: Json): readonly Json[] {
  return asArray(body['tools'])
    .filter(isObject)
    .filter((tool) => tool['type'] === 'mcp_toolset');
}

function unresolved(message: string): ApiProblem {
  return problem(400, 'invalid_request_error', message, { error_code: 'tool_reference_unresolved' });
}

const toolsetFields = ['type', 'mcp_server_name', 'default_config', 'configs', 'cache_control', 'tools'];

/** One `mcp_toolset`: its fields; unknown names in `configs` are no error. */
export function checkToolset(tool: Json, place: string): ApiProblem | null {
  const path = `${place}.mcp_toolset`;
  const extra = Object.keys(tool).find((key) => !toolsetFields.includes(key));
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  const configs = isObject(tool['configs']) ? Object.values(tool['configs']) : [];
  for (const config of [tool['default_config'] ?? {}, ...configs]) {
    const wrong = isObject(config)
      ? Object.keys(config).find((key) => key !== 'enabled' && key !== 'defer_loading')
      : '';
    if (wrong !== undefined) return invalid(`${path}.configs.${wrong}: Extra inputs are not permitted`);
  }
  return null;
}

/** An advisor is at least as capable as who asks it (Messages API, "Advisor tool"). */
export function checkAdvisor(tool: Json, path: string, { betas, model }: CheckContext): ApiProblem | null {
  if (!betas.includes(ADVISOR_BETA)) return invalid(`${path}: requires the beta header ${ADVISOR_BETA}`);
  const advisor = stringOf(tool['model']);
  if (advisor === '') return invalid(`${path}.model: Field required`);
  const executor = model.info.id;
  const fits = !/^claude-fable-5-2(?!\d)/.test(executor) || /^claude-(fable|mythos)-5-2(?!\d)/.test(advisor);
  return fits ? null : invalid(`${path}: '${advisor}' cannot be used as an advisor for '${executor}'`);
}
