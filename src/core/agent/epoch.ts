import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject, stringAt, type JsonObject } from '../base/json.ts';
import { ApiError, messageOf, type ApiFailure } from '../errors.ts';
import type { ModelInfo } from '../ports.ts';
import type { ChosenSkill, EpochStarted, LogEntry, NewEntry } from '../session/entries.ts';
import { foldConversation, type Conversation } from '../session/fold.ts';
import { betasOfTools } from './betas.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { contextEdits } from './contextEdits.ts';
import type { AgentConfig } from './controllerTypes.ts';
import { redeclareTools, toolsFor, toolVersionKey } from './declareTools.ts';
import { skillsFor, skillsOf } from './skills.ts';
import type { ChosenModel, Prefix, PrefixSource } from './prefix.ts';
import { isRefusedToolMessage, toolMessage } from './toolMessages.ts';
import { changeBetween, toolKey } from '../session/toolChanges.ts';
import { systemPrompt } from './systemPrompt.ts';
import { resolveThinking, roomFor, type ThinkingWish } from './thinking.ts';

/** Used when no model is set and the address has no Models API to name one. */
export const FALLBACK_MODEL = 'claude-opus-5-5';
const DEFAULT_MAX_TOKENS = 32_000;

/**
 * The model that the configuration asks for; without a wish and without a list the session keeps the one it has. Throws `ApiError` when there is no key or the key is refused.
 */
export async function chooseModel(context: TurnContext, signal: AbortSignal): Promise<ChosenModel> {
  const wanted = context.config.model;
  let models: readonly ModelInfo[] = [];
  try {
    models = await context.model.models(signal);
  } catch (error) {
    const kind = error instanceof ApiError ? error.failure.kind : undefined;
    if (kind === 'no-key' || kind === 'authentication') throw error;
    // Gateways need not have a Models API; whatever else is wrong the request itself will meet, with retries.
    context.logger.warn(`The list of models is not to be had: ${messageOf(error)}`);
  }
  if (wanted !== '') return { id: wanted, info: models.find((model) => model.id === wanted) };
  const info = models[0];
  return { id: info?.id ?? foldConversation(context.log.entries()).epoch?.model ?? FALLBACK_MODEL, info };
}

