import * as vscode from 'vscode';
import type { Api } from '../api/index.ts';
import type * as ApiModule from '../api/index.ts';
import type { McpServers } from '../api/request.ts';
import { FALLBACK_MODEL } from '../core/agent/epoch.ts';
import { messageOf } from '../core/errors.ts';
import type { StreamRecorder } from '../core/streamRecorder.ts';
import type { Clock } from '../core/ports.ts';
import type { Credentials } from './credentials.ts';
import type { Log } from './log.ts';

export interface LazyApiDeps {
  readonly credentials: Credentials;
  readonly log: Log;
  readonly clock: Clock;
  readonly recorder: StreamRecorder;
  /** Where the servers of the MCP connector are, by name. */
  readonly mcpServers: () => Promise<McpServers>;
}

let loaded: typeof ApiModule | undefined;

/** Whether the SDK's bundle has been read. */
export function isApiLoaded(): boolean {
  return loaded !== undefined;
}

/**
 * The Anthropic adapter behind a door: its bundle lies beside this one and is read with the first prompt, model list or
 * download, because the SDK would make every activation slower.
 */
export function createLazyApi({ credentials, log, clock, recorder, mcpServers }: LazyApiDeps): Api {
  let api: Api | undefined;
  const open = () => {
    const options = { connection, logger: log, clock, recorder, fallbackModel: FALLBACK_MODEL };
    api ??= loadApi().createApi({ ...options, ...translations() });
    return api;
  };
  const connection = async () => {
    const { baseUrl, credential, headers, keyHeader } = await credentials.connection();
    return {
      baseUrl,
      headers,
      keyHeader,
      mcpServers: await mcpServers(),
      ...(credential ? { [credential.kind]: credential.value } : {}),
    };
  };
  return {
    model: {
      async stream(request, signal, onEvent) {
        try {
          return await open().model.stream(request, signal, onEvent);
        } catch (error) {
          log.error('The API could not be reached', error);
          return { kind: 'failed', failure: { kind: 'unknown', message: messageOf(error) } };
        }
      },
      models: async (signal, refresh) => open().model.models(signal, refresh),
      countTokens: async (request, signal) => open().model.countTokens(request, signal),
    },
    files: {
      metadata: async (fileId, signal) => open().files.metadata(fileId, signal),
      content: async (fileId, signal) => open().files.content(fileId, signal),
      remove: async (fileId, signal) => open().files.remove(fileId, signal),
      upload: async (source, signal, onSent) => open().files.upload(source, signal, onSent),
    },
    batches: {
      create: async (items, template, signal) => open().batches.create(items, template, signal),
      get: async (id, signal) => open().batches.get(id, signal),
      list: async (signal) => open().batches.list(signal),
      cancel: async (id, signal) => open().batches.cancel(id, signal),
      results: async (id, signal) => open().batches.results(id, signal),
    },
    skills: {
      list: async (source, signal) => open().skills.list(source, signal),
      upload: async (bundle, skillId, signal) => open().skills.upload(bundle, skillId, signal),
    },
    testConnection: async (signal, model) => open().testConnection(signal, model),
  };
}

/** A `require`, and not an `import()`, which esbuild would turn into a part of this bundle. */
function loadApi(): typeof ApiModule {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- the other bundle, read when it is needed
  return (loaded ??= require('./api.js') as typeof ApiModule);
}

function translations(): { readonly translations?: Readonly<Record<string, string>> } {
  return vscode.l10n.bundle ? { translations: vscode.l10n.bundle } : {};
}
