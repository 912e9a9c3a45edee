import * as l10n from '@vscode/l10n';
import type { CacheControlEphemeral, TextBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { isObject } from '../core/base/json.ts';
import type { ApiFailure } from '../core/errors.ts';
import type { ModelRequest } from '../core/ports.ts';

/** The edge answers larger bodies with a 413 that the API never sees. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Breakpoints that one request may have, the automatic one included. */
const MAX_BREAKPOINTS = 4;
const CACHE: CacheControlEphemeral = { type: 'ephemeral' };

export type Body =
  | { readonly ok: true; readonly json: string; readonly bytes: number }
  | { readonly ok: false; readonly failure: ApiFailure };

/**
 * The request's body as the text that goes over the wire. The order of its fields is fixed and `messages` come last but
 * for the container, so equal prefixes are equal bytes. Unpaired surrogates become U+FFFD: the API can't take them.
 */
export function buildBody(request: ModelRequest): Body {
  return write(() => toFields(request));
}

/** The body for `count_tokens`: the same without what only an answer has. */
export function buildCountBody({ model, system, tools, messages, thinking }: ModelRequest): Body {
  return write(() => ({
    model,
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages,
  }));
}

function write(fields: () => object): Body {
  let json: string;
  try {
    json = withoutLoneSurrogates(JSON.stringify(fields()));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const message = l10n.t('The request could not be written as JSON: {0}', detail);
    return { ok: false, failure: { kind: 'invalid-request', message } };
  }
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_BODY_BYTES) return { ok: true, json, bytes };
  const size = (bytes / (1024 * 1024)).toFixed(1);
  const message = l10n.t('The request has {0} MB, more than the 32 MB that the API takes. It was not sent.', size);
  return { ok: false, failure: { kind: 'too-large', message } };
}

function toFields(request: ModelRequest): Record<string, unknown> {
  const plan = planCache(request);
  return {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(request.thinking === undefined ? {} : { thinking: request.thinking }),
    ...(plan.automatic ? { cache_control: CACHE } : {}),
    ...(plan.tools.length === 0 ? {} : { tools: plan.tools }),
    ...(plan.system.length === 0 ? {} : { system: plan.system }),
    messages: request.messages,
    ...(request.container === undefined ? {} : { container: request.container }),
  };
}

interface CachePlan {
  readonly system: readonly TextBlockParam[];
  readonly tools: readonly ToolUnion[];
  readonly automatic: boolean;
}

/**
 * One breakpoint at the end of what stays the same for the whole conversation (the last system block, or else the last
 * tool), and the API's automatic one, which moves with the transcript. What the request marks itself is counted, and
 * ours give way to it.
 */
function planCache(request: ModelRequest): CachePlan {
  const marked = countMarks([request.system, request.tools, request.messages]);
  const automatic = marked < MAX_BREAKPOINTS && !lastBlockHasOtherTtl(request);
  const plain = { system: request.system, tools: request.tools, automatic };
  if (marked + (automatic ? 1 : 0) >= MAX_BREAKPOINTS) return plain;
  const systemAt = request.system.findLastIndex((block) => block.text !== '');
  if (systemAt !== -1) return { ...plain, system: marking(request.system, systemAt) };
  const toolAt = request.tools.findLastIndex((tool) => !isDeferred(tool));
  return toolAt === -1 ? plain : { ...plain, tools: marking(request.tools, toolAt) };
}

function marking<T extends object>(items: readonly T[], at: number): readonly T[] {
  return items.map((item, index) => (index === at && !hasMark(item) ? { ...item, cache_control: CACHE } : item));
}

function isDeferred(tool: ToolUnion): boolean {
  return 'defer_loading' in tool && tool.defer_loading;
}

function hasMark(value: unknown): boolean {
  return isObject(value) && isObject(value['cache_control']);
}

/** `cache_control` of blocks, and of the blocks inside tool results. Values of tool inputs are data, not marks. */
function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countMarks(item), 0);
  if (!isObject(value)) return 0;
  return (hasMark(value) ? 1 : 0) + countMarks(value['content']);
}

/** The automatic breakpoint lands on the last block; where that has a TTL of its own the API refuses another one. */
function lastBlockHasOtherTtl(request: ModelRequest): boolean {
  const content = request.messages.at(-1)?.content;
  const last: unknown = Array.isArray(content) ? content.at(-1) : undefined;
  const mark = isObject(last) ? last['cache_control'] : undefined;
  return isObject(mark) && mark['ttl'] !== undefined && mark['ttl'] !== '5m';
}

/** `JSON.stringify` writes unpaired surrogates, and only them, as `\udXXX`. */
function withoutLoneSurrogates(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(ud[89a-f][0-9a-f]{2}|[^])/g, (whole, after: string) => (after.length > 1 ? '\uFFFD' : whole));
}
