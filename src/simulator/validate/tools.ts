import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { asArray, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { checkAdvisor, checkToolset } from './connectors.ts';
import { messagesOf } from './context.ts';
import type { CheckContext } from './context.ts';

type TypedTool = Exclude<ToolUnion, { type?: 'custom' | null }>['type'];

const SEARCH_FIELDS = ['max_uses', 'allowed_domains', 'blocked_domains', 'user_location'];
const FETCH_FIELDS = [
  'max_uses',
  'allowed_domains',
  'blocked_domains',
  'citations',
  'max_content_tokens',
  'url_sources',
];

/** Fixed name of each typed tool that the simulator takes, and the option fields beyond the common ones. */
const typedTools: Partial<
  Record<TypedTool | 'advisor_20260301', { readonly name: string; readonly fields: readonly string[] }>
> = {
  bash_20250124: { name: 'bash', fields: ['input_examples'] },
  text_editor_20250124: { name: 'str_replace_editor', fields: ['input_examples'] },
  text_editor_20250429: { name: 'str_replace_based_edit_tool', fields: ['input_examples'] },
  text_editor_20250728: { name: 'str_replace_based_edit_tool', fields: ['input_examples', 'max_characters'] },
  memory_20250818: { name: 'memory', fields: ['input_examples'] },
  web_search_20250305: { name: 'web_search', fields: SEARCH_FIELDS },
  web_search_20260209: { name: 'web_search', fields: SEARCH_FIELDS },
  web_search_20260318: { name: 'web_search', fields: [...SEARCH_FIELDS, 'response_inclusion'] },
  web_fetch_20250910: { name: 'web_fetch', fields: FETCH_FIELDS },
  web_fetch_20260209: { name: 'web_fetch', fields: FETCH_FIELDS },
  web_fetch_20260309: { name: 'web_fetch', fields: [...FETCH_FIELDS, 'use_cache'] },
  web_fetch_20260318: { name: 'web_fetch', fields: [...FETCH_FIELDS, 'use_cache', 'response_inclusion'] },
  tool_search_tool_regex_20251119: { name: 'tool_search_tool_regex', fields: [] },
  tool_search_tool_bm25_20251119: { name: 'tool_search_tool_bm25', fields: [] },
  advisor_20260301: { name: 'advisor', fields: ['model', 'max_uses', 'max_tokens', 'caching'] },
  code_execution_20250522: { name: 'code_execution', fields: [] },
  code_execution_20250825: { name: 'code_execution', fields: [] },
  code_execution_20260120: { name: 'code_execution', fields: [] },
  code_execution_20260521: { name: 'code_execution', fields: [] },
};

const commonFields = ['type', 'name', 'allowed_callers', 'cache_control', 'defer_loading', 'strict'];
const customFields = [...commonFields, 'description', 'eager_input_streaming', 'input_examples', 'input_schema'];
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/** Tool definitions and `tool_choice`. */
export function checkTools(context: CheckContext): ApiProblem | null {
  const { tools } = context.body;
  if (tools !== undefined && !Array.isArray(tools)) return invalid('tools: Input should be a valid list');
  const names = new Set<string>();
  for (const [index, tool] of asArray(tools).entries()) {
    if (!isObject(tool)) return invalid(`tools.${index}: Input should be an object`);
    const problem = checkDefinition(tool, `tools.${index}`, context);
    if (problem) return problem;
    if (tool['type'] === 'mcp_toolset') continue;
    const name = stringOf(tool['name']);
    if (names.has(name)) return invalid('tools: Tool names must be unique.');
    names.add(name);
  }
  return checkToolChoice(context, names);
}

/** One definition of a tool, in the list or in a message. */
export function checkDefinition(tool: Json, path: string, context: CheckContext): ApiProblem | null {
  if (tool['type'] === 'mcp_toolset') return checkToolset(tool, path);
  return isCustom(tool) ? checkCustom(tool, `${path}.custom`) : checkTyped(tool, path, context);
}

/** Domain lists, and code in a container that calls web tools (Messages API, "Server tools"). */
function checkWebTool(tool: Json, path: string, { body, model }: CheckContext): ApiProblem | null {
  const { allowed_domains: allowed, blocked_domains: blocked } = tool;
  if (allowed !== undefined && blocked !== undefined) {
    return invalid(`${path}: only one of allowed_domains and blocked_domains may be given`);
  }
  const domain = [...asArray(allowed), ...asArray(blocked)].find((entry) => !isDomain(stringOf(entry)));
  if (domain !== undefined) return invalid(`${path}: '${stringOf(domain)}' is not a valid domain`);
  if (Number(stringOf(tool['type']).slice(-8)) < 20260209) return null;
  const callers = asArray(tool['allowed_callers']);
  if (!callers.includes('direct') && !model.info.capabilities?.code_execution.supported) {
    return invalid(
      `${path}: '${model.info.id}' does not support programmatic tool calling; set allowed_callers to ["direct"]`,
    );
  }
  const code = asArray(body['tools']).find((other) => isObject(other) && other['name'] === 'code_execution');
  if (isObject(code) && Number(stringOf(code['type']).slice(-8)) < 20260120) {
    return invalid(`${path}: needs code_execution_20260120 or later`);
  }
  return null;
}

function isDomain(entry: string): boolean {
  return /^[a-z0-9.-]+\.[a-z0-9-]+(\/[\x21-\x7e]*)?$/i.test(entry);
}

/** The server tool that a `server_tool_use` of this name belongs to is declared. */
export function declaresServerTool(body: Json, callName: string): boolean {
  const tool = serverToolOf(callName);
  return [...asArray(body['tools']), ...addedTools(body)].some((item) => isObject(item) && item['name'] === tool);
}

/** Definitions that messages add. */
function addedTools(body: Json): readonly unknown[] {
  return messagesOf(body).flatMap(({ role, blocks }) =>
    role === 'system' ? blocks.flatMap(({ tool }) => (isObject(tool) ? [tool['definition']] : [])) : [],
  );
}

/** `bash_code_execution` and `text_editor_code_execution` are calls of `code_execution`. */
export function serverToolOf(callName: string): string {
  return callName.endsWith('code_execution') ? 'code_execution' : callName;
}

function isCustom(tool: Json): boolean {
  return tool['type'] === undefined || tool['type'] === null || tool['type'] === 'custom';
}

function checkCustom(tool: Json, path: string): ApiProblem | null {
  const extra = Object.keys(tool).find((key) => !customFields.includes(key));
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  if (tool['name'] === undefined) return invalid(`${path}.name: Field required`);
  if (typeof tool['name'] !== 'string' || !namePattern.test(tool['name'])) {
    return invalid(`${path}.name: String should match pattern '${namePattern.source}'`);
  }
  const schema = tool['input_schema'];
  if (schema === undefined) return invalid(`${path}.input_schema: Field required`);
  if (!isObject(schema)) return invalid(`${path}.input_schema: Input should be an object`);
  if (schema['type'] !== 'object') return invalid(`${path}.input_schema.type: Input should be 'object'`);
  if (tool['description'] !== undefined && typeof tool['description'] !== 'string') {
    return invalid(`${path}.description: Input should be a valid string`);
  }
  if (tool['strict'] === true && schema['additionalProperties'] !== false) {
    return invalid(`${path}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  }
  return null;
}

function checkTyped(tool: Json, place: string, context: CheckContext): ApiProblem | null {
  const type = stringOf(tool['type']);
  const known = Object.hasOwn(typedTools, type) ? typedTools[type as TypedTool] : undefined;
  if (!known) {
    const tags = Object.keys(typedTools).map((tag) => `'${tag}'`);
    return invalid(
      `${place}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}, 'custom'`,
    );
  }
  const path = `${place}.${type}`;
  if (tool['name'] !== known.name) return invalid(`${path}.name: Input should be '${known.name}'`);
  const extra = Object.keys(tool).find((key) => !commonFields.includes(key) && !known.fields.includes(key));
  if (extra) return invalid(`${path}.${extra}: Extra inputs are not permitted`);
  return checkServerTool(tool, path, context);
}

/** What the model has of Anthropic's own tools, and a beta where one is asked for. */
function checkServerTool(tool: Json, path: string, context: CheckContext): ApiProblem | null {
  const [type, name] = [stringOf(tool['type']), stringOf(tool['name'])];
  const { info } = context.model;
  if (type === 'code_execution_20250522' && !context.betas.includes('code-execution-2025-05-22')) {
    return invalid(`${path}: requires the beta header code-execution-2025-05-22`);
  }
  if (name === 'advisor') return checkAdvisor(tool, path, context);
  const isServers = name === 'code_execution' || name === 'web_search';
  if (isServers && !info.capabilities?.server_tools[name].supported) {
    return invalid(`'${info.id}' does not support tool types: ${type}.`);
  }
  return name.startsWith('web_') ? checkWebTool(tool, path, context) : null;
}

function checkToolChoice({ body, model }: CheckContext, names: ReadonlySet<string>): ApiProblem | null {
  const choice = body['tool_choice'];
  if (choice === undefined) return null;
  if (!isObject(choice)) return invalid('tool_choice: Input should be an object');
  const type = stringOf(choice['type']);
  if (!['auto', 'any', 'tool', 'none'].includes(type)) {
    return invalid(`tool_choice: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  const allowed = [
    'type',
    ...(type === 'tool' ? ['name'] : []),
    ...(type === 'none' ? [] : ['disable_parallel_tool_use']),
  ];
  const extra = Object.keys(choice).find((key) => !allowed.includes(key));
  if (extra) return invalid(`tool_choice.${type}.${extra}: Extra inputs are not permitted`);
  return checkForced(choice, type, { body, model, names });
}

interface ForcedContext {
  readonly body: Json;
  readonly model: CheckContext['model'];
  readonly names: ReadonlySet<string>;
}

function checkForced(choice: Json, type: string, { body, model, names }: ForcedContext): ApiProblem | null {
  if (names.size === 0) return invalid('tool_choice may only be specified while providing tools');
  if (type === 'auto' || type === 'none') return null;
  if (!model.forcedToolChoice) return invalid(`tool_choice: '${type}' is not supported for this model`);
  const thinking = isObject(body['thinking']) ? body['thinking']['type'] : undefined;
  if (thinking === 'enabled') return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  if (type === 'tool' && !names.has(stringOf(choice['name']))) {
    return invalid(`tool_choice: Tool '${stringOf(choice['name'])}' not found in provided tools`);
  }
  return null;
}