/** What is known of a model; undefined where there is no list, or it is not in it. Never rejects. */
export async function modelCalled(context: TurnContext, id: string, signal: AbortSignal): Promise<KnownModel> {
  try {
    return (await context.model.models(signal)).find((model) => model.id === id);
  } catch (error) {
    context.logger.info(`The list of models is not to be had: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * The prefix of the next request: the current epoch, where the model, the tools and the thinking are still what it says,
 * or the one that would begin. In the middle of a turn (results wait to be sent) thinking stays as it is, because a turn has
 * one configuration. Pure.
 */
export function nextEpoch(source: PrefixSource, conversation: Conversation, model: ChosenModel): Prefix {
  const { epoch: current, pieces } = conversation;
  const same = current?.model === model.id ? current : undefined;
  // Nothing was learned about the model: what the epoch has, or has not, still holds.
  const known = model.info === undefined ? same : undefined;
  const tools =
    known === undefined ? toolsFor(source, model) : redeclareTools(source, { ...known, tools: conversation.tools });
  const midTurn = pieces.at(-1)?.kind === 'answer';
  const kept = midTurn ? same : known;
  const thinking = kept ?? configure(source.config, model.info, current);
  const skills = skillsFor(tools, wishedSkills(source, midTurn, current));
  const next = { model: model.id, tools, skills, thinking };
  const reason = reasonFor(conversation, next);
  if (current !== undefined && reason === undefined) return current;
  return prefixOf(source, { ...next, reason: reason ?? 'first', current });
}

/** What the user chose; in the middle of a turn, and where nothing was chosen, what the session has. */
function wishedSkills({ skills }: PrefixSource, midTurn: boolean, current: EpochStarted | undefined) {
  return (midTurn ? undefined : skills) ?? skillsOf(current);
}

/**
 * Where the current epoch will not do, starts a new one; where only the tools differ and the model takes it, says so in a
 * message at the end. Between turns only. Throws when the log can't be written.
 */
export async function ensureEpoch(context: TurnContext, model: ChosenModel): Promise<EpochStarted> {
  const conversation = foldConversation(context.log.entries());
  const next = nextEpoch(context, conversation, model);
  if ('id' in next) return next;
  const message = toolMessage(context, conversation, next);
  if (message === undefined || conversation.epoch === undefined) return startEpoch(context, next);
  await record(context, message);
  return conversation.epoch;
}

/**
 * After a 400 that refuses a message which changes tools: the same tools in a new epoch. Returns false when the failure is
 * about something else.
 */
export async function stepOverToolMessage(
  context: TurnContext,
  epoch: EpochStarted,
  failure: ApiFailure,
): Promise<boolean> {
  if (!isRefusedToolMessage(context, epoch.model, failure)) return false;
  context.logger.warn(`${epoch.model} takes no messages that change tools; a new epoch has them`);
  const { id: _id, parentId: _parent, at: _at, ...prefix } = epoch;
  await startEpoch(context, { ...prefix, tools: foldConversation(context.log.entries()).tools, reason: 'tools' });
  return true;
}

/** `system` stays what it was for as long as the conversation lives. */
function prefixOf(
  { config }: PrefixSource,
  next: {
    readonly model: string;
    readonly tools: ToolUnion[];
    readonly skills: readonly ChosenSkill[];
    readonly thinking: Thinking;
    readonly reason: EpochStarted['reason'];
    readonly current: EpochStarted | undefined;
  },
): Extract<NewEntry, { type: 'epochStarted' }> {
  const { model, tools, skills, thinking, reason, current } = next;
  return {
    type: 'epochStarted',
    model,
    maxTokens: thinking.maxTokens,
    system: current?.system ?? systemPrompt(config.environment, tools.map(toolKey)),
    tools,
    ...(skills.length === 0 ? {} : { skills }),
    ...thinkingFields(thinking),
    ...editFields(thinking),
    betas: [...thinking.betas, ...betasOfTools(tools)],
    reason,
  };
}

type Thinking = Pick<EpochStarted, 'thinking' | 'effort' | 'maxTokens' | 'contextManagement' | 'betas'>;

/** Thinking, and what the API clears of the context: both depend on the model. */
function configure(config: AgentConfig, info: KnownModel, current: EpochStarted | undefined): Thinking {
  const thinking = configureThinking(config.thinking, info, current);
  const edits = contextEdits(config, info, thinking.thinking);
  return { ...thinking, ...edits, betas: [...thinking.betas, ...edits.betas] };
}

/** The wish as this model can have it. A conversation that was told to drop mismatched thinking goes on to. */
function configureThinking(wish: ThinkingWish, info: KnownModel, current: EpochStarted | undefined): Thinking {
  const usual = Math.min(info?.maxTokens ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS);
  const resolved = resolveThinking(wish, info, usual);
  const maxTokens = roomFor(resolved.effort, usual, info);
  const drops = current !== undefined && isDropping(current.thinking);
  return drops && isAdaptive(resolved.thinking)
    ? { ...resolved, maxTokens, thinking: dropping(resolved.thinking), betas: [BINDING_BETA] }
    : { ...resolved, maxTokens, betas: [] };
}

function thinkingFields({ thinking, effort }: Thinking): Pick<EpochStarted, 'thinking' | 'effort'> {
  return { ...(thinking === undefined ? {} : { thinking }), ...(effort === undefined ? {} : { effort }) };
}

function editFields({ contextManagement }: Thinking): Pick<EpochStarted, 'contextManagement'> {
  return contextManagement === undefined ? {} : { contextManagement };
}

/** Why the current epoch will not do; undefined when it will. `tools`: nothing else differs. */
function reasonFor(
  { epoch: current, tools }: Conversation,
  next: {
    readonly model: string;
    readonly tools: readonly ToolUnion[];
    readonly skills: readonly ChosenSkill[];
    readonly thinking: Thinking;
  },
): EpochStarted['reason'] | undefined {
  if (current === undefined) return 'first';
  if (current.model !== next.model) return 'model';
  if (JSON.stringify(skillsOf(current)) !== JSON.stringify(next.skills)) return 'skills';
  const differs = JSON.stringify(thinkingFields(current)) !== JSON.stringify(thinkingFields(next.thinking));
  if (differs) return 'thinking';
  if (JSON.stringify(editFields(current)) !== JSON.stringify(editFields(next.thinking))) return 'context';
  const { added, removed } = changeBetween(tools, next.tools);
  return added.length + removed.length > 0 ? 'tools' : undefined;
}

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/**
 * After a 400 that says that thinking is bound to another conversation: from here on the API drops such blocks, in this
 * and every later request. The same body is never sent twice. Returns false when the failure is about something else.
 */
export async function stepOverBinding(
  context: TurnContext,
  epoch: EpochStarted,
  failure: ApiFailure,
): Promise<boolean> {
  if (failure.kind !== 'invalid-request' || !/bound to a different conversation/i.test(failure.message)) return false;
  if (isDropping(epoch.thinking)) return false;
  context.logger.warn('Thinking is bound to another prefix; from here on such blocks are dropped');
  await startDropping(context, epoch, 'binding');
  return true;
}

/** A new epoch with the same model and tools: the API drops thinking that is bound to what was sent before. */
export async function startDropping(
  context: TurnContext,
  epoch: EpochStarted,
  reason: 'binding' | 'repair',
): Promise<void> {
  const { id: _id, parentId: _parent, at: _at, ...prefix } = epoch;
  const drops = isAdaptive(epoch.thinking)
    ? { thinking: dropping(epoch.thinking), betas: [...new Set([...epoch.betas, BINDING_BETA])] }
    : {};
  const { tools } = foldConversation(context.log.entries());
  await startEpoch(context, { ...prefix, tools, ...drops, reason });
}

function isAdaptive(thinking: unknown): thinking is JsonObject {
  return isObject(thinking) && thinking['type'] === 'adaptive';
}

function isDropping(thinking: unknown): boolean {
  return isObject(thinking) && isObject(thinking['block_binding']);
}

function dropping(thinking: JsonObject): unknown {
  return { ...thinking, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
}

/**
 * After a 400 that names a tool type of ours: steps that tool down one version, before the epoch's first answer only.
 * Returns false when the failure is about something else.
 */
export async function stepDownTool(context: TurnContext, epoch: EpochStarted, failure: ApiFailure): Promise<boolean> {
  if (failure.kind !== 'invalid-request' || hasAnswer(context.log.entries(), epoch)) return false;
  const version = refusedType(epoch, failure.message);
  if (version === undefined) return false;
  context.refusedVersions.add(toolVersionKey(context, epoch.model, version));
  const tools = redeclareTools(context, epoch);
  // A version that the user pinned stays, and the same request would be refused for ever.
  if (tools.some((tool) => tool.type === version)) return false;
  context.logger.warn(`${epoch.model} refused ${version}; trying the version before it`);
  const { id: _id, parentId: _parent, at: _at, ...prefix } = epoch;
  const skills = skillsFor(tools, skillsOf(epoch));
  await startEpoch(context, { ...prefix, tools, skills, reason: 'toolVersion' });
  return true;
}

/** The type that the message names first: what it says after that are the types which would do. */
function refusedType({ tools }: EpochStarted, message: string): string | undefined {
  const types = tools.map((tool) => stringAt(tool, 'type') ?? 'custom');
  const named = types.filter((type) => type !== 'custom' && message.includes(type));
  return named.sort((a, b) => message.indexOf(a) - message.indexOf(b))[0];
}

async function startEpoch(
  context: TurnContext,
  entry: Extract<NewEntry, { type: 'epochStarted' }>,
): Promise<EpochStarted> {
  return (await record(context, entry)) as EpochStarted;
}

function hasAnswer(entries: readonly LogEntry[], epoch: EpochStarted): boolean {
  const from = entries.findIndex((entry) => entry.id === epoch.id);
  return entries.slice(from + 1).some((entry) => entry.type === 'messageFinished');
}
