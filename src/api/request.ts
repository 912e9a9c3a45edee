import * as l10n from '@vscode/l10n';
import { mcpServerOf } from '../core/base/mcpToolset.ts';
import { messageOf, type ApiFailure } from '../core/errors.ts';
import type { ModelRequest } from '../core/ports.ts';
import { planCache } from './breakpoints.ts';

/** The edge answers larger bodies with a 413 that the API never sees. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Where servers of the MCP connector are, by name. */
export type McpServers = Readonly<Record<string, { readonly url: string; readonly token?: string }>>;

export type Body =
  | { readonly ok: true; readonly json: string; readonly bytes: number }
  | { readonly ok: false; readonly failure: ApiFailure };

/**
 * The request's body as the text that goes over the wire. The order of its fields is fixed, and what may change from one
 * request to the next comes behind `messages`, so equal prefixes are equal bytes. Unpaired surrogates become U+FFFD: the API can't take them.
 */
export function buildBody(request: ModelRequest, servers: McpServers = {}): Body {
  const names = request.tools.flatMap((tool) => mcpServerOf(tool) ?? []);
  const missing = names.find((name) => !Object.hasOwn(servers, name));
  if (missing !== undefined) {
    const message = l10n.t(
      'The MCP server "{0}" is not in the settings any more. Nothing was sent; your next message goes without it.',
      missing,
    );
    return { ok: false, failure: { kind: 'invalid-request', message, code: 'mcp_server_missing' } };
  }
  return write(() => ({ ...toFields(request), ...serversOf(names, servers) }));
}

/** The body for `count_tokens`: the same without what only an answer has. */
export function buildCountBody({ model, system, messages, thinking, contextManagement, ...rest }: ModelRequest): Body {
  // Nobody outside is asked while the user types: tools of MCP servers are not counted.
  const tools = rest.tools.filter((tool) => mcpServerOf(tool) === undefined);
  return write(() => ({
    model,
    ...(thinking === undefined ? {} : { thinking }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(contextManagement === undefined ? {} : { context_management: contextManagement }),
  }));
}

/** The body of one item of a batch: nothing streams, and a cache that lives for minutes is of no use there. */
export function buildItemBody({ model, maxTokens, ...request }: ModelRequest): Body {
  const { thinking, effort, tools, system, messages } = request;
  return write(() => ({
    model,
    max_tokens: maxTokens,
    ...(thinking === undefined ? {} : { thinking }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...containerOf(request),
  }));
}

function write(fields: () => object): Body {
  let json: string;
  try {
    json = withoutLoneSurrogates(JSON.stringify(fields()));
  } catch (error) {
    const detail = messageOf(error);
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
    ...(request.effort === undefined ? {} : { output_config: { effort: request.effort } }),
    ...(plan.automatic === undefined ? {} : { cache_control: plan.automatic }),
    ...(plan.tools.length === 0 ? {} : { tools: plan.tools }),
    ...(plan.system.length === 0 ? {} : { system: plan.system }),
    messages: plan.messages,
    ...(request.contextManagement === undefined ? {} : { context_management: request.contextManagement }),
    ...(request.compaction === undefined ? {} : { compaction: request.compaction }),
    ...diagnosticsOf(request),
    ...containerOf(request),
  };
}

/** Each toolset has its server, and each server its toolset (Messages API, "MCP connector"). */
function serversOf(names: readonly string[], servers: McpServers): object {
  if (names.length === 0) return {};
  const list = names.map((name) => {
    const { url = '', token } = servers[name] ?? {};
    return { type: 'url', url, name, ...(token === undefined ? {} : { authorization_token: token }) };
  });
  return { mcp_servers: list };
}

/** Skills need the long form. Nothing else may be in it (Messages API, "Agent Skills"). */
function containerOf({ container, skills = [] }: Pick<ModelRequest, 'container' | 'skills'>): object {
  if (skills.length === 0) return container === undefined ? {} : { container };
  return { container: { ...(container === undefined ? {} : { id: container }), skills } };
}

function diagnosticsOf({ previousMessageId }: ModelRequest): object {
  return previousMessageId === undefined ? {} : { diagnostics: { previous_message_id: previousMessageId } };
}

/** `JSON.stringify` writes unpaired surrogates, and only them, as `\udXXX`. */
function withoutLoneSurrogates(json: string): string {
  if (!json.includes('\\ud')) return json;
  return json.replace(/\\(ud[89a-f][0-9a-f]{2}|[^])/g, (whole, after: string) => (after.length > 1 ? '\uFFFD' : whole));
}
