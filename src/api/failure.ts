import * as l10n from '@vscode/l10n';
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { isObject, stringAt } from '../core/base/json.ts';
import { redact } from '../core/base/redact.ts';
import { cutText } from '../core/base/text.ts';
import { ApiError, CancelledError, messageOf, type ApiFailure, type ApiFailureKind } from '../core/errors.ts';
import { describeNetworkError, innermostMessage, isRedirectError } from './networkError.ts';

/** What an error is judged against. */
export interface FailureContext {
  /** Host and port that was asked, for the text. */
  readonly host: string;
  /** Whatever must not show up in a message. */
  readonly secrets: readonly string[];
  /** Epoch milliseconds, for `retry-after` dates. */
  readonly now: number;
}

const KIND_BY_STATUS: Readonly<Record<number, ApiFailureKind>> = {
  400: 'invalid-request',
  401: 'authentication',
  402: 'billing',
  403: 'permission',
  404: 'not-found',
  // A gateway without that part of the API.
  405: 'not-found',
  501: 'not-found',
  407: 'connection',
  408: 'timeout',
  409: 'server',
  413: 'too-large',
  422: 'invalid-request',
  429: 'rate-limit',
  504: 'timeout',
  529: 'overloaded',
};

const KIND_BY_TYPE: ReadonlyMap<string, ApiFailureKind> = new Map<string, ApiFailureKind>([
  ['invalid_request_error', 'invalid-request'],
  ['authentication_error', 'authentication'],
  ['billing_error', 'billing'],
  ['permission_error', 'permission'],
  ['not_found_error', 'not-found'],
  ['request_too_large', 'too-large'],
  ['rate_limit_error', 'rate-limit'],
  ['timeout_error', 'timeout'],
  ['api_error', 'server'],
  ['overloaded_error', 'overloaded'],
  ['conflict_error', 'server'],
]);

const SPEND_LIMIT_CODES: ReadonlySet<string> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_spend_limit_reached',
]);

/** Any error of a request as plain data. Never throws. */
export function toFailure(error: unknown, context: FailureContext): ApiFailure {
  if (error instanceof ApiError) return { ...error.failure, message: redact(error.failure.message, context.secrets) };
  if (isStatusError(error)) return fromStatus(error, context);
  if (isRedirectError(error)) return localFailure('protocol', redirectText(context.host), context);
  if (error instanceof APIConnectionTimeoutError) return localFailure('timeout', timeoutText(context.host), context);
  const network = describeNetworkError(error, context.host);
  if (network) {
    return {
      ...localFailure(network.timedOut ? 'timeout' : 'connection', network.message, context),
      code: network.code,
    };
  }
  if (!(error instanceof APIError)) return localFailure('unknown', messageOf(error), context);
  const message = l10n.t('The connection to {0} failed: {1}', context.host, innermostMessage(error));
  return localFailure('connection', message, context);
}

/** A failure that we found ourselves; the text is ours and redacted all the same. */
export function localFailure(
  kind: ApiFailureKind,
  message: string,
  context: Pick<FailureContext, 'secrets'>,
): ApiFailure {
  return { kind, message: redact(message, context.secrets) };
}

