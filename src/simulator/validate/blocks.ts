import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiProblem } from '../problem.ts';
import { invalid, notFound } from '../problem.ts';
import { asArray, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { canonical } from '../chain.ts';
import type { CheckContext } from './context.ts';

export interface BlockPlace {
  readonly path: string;
  readonly role: 'user' | 'assistant' | 'system' | 'tool_result';
  readonly context: CheckContext;
}

interface BlockRule {
  /** Required and optional fields besides `type`. */
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  readonly places: readonly BlockPlace['role'][];
  readonly check?: (block: Json, place: BlockPlace) => ApiProblem | null;
}

const serverResult: BlockRule = {
  required: ['tool_use_id', 'content'],
  optional: ['cache_control', 'caller'],
  places: ['assistant'],
  check: checkServerResult,
};

const rules: Record<ContentBlockParam['type'], BlockRule> = {
  text: {
    required: ['text'],
    optional: ['citations', 'cache_control'],
    places: ['user', 'assistant', 'system', 'tool_result'],
    check: checkText,
  },
  image: {
    required: ['source'],
    optional: ['cache_control', 'transformations'],
    places: ['user', 'tool_result'],
    check: checkImage,
  },
  document: {
    required: ['source'],
    optional: ['title', 'context', 'citations', 'cache_control'],
    places: ['user', 'tool_result'],
    check: checkDocument,
  },
  search_result: {
    required: ['source', 'title', 'content'],
    optional: ['citations', 'cache_control'],
    places: ['user', 'tool_result'],
    check: checkSearchResult,
  },
  tool_result: {
    required: ['tool_use_id'],
    optional: ['content', 'is_error', 'toolset_name', 'cache_control'],
    places: ['user'],
    check: checkToolResult,
  },
  container_upload: {
    required: ['file_id'],
    optional: ['cache_control'],
    places: ['user', 'assistant'],
    check: (block, place) => checkFile(block['file_id'], place),
  },
  tool_use: {
    required: ['id', 'name', 'input'],
    optional: ['caller', 'toolset_name', 'cache_control'],
    places: ['assistant'],
    check: checkToolUse,
  },
  server_tool_use: {
    required: ['id', 'name', 'input'],
    optional: ['caller', 'cache_control'],
    places: ['assistant'],
    check: checkToolUse,
  },
  thinking: { required: ['thinking', 'signature'], places: ['assistant'], check: checkThinkingShape },
  redacted_thinking: { required: ['data'], places: ['assistant'] },
  bash_code_execution_tool_result: serverResult,
  text_editor_code_execution_tool_result: serverResult,
  code_execution_tool_result: serverResult,
  web_search_tool_result: serverResult,
  web_fetch_tool_result: serverResult,
  tool_search_tool_result: serverResult,
};

/** One content block: a known type, in a place where it may be, with its own fields and no others. */
export function checkBlock(block: unknown, place: BlockPlace): ApiProblem | null {
  const { path, role } = place;
  if (!isObject(block)) return invalid(`${path}: Input should be an object`);
  const type = stringOf(block['type']);
  // Looked at by themselves: `checkCompaction`, `checkToolChanges`, `checkConnectors`.
  if (isJudgedElsewhere(type, role)) return null;
  if (!Object.hasOwn(rules, type)) return checkUnknown(block, type, place);
  const rule = rules[type as ContentBlockParam['type']];
  if (!rule.places.includes(role)) return misplaced(type, path, role);
  for (const field of rule.required) {
    if (block[field] === undefined) return invalid(`${path}.${type}.${field}: Field required`);
  }
  const extra = Object.keys(block).find(
    (key) => key !== 'type' && !rule.required.includes(key) && !rule.optional?.includes(key),
  );
  if (extra) return invalid(`${path}.${type}.${extra}: Extra inputs are not permitted`);
  return rule.check?.(block, place) ?? null;
}

function isJudgedElsewhere(type: string, role: BlockPlace['role']): boolean {
  return (
    (type === 'compaction' && role === 'assistant') ||
    type === 'tool_addition' ||
    type === 'tool_removal' ||
    (type === 'tool_reference' && role === 'tool_result')
  );
}

function checkUnknown(block: Json, type: string, { path, role, context }: BlockPlace): ApiProblem | null {
  const { state } = context;
  const echoed = state.options.acceptUnknownSignatures || state.unknownBlocks.has(canonical(block));
  if (role === 'assistant' && type !== '' && echoed) return null;
  const tags = Object.keys(rules).map((tag) => `'${tag}'`);
  return invalid(
    `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags.join(', ')}`,
  );
}

function misplaced(type: string, path: string, role: string): ApiProblem {
  if (type === 'document' && role === 'assistant') {
    return invalid(`${path}: \`document\` blocks are not permitted in \`assistant\` messages`);
  }
  const where = role === 'tool_result' ? '`tool_result` content' : `\`${role}\` messages`;
  return invalid(`${path}: \`${type}\` blocks are not permitted in ${where}`);
}

function checkText(block: Json, { path, role }: BlockPlace): ApiProblem | null {
  const { text, citations } = block;
  if (typeof text !== 'string') return invalid(`${path}.text.text: Input should be a valid string`);
  if (text === '') return invalid('messages: text content blocks must be non-empty');
  if (role !== 'tool_result' && text.trim() === '') {
    return invalid('messages: text content blocks must contain non-whitespace text');
  }
  if (role !== 'assistant' && asArray(citations).length > 0) {
    return invalid(`${path}.text.citations: citations are not permitted in \`user\` messages`);
  }
  return null;
}

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

function checkImage(block: Json, place: BlockPlace): ApiProblem | null {
  const { source } = block;
  const { path } = place;
  if (!isObject(source)) return invalid(`${path}.image.source: Input should be an object`);
  if (source['type'] === 'file') return checkFile(source['file_id'], place);
  if (source['type'] === 'url') return null;
  if (source['type'] !== 'base64') return invalid(`${path}.image.source: Input tag found using 'type' is not expected`);
  if (!imageTypes.includes(stringOf(source['media_type']))) {
    return invalid(`${path}.image.source.base64.media_type: Input should be ${imageTypes.join(', ')}`);
  }
  return checkBase64(source['data'], `${path}.image.source.base64.data`);
}

function checkDocument(block: Json, place: BlockPlace): ApiProblem | null {
  const { source } = block;
  const { path, context } = place;
  if (!isObject(source)) return invalid(`${path}.document.source: Input should be an object`);
  if (source['type'] === 'file') return checkFile(source['file_id'], place);
  if (source['type'] !== 'base64') return null;
  if (!context.model.info.capabilities?.pdf_input.supported) {
    return invalid(`'${context.model.info.id}' does not support PDF input.`);
  }
  return checkBase64(source['data'], `${path}.document.source.base64.data`);
}

function checkBase64(data: unknown, path: string): ApiProblem | null {
  if (typeof data === 'string' && data !== '' && /^[A-Za-z0-9+/]+={0,2}$/.test(data)) return null;
  return invalid(`${path}: invalid base64 data`);
}

function checkSearchResult(block: Json, place: BlockPlace): ApiProblem | null {
  for (const [index, item] of asArray(block['content']).entries()) {
    const path = `${place.path}.search_result.content.${index}`;
    if (!isObject(item) || item['type'] !== 'text') return invalid(`${path}: Input should be a text block`);
    const problem = checkText(item, { ...place, path, role: 'tool_result' });
    if (problem) return problem;
  }
  return null;
}

function checkToolResult(block: Json, place: BlockPlace): ApiProblem | null {
  const { content } = block;
  const path = `${place.path}.tool_result`;
  if (typeof block['tool_use_id'] !== 'string') return invalid(`${path}.tool_use_id: Input should be a valid string`);
  if ((block['toolset_name'] ?? null) !== null) {
    return invalid(`${path}.toolset_name: only results of toolset members may carry \`toolset_name\``);
  }
  if (typeof (block['is_error'] ?? false) !== 'boolean') {
    return invalid(`${path}.is_error: Input should be a valid boolean`);
  }
  if (content !== undefined && typeof content !== 'string' && !Array.isArray(content)) {
    return invalid(`${path}.content: Input should be a valid string or list`);
  }
  for (const [index, item] of asArray(content).entries()) {
    const problem = checkBlock(item, { ...place, path: `${path}.content.${index}`, role: 'tool_result' });
    if (problem) return problem;
  }
  return block['is_error'] === true ? checkErrorResult(content, path) : null;
}

function checkErrorResult(content: unknown, path: string): ApiProblem | null {
  if (content === undefined || asArray(content).length + stringOf(content).length === 0) {
    return invalid(`${path}: content cannot be empty if is_error is true`);
  }
  if (asArray(content).some((item) => !isObject(item) || item['type'] !== 'text')) {
    return invalid(`${path}: all content must be type "text" if is_error is true`);
  }
  return null;
}

function checkToolUse(block: Json, { path }: BlockPlace): ApiProblem | null {
  const type = stringOf(block['type']);
  const id = block['id'];
  const pattern = type === 'server_tool_use' ? /^srvtoolu_[a-zA-Z0-9_]+$/ : /^[a-zA-Z0-9_-]+$/;
  if (typeof id !== 'string' || !pattern.test(id)) {
    return invalid(`${path}.${type}.id: String should match pattern '${pattern.source}'`);
  }
  if (typeof block['name'] !== 'string' || !/^.{1,200}$/s.test(block['name'])) {
    return invalid(`${path}.${type}.name: String should have at least 1 character`);
  }
  return isObject(block['input']) ? null : invalid(`${path}.${type}.input: Input should be a valid dictionary`);
}

function checkThinkingShape(block: Json, { path }: BlockPlace): ApiProblem | null {
  const valid = typeof block['thinking'] === 'string' && typeof block['signature'] === 'string';
  return valid ? null : invalid(`${path}.thinking: Input should be a valid string`);
}

function checkServerResult(block: Json, { path }: BlockPlace): ApiProblem | null {
  const type = stringOf(block['type']);
  const id = block['tool_use_id'];
  if (typeof id !== 'string' || !id.startsWith('srvtoolu_')) {
    return invalid(`${path}.${type}.tool_use_id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'`);
  }
  const content = block['content'];
  return isObject(content) || Array.isArray(content)
    ? null
    : invalid(`${path}.${type}.content: Input should be an object`);
}

function checkFile(id: unknown, { path, context }: BlockPlace): ApiProblem | null {
  if (typeof id !== 'string') return invalid(`${path}.file_id: Input should be a valid string`);
  const { state } = context;
  const file = state.file(id);
  if (file?.expired) return notFound(`File ${id} has expired.`, { error_code: 'file_expired' });
  if (state.options.acceptUnknownFiles || file) return null;
  return notFound(`File not found: ${id}`);
}
