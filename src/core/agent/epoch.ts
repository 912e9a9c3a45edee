import type { ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { stringAt } from '../base/json.ts';
import { ApiError, type ApiFailure } from '../errors.ts';
import type { ModelInfo } from '../ports.ts';
import type { EpochStarted, LogEntry, NewEntry } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import type { AnyTool } from '../tools/tool.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { systemPrompt } from './systemPrompt.ts';

/** Used when no model is set and the address has no Models API to name one. */
export const FALLBACK_MODEL = 'claude-opus-5-5';
const DEFAULT_MAX_TOKENS = 32_000;

/**
 * The model that the configuration asks for; without a wish and without a list the session keeps the one it has. Throws `ApiError` when there is no key or the key is refused.
 */
export async function chooseModel(
  context: TurnContext,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly info: KnownModel }> {
  const wanted = context.config.model;
  let models: readonly ModelInfo[] = [];
  try {
    models = await context.model.models(signal);
  } catch (error) {
    const kind = error instanceof ApiError ? error.failure.kind : undefined;
    if (kind === 'no-key' || kind === 'authentication') throw error;
    // Gateways need not have a Models API; whatever else is wrong the request itself will meet, with retries.
    context.logger.warn(
      `The list of models is not to be had: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (wanted !== '') return { id: wanted, info: models.find((model) => model.id === wanted) };
  const info = models[0];
  return { id: info?.id ?? foldConversation(context.log.entries()).epoch?.model ?? FALLBACK_MODEL, info };
}

/** Starts a new epoch where the model or the tools are no longer what the log's epoch says. Between turns only. */
export async function ensureEpoch(
  context: TurnContext,
  model: { readonly id: string; readonly info: KnownModel },
): Promise<EpochStarted> {
  const current = foldConversation(context.log.entries()).epoch;
  const known = model.info === undefined && current?.model === model.id ? current : undefined;
  // Nothing was learned about the model: what the epoch has, or has not, still holds.
  const tools = known === undefined ? declareTools(context, model) : redeclareTools(context, known);
  if (current?.model === model.id && JSON.stringify(current.tools) === JSON.stringify(tools)) return current;
  const hasContainer = tools.some((tool) => tool.type?.startsWith('code_execution') ?? false);
  return startEpoch(context, {
    type: 'epochStarted',
    model: model.id,
    maxTokens: Math.min(model.info?.maxTokens ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS),
    system: current?.system ?? systemPrompt(context.config.environment, hasContainer),
    tools,
    ...thinkingOf(model.info, known),
    betas: [],
    reason: reasonFor(current, model.id),
  });
}

function reasonFor(current: EpochStarted | undefined, model: string): EpochStarted['reason'] {
  if (current === undefined) return 'first';
  return current.model === model ? 'tools' : 'model';
}

function thinkingOf(info: KnownModel, known: EpochStarted | undefined): { readonly thinking?: unknown } {
  if (known?.thinking !== undefined) return { thinking: known.thinking };
  return info?.thinkingTypes['adaptive'] === true ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
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
  await startEpoch(context, { ...prefix, tools, reason: 'toolVersion' });
  return true;
}

/** The type that the message names first: what it says after that are the types which would do. */
function refusedType({ tools }: EpochStarted, message: string): string | undefined {
  const types = tools.map((tool) => stringAt(tool, 'type') ?? 'custom');
  const named = types.filter((type) => type !== 'custom' && message.includes(type));
  return named.sort((a, b) => message.indexOf(a) - message.indexOf(b))[0];
}

/** The tools of an epoch again, in the versions that are right now. */
function redeclareTools(context: TurnContext, epoch: EpochStarted): ToolUnion[] {
  const names = new Set(epoch.tools.map((tool) => stringAt(tool, 'name')));
  const model = { id: epoch.model, info: undefined };
  return declareTools(context, model).filter((tool) => names.has(stringAt(tool, 'name')));
}

async function startEpoch(
  context: TurnContext,
  entry: Extract<NewEntry, { type: 'epochStarted' }>,
): Promise<EpochStarted> {
  return (await record(context, entry)) as EpochStarted;
}

function declareTools(context: TurnContext, model: { readonly id: string; readonly info: KnownModel }): ToolUnion[] {
  return context.tools.flatMap((tool) => {
    if (tool.kind === 'server' && model.info?.serverTools[tool.capability] === false) return [];
    const version = chooseVersion(context, model.id, tool);
    if (tool.kind === 'client') return version === undefined && tool.versions.length > 0 ? [] : [tool.declare(version)];
    return version === undefined ? [] : [tool.declare(version)];
  });
}

/** The user's pin, else the newest version that this model at this address did not refuse. */
function chooseVersion(context: TurnContext, model: string, tool: AnyTool): string | undefined {
  const pinned = context.config.toolVersions[tool.name];
  if (pinned !== undefined && tool.versions.includes(pinned)) return pinned;
  return tool.versions.find((version) => !context.refusedVersions.has(toolVersionKey(context, model, version)));
}

function toolVersionKey(context: TurnContext, model: string, version: string): string {
  return `${context.config.baseUrl}\n${model}\n${version}`;
}

function hasAnswer(entries: readonly LogEntry[], epoch: EpochStarted): boolean {
  const from = entries.findIndex((entry) => entry.id === epoch.id);
  return entries.slice(from + 1).some((entry) => entry.type === 'messageFinished');
}