/** The failure that an error body describes, as an HTTP answer or as an `error` event in a stream (then without status). */
export function fromErrorBody(body: unknown, context: FailureContext, status?: number): ApiFailure {
  const error = isObject(body) ? body['error'] : undefined;
  const type = stringAt(error, 'type');
  const code = stringAt(isObject(error) ? error['details'] : undefined, 'error_code');
  const requestId = stringAt(body, 'request_id');
  const paths = pathsOf(isObject(error) ? error['details'] : undefined);
  const said = bodyMessage(body);
  return {
    kind: isAboutServer(said, status) ? 'invalid-request' : kindOf(status, type, code),
    message: redact(said ?? statusText(status, context.host), context.secrets),
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** A server of the MCP connector refused its token: the key of the API is not to blame. */
function isAboutServer(said: string | undefined, status: number | undefined): boolean {
  return (status === 401 || status === 403) && /\bMCP server\b/i.test(said ?? '');
}

function pathsOf(details: unknown): readonly string[] {
  const paths: unknown = isObject(details) ? details['paths'] : undefined;
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

/** The id under which the API knows a request; other names come from gateways and AWS. */
export function requestIdOf(headers: Headers): string | undefined {
  return headers.get('request-id') ?? headers.get('x-request-id') ?? headers.get('x-amzn-requestid') ?? undefined;
}

/** What a stopped request throws: the user's cancellation as such, everything else as `ApiError`. */
export function toPortError(error: unknown, signal: AbortSignal, context: FailureContext): Error {
  if (signal.aborted || error instanceof CancelledError) return new CancelledError();
  return error instanceof ApiError ? error : new ApiError(toFailure(error, context));
}

/** `retry-after-ms`, or `retry-after` in seconds or as a date, in milliseconds; undefined when it asks for nothing. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const milliseconds = positive(headers.get('retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = positive(value);
  if (seconds !== undefined) return seconds * 1000;
  if (/^\s*[-+.\d]/.test(value)) return undefined;
  const wait = Date.parse(value) - now;
  return wait > 0 ? wait : undefined;
}

/** Readable text of an error page: tags and blank space folded, at most 500 characters. */
export function plainText(text: string): string {
  const plain = text
    .slice(0, 20_000)
    .replace(/<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > 500 ? `${cutText(plain, 499)}…` : plain;
}

function isStatusError(error: unknown): error is APIError<number, Headers, object | undefined> {
  return error instanceof APIError && typeof error.status === 'number';
}

function fromStatus(error: APIError<number, Headers, object | undefined>, context: FailureContext): ApiFailure {
  const { headers } = error;
  const body: unknown = error.error ?? error.message.replace(/^\d{3} /, '').replace(/^status code \(no body\)$/, '');
  const failure = fromErrorBody(body, context, error.status);
  const requestId = requestIdOf(headers) ?? failure.requestId;
  const retryAfterMs = retryAfterOf(headers, context.now);
  const should = headers.get('x-should-retry');
  return {
    ...failure,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(should === 'true' || should === 'false' ? { shouldRetry: should === 'true' } : {}),
  };
}

function kindOf(status: number | undefined, type: string | undefined, code: string | undefined): ApiFailureKind {
  if (code !== undefined && SPEND_LIMIT_CODES.has(code)) return 'spend-limit';
  const byType = type === undefined ? undefined : KIND_BY_TYPE.get(type);
  if (status === undefined) return byType ?? 'unknown';
  const byStatus = KIND_BY_STATUS[status];
  if (byStatus) return byStatus;
  if (status >= 500) return byType === 'overloaded' ? 'overloaded' : 'server';
  return byType ?? 'unknown';
}

/** The API's shape first, then what gateways send. */
function bodyMessage(body: unknown): string | undefined {
  if (typeof body === 'string') return plainText(body) || undefined;
  if (!isObject(body)) return undefined;
  const error = body['error'];
  const text =
    stringAt(error, 'message') ?? stringAt(body, 'error') ?? stringAt(body, 'message') ?? stringAt(body, 'detail');
  if (text !== undefined && text.trim() !== '') return cutText(text, 4_000);
  return plainText(JSON.stringify(body));
}

function statusText(status: number | undefined, host: string): string {
  return status === undefined
    ? l10n.t('{0} reported an error without saying which.', host)
    : l10n.t('{0} answered with HTTP status {1} and no explanation.', host, status);
}

function redirectText(host: string): string {
  return l10n.t(
    '{0} answered with a redirect to another address. It was not followed, and neither the key nor the conversation was sent there. Check the base URL.',
    host,
  );
}

/** Nothing came back at all. */
export function timeoutText(host: string): string {
  return l10n.t('{0} did not answer in time.', host);
}

/** For an answer with a status that says success and a body that the API never sends. */
export function notTheApiText(host: string, contentType: string): string {
  const type = contentType.split(';')[0]?.trim() ?? '';
  return type === 'text/html'
    ? l10n.t(
        '{0} answered with a web page instead of the Messages API. A sign-in page of the network or a wrong base URL is the usual reason.',
        host,
      )
    : l10n.t('{0} answered with {1} instead of the Messages API. Check the base URL.', host, type || 'nothing');
}

function positive(text: string | null): number | undefined {
  if (text === null || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}
