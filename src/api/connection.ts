import Anthropic from '@anthropic-ai/sdk';
import * as l10n from '@vscode/l10n';
import { isHeaderSafe } from '../core/base/headerValue.ts';
import { ApiError, UserError, type ApiFailure } from '../core/errors.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { checkBaseUrl } from './baseUrl.ts';
import { localFailure, toFailure, type FailureContext } from './failure.ts';
import { createSafeFetch, type Fetch } from './fetch.ts';
import type { McpServers } from './request.ts';

/** Where requests go and as whom. `apiKey` wins over `authToken`; a credential among the headers wins over both. */
export interface Connection {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly authToken?: string;
  /** Which header carries `apiKey`; some gateways know `x-api-key` only. Absent: the bearer. */
  readonly keyHeader?: 'authorization' | 'x-api-key';
  readonly headers?: Readonly<Record<string, string>>;
  /** Servers of the MCP connector, by name: Anthropic connects to them, with these tokens. */
  readonly mcpServers?: McpServers;
}

export interface Client {
  readonly sdk: Anthropic;
  /** Host and port. */
  readonly host: string;
  /** Equal for equal connections. Holds credentials: never shown or logged. */
  readonly identity: string;
  readonly mcpServers: McpServers;
  /** Betas that a header setting asks for. */
  readonly betas: readonly string[];
  context(): FailureContext;
}

export interface ClientDeps {
  readonly connection: () => Promise<Connection>;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Codes of failures that are found before anything is sent. */
export const BASE_URL_REFUSED = 'base_url_refused';
export const HEADERS_INVALID = 'headers_invalid';
export const SETTINGS_REFUSED = 'settings_refused';

/** The SDK insists on a credential; where a header brings it, this one is taken off again before the request. */
const NO_KEY_OF_OUR_OWN = 'in-headers';
const CREDENTIAL_HEADERS = ['x-api-key', 'authorization'];
const SILENT = { error: ignore, warn: ignore, info: ignore, debug: ignore };

/**
 * Hands out the client for the connection as it is now; it is built anew only when the connection changed.
 * The result throws `ApiError`: no key, a base URL that must not get the key, headers that can't be sent.
 */
export function createClientSource(deps: ClientDeps): () => Promise<Client> {
  let current: Client | undefined;
  return async () => {
    const connection = await readConnection(deps);
    const identity = JSON.stringify([
      connection.baseUrl ?? '',
      connection.apiKey ?? '',
      connection.authToken ?? '',
      connection.keyHeader ?? '',
      connection.headers ?? {},
      connection.mcpServers ?? {},
    ]);
    if (current?.identity !== identity) current = buildClient(connection, identity, deps);
    return current;
  };
}

async function readConnection(deps: ClientDeps): Promise<Connection> {
  try {
    return await deps.connection();
  } catch (error) {
    const failure = toFailure(error, { host: '', secrets: [], now: deps.clock.now() });
    throw new ApiError(error instanceof UserError ? { ...failure, code: SETTINGS_REFUSED } : failure);
  }
}

function buildClient(connection: Connection, identity: string, deps: ClientDeps): Client {
  const secrets = secretsOf(connection);
  const base = checkBaseUrl(connection.baseUrl);
  if (!base.ok) throw refused({ kind: 'invalid-request', message: base.problem, code: BASE_URL_REFUSED }, secrets);
  const headers = checkedHeaders(connection.headers ?? {}, secrets);
  const credential = credentialOf(connection, headers, secrets);
  const betas = headers.get('anthropic-beta')?.split(',') ?? [];
  headers.delete('anthropic-beta');
  const options = {
    ...credential,
    baseURL: base.url,
    maxRetries: 0,
    fetch: createSafeFetch(deps.fetch),
    defaultHeaders: headers,
    // Its debug level would print bodies and headers, and the environment could switch it on.
    logLevel: 'off',
    logger: SILENT,
    openTelemetry: false,
  } as const;
  const sdk = withoutEnvironmentHeaders(() => new Anthropic(options));
  deps.logger.info(`Client for ${base.host}`);
  return {
    sdk,
    host: base.host,
    identity,
    mcpServers: connection.mcpServers ?? {},
    betas: betas.map((beta) => beta.trim()).filter((beta) => beta !== ''),
    context: () => ({ host: base.host, secrets, now: deps.clock.now() }),
  };
}

function credentialOf(
  connection: Connection,
  headers: Headers,
  secrets: readonly string[],
): { readonly apiKey: string } | { readonly authToken: string } {
  if (CREDENTIAL_HEADERS.some((name) => headers.has(name))) return { apiKey: NO_KEY_OF_OUR_OWN };
  const apiKey = connection.apiKey?.trim() ?? '';
  const authToken = connection.authToken?.trim() ?? '';
  const key = apiKey || authToken;
  if (key === '') {
    throw refused({ kind: 'no-key', message: l10n.t('There is no API key yet. Set one to talk to Claude.') }, secrets);
  }
  if (!isHeaderSafe(key)) {
    const message = l10n.t('The API key holds characters that no key has. Paste it again, without blanks or quotes.');
    throw refused({ kind: 'authentication', message }, secrets);
  }
  if (apiKey === '') return { authToken };
  if (connection.keyHeader !== 'x-api-key') return { apiKey };
  headers.set('x-api-key', apiKey);
  return { apiKey: NO_KEY_OF_OUR_OWN };
}

/**
 * The SDK adds the headers of this variable by itself, to whatever address; they were meant for the environment's own,
 * and where they are wanted the connection has them.
 */
function withoutEnvironmentHeaders<T>(run: () => T): T {
  const name = 'ANTHROPIC_CUSTOM_HEADERS';
  const before = process.env[name];
  Reflect.deleteProperty(process.env, name);
  try {
    return run();
  } finally {
    if (before !== undefined) process.env[name] = before;
  }
}

/** `Headers` would print the value in its own error. */
function checkedHeaders(headers: Readonly<Record<string, string>>, secrets: readonly string[]): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    try {
      result.set(name, value);
    } catch {
      const message = l10n.t('The header setting {0} can not be sent: its name or value is not valid.', name);
      throw refused({ kind: 'invalid-request', message, code: HEADERS_INVALID }, secrets);
    }
  }
  return result;
}

/** Every header may be a credential, but for Anthropic's own that name a version. */
function secretsOf(connection: Connection): readonly string[] {
  const headers = Object.entries(connection.headers ?? {}).filter(
    ([name]) => !/^anthropic-(version|beta)$/i.test(name),
  );
  const tokens = Object.values(connection.mcpServers ?? {}).map(({ token }) => token);
  const values = [connection.apiKey, connection.authToken, ...headers.map(([, value]) => value), ...tokens];
  return values.filter((value): value is string => typeof value === 'string' && value.trim().length >= 6);
}

function refused(failure: ApiFailure, secrets: readonly string[]): ApiError {
  return new ApiError({ ...failure, ...localFailure(failure.kind, failure.message, { secrets }) });
}

function ignore(): void {
  // The SDK's own messages: ours say the same, redacted.
}
