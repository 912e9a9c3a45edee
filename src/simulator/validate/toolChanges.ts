import type { ApiProblem } from '../problem.ts';
import { invalid, problem } from '../problem.ts';
import { asArray, isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { messagesOf, typeOf } from './context.ts';
import type { CheckContext } from './context.ts';
import { checkDefinition } from './tools.ts';

const changesBeta = 'mid-conversation-tool-changes-2026-07-01';
const inlineBeta = 'inline-tools-2026-09-15';

/** `tool_addition` and `tool_removal` in system messages: betas, shapes, and that what they name is there. */
export function checkToolChanges(context: CheckContext): ApiProblem | null {
  const known = new Set(asArray(context.body['tools']).map((tool) => (isObject(tool) ? stringOf(tool['name']) : '')));
  for (const { index, role, blocks } of messagesOf(context.body)) {
    for (const [position, block] of blocks.entries()) {
      if (!isToolChange(block)) continue;
      const path = `messages.${index}.content.${position}`;
      const found = checkChange(block, { path, role, known, context });
      if (found) return found;
    }
  }
  return null;
}

export function isToolChange(block: Json): boolean {
  return typeOf(block) === 'tool_addition' || typeOf(block) === 'tool_removal';
}

interface ChangePlace {
  readonly path: string;
  readonly role: string;
  /** Names of the tools that are there at this place. */
  readonly known: Set<string>;
  readonly context: CheckContext;
}

function checkChange(block: Json, place: ChangePlace): ApiProblem | null {
  const { path, role, known, context } = place;
  if (role !== 'system')
    return invalid(`${path}: \`${typeOf(block)}\` blocks are only permitted in \`system\` messages`);
  if (!context.betas.includes(changesBeta)) return invalid(`${path}: requires the beta header ${changesBeta}`);
  const extra = Object.keys(block).find((key) => !['type', 'tool', 'cache_control'].includes(key));
  if (extra) return invalid(`${path}.${typeOf(block)}.${extra}: Extra inputs are not permitted`);
  const { tool } = block;
  if (!isObject(tool)) return invalid(`${path}.tool: Input should be an object`);
  if (tool['type'] === 'tool_reference') {
    if (known.has(stringOf(tool['name']))) return null;
    return problem(400, 'invalid_request_error', `${path}.tool: no tool of this name`, {
      error_code: 'tool_reference_unresolved',
    });
  }
  if (typeOf(block) === 'tool_removal' || tool['type'] !== 'tool_definition') {
    return invalid(`${path}.tool: Input tag '${stringOf(tool['type'])}' does not match any of the expected tags`);
  }
  if (!context.betas.includes(inlineBeta)) return invalid(`${path}: requires the beta header ${inlineBeta}`);
  const { definition } = tool;
  if (!isObject(definition)) return invalid(`${path}.tool.definition: Input should be an object`);
  known.add(stringOf(definition['name']));
  return checkDefinition(definition, `${path}.tool.definition`, context);
}
