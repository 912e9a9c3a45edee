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

/** The model that the configuration asks for. Throws `ApiError` when there is no key or the key is refused. */
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
  const info = models.find((model) => model.id === wanted) ?? (wanted === '' ? models[0] : undefined);
  return { id: wanted === '' ? (info?.id ?? FALLBACK_MODEL) : wanted, info };
}

/** Starts a new epoch where the model or the tools are no longer what the log's epoch says. Between turns only. */
export async function ensureEpoch(
  context: TurnContext,
  model: { readonly id: string; readonly info: KnownModel },
): Promise<EpochStarted> {
  const current = foldConversation(context.log.entries()).epoch;
  const tools = declareTools(context, model);
  if (current?.model === model.id && JSON.stringify(current.tools) === JSON.stringify(tools)) return current;
  const reason = current === undefined ? 'first' : current.model === model.id ? 'tools' : 'model';
  const hasContainer = tools.some((tool) => tool.type?.startsWith('code_execution') ?? false);
  const thinking =
    model.info?.thinkingTypes['adaptive'] === true ? { thinking: { type: 'adaptive', display: 'summarized' } } : {};
  return startEpoch(context, {
    type: 'epochStarted',
    model: model.id,
    maxTokens: Math.min(model.info?.maxTokens ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS),
    system: current?.system ?? systemPrompt(context.config.environment, hasContainer),
    tools,
    ...thinking,
    betas: [],
    reason,
  });
}

/**
 * After a 400 that names a tool type of ours: steps that tool down one version, before the epoch's first answer only.
 * Returns false when the failure is about something else.
 */
export async function stepDownTool(context: TurnContext, epoch: EpochStarted, failure: ApiFailure): Promise<boolean> {
  if (failure.kind !== 'invalid-request' || hasAnswer(context.log.entries(), epoch)) return false;
  const refused = epoch.tools.find(
    (tool) => typeof tool.type === 'string' && tool.type !== 'custom' && failure.message.includes(tool.type),
  );
  const version = stringAt(refused, 'type');
  if (version === undefined) return false;
  context.refusedVersions.add(toolVersionKey(context, epoch.model, version));
  context.logger.warn(`${epoch.model} refused ${version}; trying the version before it`);
  const tools = declareTools(context, { id: epoch.model, info: undefined }).filter((tool) => {
    const known = epoch.tools.some((other) => stringAt(other, 'name') === stringAt(tool, 'name'));
    return known;
  });
  const { id: _id, parentId: _parent, at: _at, ...prefix } = epoch;
  await startEpoch(context, { ...prefix, tools, reason: 'toolVersion' });
  return true;
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
