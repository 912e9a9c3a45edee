import type { ModelInfo } from '../ports.ts';

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** What the user wants; the model decides what it can be. */
export interface ThinkingWish {
  readonly thinking: 'auto' | 'off';
  /** `default` leaves it to the model. */
  readonly effort: 'default' | Effort;
}

/** What goes into requests; fixed for an epoch. */
export interface ThinkingConfig {
  readonly thinking?: unknown;
  readonly effort?: Effort;
}

/** The least that the API takes, in tokens. */
const MIN_BUDGET = 1024;
const USUAL_BUDGET = 16_000;
/** Thinking counts into `max_tokens`: at the highest efforts there has to be room for both. Tokens. */
const ROOM_AT_HIGH_EFFORT = 64_000;
/** With thinking off, models take no effort above this. */
const MOST_WITHOUT_THINKING = 'high';

/**
 * Turns a wish into what the model takes (Messages API, "Thinking"; everything from its capabilities, nothing from its
 * name). Of a model of which nothing is known nothing is asked but the effort that the user names. A wish that can't be
 * had comes as near as possible: a model that always thinks goes on to think.
 */
export function resolveThinking(wish: ThinkingWish, info: ModelInfo | undefined, maxTokens: number): ThinkingConfig {
  if (info === undefined) return wish.effort === 'default' ? {} : { effort: wish.effort };
  const thinking = wish.thinking === 'off' ? withoutThinking(info) : withThinking(info, maxTokens);
  const quiet = isOff(thinking);
  const effort = resolveEffort(wish.effort, info, quiet ? MOST_WITHOUT_THINKING : 'max');
  return { ...(thinking === undefined ? {} : { thinking }), ...(effort === undefined ? {} : { effort }) };
}

/** The wishes that make a difference with this model; of a model of which nothing is known, those that can be named. */
export function thinkingChoices(
  { thinking }: ThinkingWish,
  info: ModelInfo | undefined,
): { readonly thinking: readonly ThinkingWish['thinking'][]; readonly effort: readonly ThinkingWish['effort'][] } {
  if (info === undefined) return { thinking: [], effort: ['default', ...EFFORTS] };
  const canRest = isOff(withoutThinking(info));
  const most = thinking === 'off' && canRest ? MOST_WITHOUT_THINKING : 'max';
  const levels = EFFORTS.slice(0, EFFORTS.indexOf(most) + 1).filter((level) => info.effort[level] === true);
  return { thinking: canRest ? ['auto', 'off'] : [], effort: levels.length === 0 ? [] : ['default', ...levels] };
}

/** The `max_tokens` of an epoch: never above what the model writes. */
export function roomFor(effort: Effort | undefined, usual: number, info: ModelInfo | undefined): number {
  const wanted = effort === 'xhigh' || effort === 'max' ? Math.max(usual, ROOM_AT_HIGH_EFFORT) : usual;
  return Math.min(wanted, info?.maxTokens ?? wanted);
}

/** Text between the calls of the newest models comes as thinking, so a summary of it is asked for. */
function withThinking({ thinkingTypes: can }: ModelInfo, maxTokens: number): unknown {
  if (can['adaptive'] === true) return { type: 'adaptive', display: 'summarized' };
  const budget = Math.min(USUAL_BUDGET, Math.floor(maxTokens / 2));
  return can['enabled'] === true && budget >= MIN_BUDGET ? { type: 'enabled', budget_tokens: budget } : undefined;
}

function withoutThinking({ thinkingTypes: can }: ModelInfo): unknown {
  if (can['disabled'] === true) return { type: 'disabled' };
  if (can['between_tools'] === true) return { type: 'between_tools' };
  return can['adaptive'] === true ? { type: 'adaptive', display: 'summarized' } : undefined;
}

function isOff(thinking: unknown): boolean {
  const type = (thinking as { readonly type?: string } | undefined)?.type;
  return type === 'disabled' || type === 'between_tools';
}

/** The wanted level or the nearest below it that the model has; none where it has no effort at all. */
function resolveEffort(wanted: ThinkingWish['effort'], { effort: can }: ModelInfo, most: Effort): Effort | undefined {
  if (wanted === 'default') return undefined;
  const limit = Math.min(EFFORTS.indexOf(wanted), EFFORTS.indexOf(most));
  return EFFORTS.slice(0, limit + 1).findLast((level) => can[level] === true);
}
