import * as l10n from '@vscode/l10n';
import type { Clock, FilesPort, Logger, ModelPort } from '../core/ports.ts';
import { createClientSource, type Connection } from './connection.ts';
import type { Fetch } from './fetch.ts';
import { createTokenCounter } from './countTokens.ts';
import { createFiles } from './files.ts';
import { createModelList } from './models.ts';
import { streamMessage } from './stream.ts';
import { testConnection, type ConnectionReport } from './testConnection.ts';

/** The entry of `dist/api.js`: the only part that loads the SDK. Required with the first prompt, never at activation. */
export interface ApiOptions {
  /** Read anew for every request; the client is rebuilt when the answer changed. */
  readonly connection: () => Promise<Connection>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Silence after which a stream or download counts as dead, in milliseconds. Above 60,000: servers pause. */
  readonly inactivityMs?: number;
  /** Looked up per request by default, so that a `fetch` that VS Code patches later (proxy, certificates) is used. */
  readonly fetch?: Fetch;
  /** `vscode.l10n.bundle`: this bundle has its own copy of the l10n library. */
  readonly translations?: Readonly<Record<string, string>>;
}

export interface Api {
  readonly model: ModelPort;
  readonly files: FilesPort;
  /** One small request and which leg of it failed. Throws only `CancelledError`. */
  testConnection(signal: AbortSignal): Promise<ConnectionReport>;
}

const INACTIVITY_MS = 120_000;

/** Builds the ports to the Messages, Models and Files APIs. Nothing is sent before they are used. */
export function createApi(options: ApiOptions): Api {
  if (options.translations) l10n.config({ contents: options.translations });
  const { clock, logger, inactivityMs = INACTIVITY_MS } = options;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const getClient = createClientSource({ connection: options.connection, fetch, clock, logger });
  warnOfUntrustedTls(logger);
  return {
    model: {
      stream: (request, signal, onEvent) =>
        streamMessage({ getClient, clock, logger, inactivityMs }, request, signal, onEvent),
      models: createModelList({ getClient, clock }),
      countTokens: createTokenCounter({ getClient, clock }),
    },
    files: createFiles({ getClient, clock, inactivityMs }),
    testConnection: (signal) =>
      testConnection({ getClient, clock, baseUrl: async () => (await options.connection()).baseUrl }, signal),
  };
}

function warnOfUntrustedTls(logger: Logger): void {
  if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    logger.warn(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: certificates are not checked, and anyone on the way can read the key.',
    );
  }
}
