import type { ModelInfo } from '@anthropic-ai/sdk/resources/models';
import { findModel, MODELS, type SimulatedModel } from './models.ts';
import { SUMMARY_BETA } from './validate/compaction.ts';
import { invalid, notFound, ProblemError } from './problem.ts';

export interface ModelPage {
  readonly data: readonly ModelInfo[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** `GET /v1/models`: newest first, in pages. The beta of on-demand compaction shows one capability more. */
export function listModels(query: URLSearchParams, betas: readonly string[] = []): ModelPage {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new ProblemError(invalid('limit: Input should be between 1 and 1000'));
  }
  const all = betas.includes(SUMMARY_BETA) ? MODELS.map(inBeta) : MODELS.map((model) => model.info);
  const after = query.get('after_id');
  const start = after === null ? 0 : all.findIndex((model) => model.id === after) + 1;
  const data = all.slice(start, start + limit);
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < all.length,
  };
}

function inBeta({ info, summarizes }: SimulatedModel): ModelInfo {
  const support = { supported: summarizes };
  const capabilities = { ...info.capabilities, compaction: { ...support, summarize: support } };
  return { ...info, capabilities } as ModelInfo;
}

/** `GET /v1/models/{id}` */
export function retrieveModel(id: string): ModelInfo {
  const model = findModel(id);
  if (!model) throw new ProblemError(notFound(`model: ${id}`));
  return model.info;
}
