import * as l10n from '@vscode/l10n';
import { stringAt } from '../base/json.ts';
import type { ApiFailure } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import { foldConversation } from '../session/fold.ts';
import { isSummary, projectMessages } from '../session/toMessages.ts';
import { askAside, type Aside } from './aside.ts';
import { SUMMARY_BETA } from './betas.ts';
import { record, type KnownModel, type TurnContext } from './context.ts';
import { buildRequest } from './request.ts';
import type { Summary } from './summary.ts';
import { useOf } from './used.ts';

/**
 * Has the API summarise everything but the newest `kept` pieces (Messages API, "Compaction on demand"), where the settings
 * want that and the model says that it does. Undefined where it can not be had: then the loop asks for a summary by itself.
 * Rejects only when the log can't be written.
 */
export async function apiSummary(
  context: TurnContext,
  { model, kept }: { readonly model: KnownModel; readonly kept: number },
  signal: AbortSignal,
): Promise<Summary | undefined> {
  if (context.config.compactBy !== 'api' || model?.compaction?.['summarize'] !== true) return undefined;
  const refused = refusalKey(context, model.id);
  if (context.refusedVersions.has(refused)) return undefined;
  const request = (): ModelRequest => summaryRequest(context, kept);
  const aside = await askAside(context, { request, phase: l10n.t('Summarizing the conversation') }, signal);
  if (aside.kind === 'failed') {
    if (isRefusal(aside.failure)) context.refusedVersions.add(refused);
    context.logger.warn(`The API made no summary: ${aside.failure.message}`);
    return undefined;
  }
  return aside.kind === 'answered' ? takeBlock(context, aside) : aside;
}

/** Not combined with `context_management`, and nobody looks at what the cache did for it. */
function summaryRequest(context: TurnContext, kept: number): ModelRequest {
  const conversation = foldConversation(context.log.entries());
  const pieces = conversation.pieces.slice(0, conversation.pieces.length - kept);
  const {
    previousMessageId: _,
    contextManagement: __,
    ...built
  } = buildRequest(context.log.entries(), context.config.baseUrl);
  return {
    ...built,
    messages: projectMessages({ ...conversation, pieces }),
    compaction: { type: 'summarize' },
    betas: [...new Set([...built.betas, SUMMARY_BETA])],
  };
}

async function takeBlock(
  context: TurnContext,
  { blocks, outcome }: Extract<Aside, { kind: 'answered' }>,
): Promise<Summary | undefined> {
  const block = blocks.find(isSummary);
  const text = stringAt(block, 'content') ?? '';
  const { epoch } = foldConversation(context.log.entries());
  if (outcome.stopReason === 'compaction' && block !== undefined && text.trim() !== '' && epoch !== undefined)
    return { kind: 'summary', text, outcome, signed: { model: epoch.model, block } };
  await record(context, { type: 'asideAsked', purpose: 'summary', ...useOf(context, outcome) });
  context.logger.warn(`The API made no summary: it stopped for ${outcome.stopReason ?? 'no reason'}`);
  return undefined;
}

/** Asking again would be refused again; that there was nothing to summarise, or too much, says nothing about the next time. */
function isRefusal({ kind, code, message }: ApiFailure): boolean {
  return kind === 'invalid-request' && code === undefined && !/prompt is too long/i.test(message);
}

/** In the memory of what was refused, which lives as long as the window. */
function refusalKey({ config }: TurnContext, model: string): string {
  return `${config.baseUrl}\n${model}\ncompaction`;
}
