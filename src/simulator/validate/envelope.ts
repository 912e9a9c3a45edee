import type { MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiProblem } from '../problem.ts';
import { invalid, notFound } from '../problem.ts';
import { isObject, stringOf } from '../json.ts';
import type { Json } from '../json.ts';
import { findModel } from '../models.ts';
import type { SimulatedModel } from '../models.ts';
import { MCP_BETAS } from './connectors.ts';
import type { ValidateOptions } from './context.ts';

/** Fields that travel in headers are not fields of the body. */
type BodyField = Exclude<keyof MessageCreateParamsBase, 'user_profile_id' | 'workspace_id'>;

const fields: Record<BodyField, true> = {
  model: true,
  max_tokens: true,
  messages: true,
  cache_control: true,
  container: true,
  diagnostics: true,
  inference_geo: true,
  metadata: true,
  output_config: true,
  service_tier: true,
  speed: true,
  stop_sequences: true,
  stream: true,
  system: true,
  thinking: true,
  tool_choice: true,
  tools: true,
};

/** Fields of betas: without one of their headers there is no such field. */
const betaFields: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management-2025-06-27', 'compact-2026-01-12'],
  compaction: ['compact-2026-09-04'],
  mcp_servers: MCP_BETAS,
};

const notCounted = new Set(['max_tokens', 'stream', 'stop_sequences', 'metadata', 'container']);

/** Top-level fields: which there are, and their types. */
export function checkEnvelope(body: Json, options: ValidateOptions): ApiProblem | null {
  for (const field of Object.keys(body)) {
    if (!isField(field, options)) return invalid(`${field}: Extra inputs are not permitted`);
  }
  return (
    checkModel(body['model']) ??
    (options.counting ? null : checkMaxTokens(body)) ??
    checkSimple(body) ??
    checkSystem(body['system']) ??
    checkOutputConfig(body) ??
    checkContainerShape(body['container'])
  );
}

function isField(field: string, { counting, betas = [] }: ValidateOptions): boolean {
  if (Object.hasOwn(fields, field)) return !(counting && notCounted.has(field));
  return betaFields[field]?.some((name) => betas.includes(name)) ?? false;
}

/** The model of a body whose envelope is right. */
export function modelOf(body: Json): SimulatedModel {
  const model = findModel(stringOf(body['model']));
  if (!model) throw new Error('The envelope was not checked');
  return model;
}

function checkModel(model: unknown): ApiProblem | null {
  if (model === undefined) return invalid('model: Field required');
  if (typeof model !== 'string') return invalid('model: Input should be a valid string');
  return findModel(model) ? null : notFound(`model: ${model}`);
}

function checkMaxTokens(body: Json): ApiProblem | null {
  const value = body['max_tokens'];
  if (value === undefined) return invalid('max_tokens: Field required');
  if (!Number.isInteger(value)) return invalid('max_tokens: Input should be a valid integer');
  const maxTokens = value as number;
  if (maxTokens < 0) return invalid('max_tokens: Input should be greater than or equal to 0');
  const { info } = modelOf(body);
  if (info.max_tokens !== null && maxTokens > info.max_tokens) {
    return invalid(
      `max_tokens: ${maxTokens} > ${info.max_tokens}, which is the maximum allowed number of output tokens for ${info.id}`,
    );
  }
  return maxTokens === 0 ? checkWarmUp(body) : null;
}

/** `max_tokens: 0` only warms the cache, and goes with nothing that asks for an answer. */
function checkWarmUp(body: Json): ApiProblem | null {
  const choice = isObject(body['tool_choice']) ? body['tool_choice']['type'] : undefined;
  const thinking = isObject(body['thinking']) ? body['thinking']['type'] : undefined;
  if (body['stream'] === true) return invalid('max_tokens: 0 may not be used with `stream`');
  if (choice === 'any' || choice === 'tool')
    return invalid('max_tokens: 0 may not be used with a forced `tool_choice`');
  if (thinking === 'enabled') return invalid('max_tokens: 0 may not be used with enabled thinking');
  return null;
}

function checkSimple(body: Json): ApiProblem | null {
  const stop = body['stop_sequences'];
  if (stop !== undefined && !(Array.isArray(stop) && stop.every((item) => typeof item === 'string'))) {
    return invalid('stop_sequences: Input should be a valid list of strings');
  }
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') {
    return invalid('stream: Input should be a valid boolean');
  }
  const metadata = body['metadata'];
  if (metadata !== undefined && (!isObject(metadata) || Object.keys(metadata).some((key) => key !== 'user_id'))) {
    return invalid('metadata: Extra inputs are not permitted');
  }
  return (
    checkEnum('service_tier', body['service_tier'], ['auto', 'standard_only']) ??
    checkEnum('speed', body['speed'], ['standard', 'fast'])
  );
}

function checkEnum(field: string, value: unknown, allowed: readonly string[]): ApiProblem | null {
  if (value === undefined || value === null || allowed.some((item) => item === value)) return null;
  return invalid(`${field}: Input should be ${allowed.map((item) => `'${item}'`).join(' or ')}`);
}

function checkSystem(system: unknown): ApiProblem | null {
  if (system === undefined || typeof system === 'string') return null;
  if (!Array.isArray(system)) return invalid('system: Input should be a valid list');
  for (const [index, block] of system.entries()) {
    if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') {
      return invalid(`system.${index}: Input should be a text block`);
    }
    if (block['text'] === '') return invalid('system: text content blocks must be non-empty');
    const extra = Object.keys(block).find((key) => !['type', 'text', 'cache_control', 'citations'].includes(key));
    if (extra) return invalid(`system.${index}.${extra}: Extra inputs are not permitted`);
  }
  return null;
}

function checkOutputConfig(body: Json): ApiProblem | null {
  const config = body['output_config'];
  if (config === undefined) return null;
  if (!isObject(config)) return invalid('output_config: Input should be an object');
  const extra = Object.keys(config).find((key) => key !== 'effort' && key !== 'format');
  if (extra) return invalid(`output_config.${extra}: Extra inputs are not permitted`);
  const { capabilities } = modelOf(body).info;
  if (config['format'] !== undefined && config['format'] !== null && !capabilities?.structured_outputs.supported) {
    return invalid('output_config.format: structured outputs are not supported for this model');
  }
  const effort = config['effort'] ?? null;
  if (effort !== null && !capabilities?.effort.supported) {
    return invalid('This model does not support the effort parameter.');
  }
  return checkEnum('output_config.effort', effort, ['low', 'medium', 'high', 'xhigh', 'max']);
}

function checkContainerShape(container: unknown): ApiProblem | null {
  if (container === undefined || container === null || typeof container === 'string') return null;
  if (!isObject(container)) return invalid('container: Input should be a valid string');
  const extra = Object.keys(container).find((key) => key !== 'id' && key !== 'skills');
  return extra ? invalid(`container.${extra}: Extra inputs are not permitted`) : null;
}
