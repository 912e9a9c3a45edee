import { isObject } from '../base/json.ts';
import type { EpochStarted } from '../session/entries.ts';
import { EDITS_BETA } from './betas.ts';
import type { KnownModel } from './context.ts';
import type { AgentConfig } from './controllerTypes.ts';

/** Of the window: where clearing begins, and the least that it clears, because each time the cache is written anew. */
const CLEAR_FROM = 0.5;
const CLEAR_AT_LEAST = 0.1;
const USUAL_WINDOW = 200_000;
/** The newest calls keep their results. */
const KEPT_CALLS = 8;

type Edits = Pick<EpochStarted, 'contextManagement' | 'betas'>;

/**
 * What the API is to clear of requests by itself (Messages API, "Context editing"): old results of tools, where the user
 * wants that and the model has it. Thinking is kept, which is said first, as the API demands, and only where there is any.
 */
export function contextEdits(
  { clearOldResults }: Pick<AgentConfig, 'clearOldResults'>,
  info: KnownModel,
  thinking: unknown,
): Edits {
  const can = info?.contextEdits ?? {};
  if (!clearOldResults || can['clear_tool_uses_20250919'] !== true) return { betas: [] };
  const window = info?.maxInputTokens ?? USUAL_WINDOW;
  const tokens = (share: number) => ({ type: 'input_tokens', value: Math.floor(window * share) });
  const keepThinking = { type: 'clear_thinking_20251015', keep: 'all' };
  const clearResults = {
    type: 'clear_tool_uses_20250919',
    trigger: tokens(CLEAR_FROM),
    keep: { type: 'tool_uses', value: KEPT_CALLS },
    clear_at_least: tokens(CLEAR_AT_LEAST),
  };
  const thinks = can['clear_thinking_20251015'] === true && isThinking(thinking);
  return {
    contextManagement: { edits: [...(thinks ? [keepThinking] : []), clearResults] },
    betas: [EDITS_BETA],
  };
}

function isThinking(thinking: unknown): boolean {
  return isObject(thinking) && (thinking['type'] === 'adaptive' || thinking['type'] === 'enabled');
}
