import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import type { CheckContext } from './context.ts';

const clearThinking = 'clear_thinking_20251015';
const clearResults = 'clear_tool_uses_20250919';
const summarize = 'compact_20260112';
const editsBeta = 'context-management-2025-06-27';

interface EditRule {
  readonly beta: string;
  readonly fields: readonly string[];
}

const rules: Readonly<Record<string, EditRule>> = {
  [clearThinking]: { beta: editsBeta, fields: ['keep'] },
  [clearResults]: {
    beta: editsBeta,
    fields: ['trigger', 'keep', 'clear_at_least', 'exclude_tools', 'clear_tool_inputs'],
  },
  [summarize]: { beta: 'compact-2026-01-12', fields: ['trigger', 'instructions', 'pause_after_compaction'] },
};

/** `context_management`: edits that the model has, with their betas, in the right order. */
export function checkEdits(context: CheckContext): ApiProblem | null {
  const { body } = context;
  const config = body['context_management'] ?? null;
  if (config === null) return null;
  if (!isObject(config)) return invalid('context_management: Input should be an object');
  const extra = Object.keys(config).find((key) => key !== 'edits');
  if (extra) return invalid(`context_management.${extra}: Extra inputs are not permitted`);
  const edits = config['edits'] ?? [];
  if (!Array.isArray(edits)) return invalid('context_management.edits: Input should be a valid list');
  const types = edits.map((edit) => stringOf(isObject(edit) ? edit['type'] : ''));
  for (const [index, edit] of edits.entries()) {
    const path = `context_management.edits.${index}`;
    const type = types[index] ?? '';
    if (types.indexOf(type) !== index) return invalid(`${path}: \`${type}\` may be given once`);
    const found = checkType(type, path, context) ?? checkEdit(edit as Json, { path, type, index, body });
    if (found) return found;
  }
  return null;
}

function checkType(type: string, path: string, { model, betas }: CheckContext): ApiProblem | null {
  const rule = ruleOf(type);
  if (!rule) return invalid(`${path}: Input tag '${type}' does not match any of the expected tags`);
  if (!betas.includes(rule.beta)) return invalid(`${path}: \`${type}\` requires the beta header ${rule.beta}`);
  if (isSupported(model.info.capabilities?.context_management, type)) return null;
  return invalid(`${path}: \`${type}\` is not supported for this model`);
}

function ruleOf(type: string): EditRule | undefined {
  return Object.hasOwn(rules, type) ? rules[type] : undefined;
}

function isSupported(capability: object | undefined, type: string): boolean {
  const support: unknown = (capability as Json | undefined)?.[type];
  return isObject(support) && support['supported'] === true;
}

interface EditPlace {
  readonly path: string;
  readonly type: string;
  readonly index: number;
  readonly body: Json;
}

function checkEdit(edit: Json, { path, type, index, body }: EditPlace): ApiProblem | null {
  const extra = Object.keys(edit).find((key) => key !== 'type' && !ruleOf(type)?.fields.includes(key));
  if (extra) return invalid(`${path}.${type}.${extra}: Extra inputs are not permitted`);
  if (type === clearThinking) return checkThinkingEdit(edit, { path, type, index, body });
  return (
    checkAmount(edit['trigger'], `${path}.trigger`, ['input_tokens', 'tool_uses']) ??
    checkAmount(edit['keep'], `${path}.keep`, ['tool_uses']) ??
    checkAmount(edit['clear_at_least'], `${path}.clear_at_least`, ['input_tokens'])
  );
}

function checkThinkingEdit({ keep }: Json, { path, index, body }: EditPlace): ApiProblem | null {
  if (index !== 0) return invalid(`${path}: \`${clearThinking}\` must be the first edit`);
  const thinking = isObject(body['thinking']) ? body['thinking']['type'] : undefined;
  if (thinking !== 'adaptive' && thinking !== 'enabled') {
    return invalid(`${path}: \`${clearThinking}\` strategy requires \`thinking\` to be enabled or adaptive`);
  }
  if (keep === undefined || keep === 'all' || isAmount(keep, ['thinking_turns', 'all'])) return null;
  return invalid(`${path}.keep: Input should be 'all' or a number of thinking turns`);
}

function checkAmount(value: unknown, path: string, types: readonly string[]): ApiProblem | null {
  if (value === undefined || value === null || isAmount(value, types)) return null;
  return invalid(`${path}: Input should be an amount of ${types.join(' or ')}`);
}

function isAmount(value: unknown, types: readonly string[]): boolean {
  if (!isObject(value) || !types.includes(stringOf(value['type']))) return false;
  return value['type'] === 'all' || (Number.isInteger(value['value']) && (value['value'] as number) >= 0);
}
