import type { ApiProblem } from '../problem.ts';
import { invalid } from '../problem.ts';
import { canonical, chainOf, hash } from '../chain.ts';
import type { ChainItem } from '../chain.ts';
import { isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { readSignature } from '../issued.ts';
import { messagesOf, typeOf } from './context.ts';
import type { CheckContext, MessageView } from './context.ts';

const bindingBeta = 'thinking-binding-controls-2026-08-01';
const cannotModify =
  '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. ' +
  'These blocks must remain as they were in the original response.';

/** The `thinking` parameter, and the thinking blocks that come back. */
export function checkThinking(context: CheckContext): ApiProblem | null {
  return checkConfig(context) ?? (thinkingIsOff(context) ? null : (checkBlocks(context) ?? checkLeftOut(context)));
}

export interface DroppedThinking {
  readonly path: string;
  readonly reason: 'model_binding_mismatch' | 'prefix_binding_mismatch';
}

/** Thinking blocks of a valid request that the model does not get to see. */
export function droppedThinking(body: Json, model: string): readonly DroppedThinking[] {
  return chainOf(body).items.flatMap((item) => {
    const signed = isThinking(item.value) ? readSignature(proofOf(item.value)) : undefined;
    if (!signed || (signed.model === model && signed.before === item.before)) return [];
    const reason = signed.model === model ? 'prefix_binding_mismatch' : 'model_binding_mismatch';
    return [{ path: pathOf(item), reason }];
  });
}

function checkConfig({ body, model, betas }: CheckContext): ApiProblem | null {
  const config = body['thinking'];
  if (config === undefined) return null;
  if (!isObject(config)) return invalid('thinking: Input should be an object');
  const type = stringOf(config['type']);
  const types = model.info.capabilities?.thinking.types;
  if (!types || !Object.hasOwn(types, type)) {
    return invalid(`thinking: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  if (!types[type as keyof typeof types].supported) return unsupported(type);
  const extra = Object.keys(config).find((key) => !allowedFields(type, betas).includes(key));
  if (extra) return invalid(`thinking.${type}.${extra}: Extra inputs are not permitted`);
  if (type === 'enabled') return checkBudget(config['budget_tokens'], body['max_tokens']);
  return checkDisplay(config) ?? checkBinding(config);
}

function unsupported(type: string): ApiProblem {
  if (type === 'adaptive') return invalid('adaptive thinking is not supported on this model');
  return invalid(
    `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
  );
}

function allowedFields(type: string, betas: readonly string[]): readonly string[] {
  if (type === 'enabled') return ['type', 'budget_tokens', 'display'];
  if (type !== 'adaptive') return ['type'];
  return betas.includes(bindingBeta) ? ['type', 'display', 'block_binding'] : ['type', 'display'];
}

function checkBudget(budget: unknown, maxTokens: unknown): ApiProblem | null {
  if (!Number.isInteger(budget) || (budget as number) < 1024) {
    return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  if (typeof maxTokens === 'number' && (budget as number) >= maxTokens) {
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  return null;
}

function checkDisplay(config: Json): ApiProblem | null {
  const display = config['display'] ?? 'omitted';
  if (display === 'omitted' || display === 'summarized') return null;
  return invalid("thinking.adaptive.display: Input should be 'summarized' or 'omitted'");
}

function checkBinding(config: Json): ApiProblem | null {
  const binding = config['block_binding'];
  if (binding === undefined) return null;
  const behavior = isObject(binding) ? binding['prefix_mismatch_behavior'] : undefined;
  if (behavior === 'error' || behavior === 'drop_block') return null;
  return invalid("thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'");
}

function checkBlocks(context: CheckContext): ApiProblem | null {
  const { body } = context;
  const latest = messagesOf(body).findLast((message) => message.role === 'assistant')?.index;
  for (const item of chainOf(body).items) {
    if (item.scope !== 'messages' || !isThinking(item.value)) continue;
    const problem = checkThinkingBlock(item, item.message === latest, context);
    if (problem) return problem;
  }
  return null;
}

function checkThinkingBlock(item: ChainItem, latest: boolean, context: CheckContext): ApiProblem | null {
  const signed = readSignature(proofOf(item.value));
  const type = typeOf(item.value);
  const bad = invalid(`${pathOf(item)}: Invalid \`signature\` in \`${type}\` block`);
  if (!signed) {
    if (context.state.options.acceptUnknownSignatures) return null;
    return latest ? invalid(`${pathOf(item)}: ${cannotModify}`) : bad;
  }
  // A block of another model is dropped without a word.
  if (signed.model !== context.model.info.id) return null;
  // Text put into an omitted block is ignored.
  const omitted = signed.text === hash('');
  if (type === 'thinking' && !omitted && signed.text !== hash(stringOf(item.value['thinking']))) {
    return latest ? invalid(`${pathOf(item)}: ${cannotModify}`) : bad;
  }
  if (!context.model.bindsThinking || signed.before === item.before || dropsBlocks(context.body)) return null;
  return invalid(
    `${pathOf(item)}: Invalid \`signature\` in \`${type}\` block. The block is bound to a different conversation. ` +
      'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  );
}

/** A thinking block left out of the latest assistant message, where the message can be told by the ids of its calls. */
function checkLeftOut(context: CheckContext): ApiProblem | null {
  const latest = messagesOf(context.body).findLast((message) => message.role === 'assistant');
  const sent = latest && sentResponse(latest, context);
  if (!latest || !sent || dropsBlocks(context.body)) return null;
  const present = latest.blocks.map(canonical);
  // The tail may be gone: a message must not end in thinking, and a cut call is never sent back.
  const end = sent.findLastIndex((block) => !isThinking(block) && present.includes(canonical(block)));
  const missing = sent.slice(0, Math.max(0, end)).some((block) => {
    const signed = isThinking(block) ? readSignature(proofOf(block)) : undefined;
    return signed?.model === context.model.info.id && !present.some((other) => sameProof(other, block));
  });
  return missing ? invalid(`messages.${latest.index}.content: ${cannotModify}`) : null;
}

function sentResponse(message: MessageView, { state }: CheckContext): readonly Json[] | undefined {
  for (const block of message.blocks) {
    const sent = state.responses.get(stringOf(block['id']));
    if (sent) return sent;
  }
  return undefined;
}

function sameProof(other: string, block: Json): boolean {
  return other.includes(JSON.stringify(proofOf(block)));
}

function thinkingIsOff({ body, model }: CheckContext): boolean {
  const config = body['thinking'];
  if (isObject(config)) return config['type'] === 'disabled';
  return !model.thinksByDefault;
}

function dropsBlocks(body: Json): boolean {
  const config = isObject(body['thinking']) ? body['thinking'] : {};
  const binding = isObject(config['block_binding']) ? config['block_binding'] : {};
  return binding['prefix_mismatch_behavior'] === 'drop_block';
}

function isThinking(block: Json): boolean {
  return typeOf(block) === 'thinking' || typeOf(block) === 'redacted_thinking';
}

function proofOf(block: Json): string {
  return stringOf(block['signature'] ?? block['data']);
}

function pathOf(item: ChainItem): string {
  return `messages.${item.message}.content.${item.block}`;
}
