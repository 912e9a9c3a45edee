import * as l10n from '@vscode/l10n';
import type { StreamRecorder } from '../core/streamRecorder.ts';
import type { Clock, FilesPort, Logger, ModelPort } from '../core/ports.ts';
import type { BatchApi } from '../core/batches/batchTypes.ts';
import { createBatches } from './batches.ts';
import { createClientSource, type Connection } from './connection.ts';
import type { Fetch } from './fetch.ts';
import { createTokenCounter } from './countTokens.ts';
import { createFiles } from './files.ts';
import { createModelList } from './models.ts';
import { createSkills, type SkillsApi } from './skills.ts';
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
  /** Keeps raw event streams, where they are wanted. */
  readonly recorder?: StreamRecorder;
  /** Asked for by the test of a connection where neither setting nor list names a model. */
  readonly fallbackModel?: string;
  /** `vscode.l10n.bundle`: this bundle has its own copy of the l10n library. */
  readonly translations?: Readonly<Record<string, string>>;
}

export interface Api {
  readonly model: ModelPort;
  readonly files: FilesPort;
  readonly skills: SkillsApi;
  readonly batches: BatchApi;
  /** Which leg of the way to an answer fails; `model` is that of the settings. Throws only `CancelledError`. */
  testConnection(signal: AbortSignal, model?: string): Promise<ConnectionReport>;
}

const INACTIVITY_MS = 120_000;

/** Builds the ports to the Messages, Models and Files APIs. Nothing is sent before they are used. */
export function createApi(options: ApiOptions): Api {
  if (options.translations) l10n.config({ contents: options.translations });
  const { clock, logger, inactivityMs = INACTIVITY_MS, fallbackModel = '', recorder } = options;
  const fetch: Fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const getClient = createClientSource({ connection: options.connection, fetch, clock, logger });
  return {
    model: {
      stream: (request, signal, onEvent) =>
        streamMessage({ getClient, clock, logger, inactivityMs, recorder }, request, signal, onEvent),
      models: createModelList({ getClient, clock }),
      countTokens: createTokenCounter({ getClient, clock }),
    },
    files: createFiles({ getClient, clock, inactivityMs }),
    batches: createBatches({ getClient, clock, inactivityMs }),
    skills: createSkills({ getClient, clock }),
    testConnection: (signal, model = '') =>
      testConnection(
        { getClient, clock, baseUrl: async () => (await options.connection()).baseUrl, model, fallbackModel },
        signal,
      ),
  };
}
