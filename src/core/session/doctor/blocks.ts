import { isBase64 } from '../../base/base64.ts';
import { isObject, stringAt, type JsonObject } from '../../base/json.ts';
import type { ItemChange } from '../entries.ts';
import { UNREADABLE_ITEM, type Ailment } from './finding.ts';

export interface Ill {
  readonly ailment: Ailment;
  readonly fix: ItemChange;
}

export type Spot = 'user' | 'assistant' | 'result';

const UNREADABLE: ItemChange = { kind: 'replace', text: UNREADABLE_ITEM };
const DROP: ItemChange = { kind: 'drop' };

/** The fields that blocks of ours may have (Messages API, `ContentBlockParam`). Claude's own blocks go back as they came. */
const ourFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations', 'cache_control'],
  image: ['source', 'cache_control', 'transformations'],
  document: ['source', 'title', 'context', 'citations', 'cache_control'],
  search_result: ['source', 'title', 'content', 'citations', 'cache_control'],
  tool_result: ['tool_use_id', 'content', 'is_error', 'toolset_name', 'cache_control'],
  container_upload: ['file_id', 'cache_control'],
  tool_reference: ['tool_name', 'cache_control'],
  browser_state: ['tabs', 'state_changes', 'cache_control'],
};
const places: { readonly [S in Exclude<Spot, 'assistant'>]: readonly string[] } = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload'],
  result: ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'],
};
const neverClaudes = ['image', 'document', 'search_result', 'tool_result'];

/** What is wrong with one block where it stands, images and pairs aside; undefined when nothing is. */
export function examineBlock(block: unknown, spot: Spot): Ill | undefined {
  const type = stringAt(block, 'type');
  if (!isObject(block) || type === undefined || type === '') return shape(spot);
  if (spot === 'assistant') return examineClaudes(block, type);
  if (!places[spot].includes(type)) return { ailment: 'place', fix: UNREADABLE };
  const fields = ourFields[type] ?? [];
  if (type === 'text') return examineText(block, fields);
  if (Object.keys(block).some((key) => key !== 'type' && !fields.includes(key))) return shape(spot);
  return isWhole(block, type) ? undefined : shape(spot);
}

function shape(spot: Spot): Ill {
  return { ailment: 'shape', fix: spot === 'assistant' ? DROP : UNREADABLE };
}

function examineText(block: JsonObject, fields: readonly string[]): Ill | undefined {
  const { text, citations } = block;
  if (typeof text !== 'string') return shape('user');
  if (text.trim() === '') return { ailment: 'blankText', fix: UNREADABLE };
  const plain: ItemChange = { kind: 'replace', text };
  if (Object.keys(block).some((key) => key !== 'type' && !fields.includes(key)))
    return { ailment: 'shape', fix: plain };
  return Array.isArray(citations) && citations.length > 0 ? { ailment: 'citations', fix: plain } : undefined;
}

function isWhole(block: JsonObject, type: string): boolean {
  switch (type) {
    case 'image':
      return isWholeSource(block['source'], ['base64', 'url', 'file']);
    case 'document':
      return isWholeSource(block['source'], ['base64', 'text', 'content', 'url', 'file']);
    case 'search_result':
      return isWholeSearchResult(block);
    case 'container_upload':
      return typeof block['file_id'] === 'string';
    case 'tool_result':
      return typeof block['tool_use_id'] === 'string';
    default:
      return true;
  }
}

function isWholeSource(source: unknown, kinds: readonly string[]): boolean {
  const type = stringAt(source, 'type');
  if (type === undefined || !kinds.includes(type)) return false;
  switch (type) {
    case 'base64':
      return isBase64(stringAt(source, 'data') ?? '') && stringAt(source, 'media_type') !== undefined;
    case 'file':
      return stringAt(source, 'file_id') !== undefined;
    case 'url':
      return /^https?:\/\/./.test(stringAt(source, 'url') ?? '');
    case 'text':
      return (stringAt(source, 'data') ?? '') !== '';
    default:
      return true;
  }
}

function isWholeSearchResult({ source, title, content }: JsonObject): boolean {
  if (typeof source !== 'string' || typeof title !== 'string' || !Array.isArray(content)) return false;
  return content.every((item: unknown) => {
    const hasCitations = isObject(item) && Array.isArray(item['citations']) && item['citations'].length > 0;
    return stringAt(item, 'type') === 'text' && (stringAt(item, 'text') ?? '').trim() !== '' && !hasCitations;
  });
}

/** Blocks of types that are not known here are left alone: the API may send new ones, and wants them back. */
function examineClaudes(block: JsonObject, type: string): Ill | undefined {
  if (neverClaudes.includes(type)) return { ailment: 'place', fix: DROP };
  switch (type) {
    case 'text':
      if (typeof block['text'] !== 'string') return shape('assistant');
      return block['text'].trim() === '' ? { ailment: 'blankText', fix: DROP } : undefined;
    case 'thinking':
      return isStrings(block, ['thinking', 'signature']) ? undefined : shape('assistant');
    case 'redacted_thinking':
      return isStrings(block, ['data']) ? undefined : shape('assistant');
    case 'tool_use':
      return examineCall(block, /^[a-zA-Z0-9_-]+$/);
    case 'server_tool_use':
      return examineCall(block, /^srvtoolu_[a-zA-Z0-9_]+$/);
    case 'container_upload':
      return isStrings(block, ['file_id']) ? undefined : shape('assistant');
    default:
      return type.endsWith('_tool_result') && type !== 'mcp_tool_result' ? examineServerResult(block) : undefined;
  }
}

function examineCall(block: JsonObject, id: RegExp): Ill | undefined {
  const { name } = block;
  if (typeof block['id'] !== 'string' || !id.test(block['id'])) return { ailment: 'callId', fix: DROP };
  if (typeof name !== 'string' || name === '' || name.length > 200 || !isObject(block['input']))
    return shape('assistant');
  return undefined;
}

function examineServerResult(block: JsonObject): Ill | undefined {
  if (!(stringAt(block, 'tool_use_id') ?? '').startsWith('srvtoolu_')) return { ailment: 'callId', fix: DROP };
  const { content } = block;
  return isObject(content) || Array.isArray(content) ? undefined : shape('assistant');
}

function isStrings(block: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => typeof block[key] === 'string');
}
