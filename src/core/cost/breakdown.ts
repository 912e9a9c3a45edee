import type { MessageParam, TextBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt } from '../base/json.ts';
import type { ContextKind } from '../../protocol/usage.ts';
import { weigh } from './weight.ts';

export interface ContextParts {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly ToolUnion[];
  readonly messages: readonly MessageParam[];
}

export const CONTEXT_KINDS: readonly ContextKind[] = ['tools', 'system', 'files', 'results', 'conversation'];

/** Tools whose results are what is in files. */
const FILE_TOOLS = new Set(['str_replace_based_edit_tool']);

type Weights = Readonly<Record<ContextKind, number>>;
const NONE: Weights = { tools: 0, system: 0, files: 0, results: 0, conversation: 0 };

/** Messages of the settled part of a projection are the same objects every time, and are weighed once. */
const weighed = new WeakMap<object, Weights>();

/**
 * What the context is made of: each kind's share by size, scaled so that they add up to `total`, the real tokens of the
 * last answer. Shares are estimates; their sum is not.
 */
export function breakdown(
  parts: ContextParts,
  total: number,
): readonly { readonly kind: ContextKind; readonly tokens: number }[] {
  if (total <= 0) return [];
  const calls = new Map<string, string>();
  let weights: Weights = { ...NONE, tools: weighOnce(parts.tools, 'tools'), system: weighOnce(parts.system, 'system') };
  for (const message of parts.messages) weights = add(weights, weighMessage(message, calls));
  return share(weights, total);
}

function weighOnce(value: object, kind: ContextKind): number {
  const known = weighed.get(value) ?? { ...NONE, [kind]: weigh(value) };
  weighed.set(value, known);
  return known[kind];
}

function weighMessage(message: MessageParam, calls: Map<string, string>): Weights {
  const { content } = message;
  if (typeof content === 'string') return { ...NONE, conversation: content.length };
  for (const block of content) if (block.type === 'tool_use') calls.set(block.id, block.name);
  const known = weighed.get(message);
  if (known !== undefined) return known;
  const weights: Record<ContextKind, number> = { ...NONE };
  for (const block of content) weights[kindOf(block, calls)] += weigh(block);
  weighed.set(message, weights);
  return weights;
}

function kindOf(block: unknown, calls: ReadonlyMap<string, string>): ContextKind {
  const type = stringAt(block, 'type') ?? '';
  if (type === 'image' || type === 'document') return 'files';
  if (!type.endsWith('tool_result') || !isObject(block)) return 'conversation';
  const tool = calls.get(stringAt(block, 'tool_use_id') ?? '');
  return tool !== undefined && FILE_TOOLS.has(tool) ? 'files' : 'results';
}

function add(a: Weights, b: Weights): Weights {
  return {
    tools: a.tools + b.tools,
    system: a.system + b.system,
    files: a.files + b.files,
    results: a.results + b.results,
    conversation: a.conversation + b.conversation,
  };
}

/** Whole tokens that add up to the total: the largest kind takes what rounding leaves over. */
function share(weights: Weights, total: number): ReturnType<typeof breakdown> {
  const sum = CONTEXT_KINDS.reduce((all, kind) => all + weights[kind], 0);
  if (sum === 0) return [{ kind: 'conversation', tokens: total }];
  const shares = CONTEXT_KINDS.map((kind) => ({ kind, tokens: Math.floor((weights[kind] / sum) * total) }));
  const largest = shares.reduce((most, item) => (item.tokens > most.tokens ? item : most));
  largest.tokens += total - shares.reduce((all, { tokens }) => all + tokens, 0);
  return shares.filter(({ tokens }) => tokens > 0);
}
