import type { Disposable } from '../core/base/disposable.ts';
import { UserError } from '../core/errors.ts';
import type { AttachmentPort, Clock, Ids, LogStorePort, PreviewPort, SessionLog } from '../core/ports.ts';
import type { LogEntry } from '../core/session/entries.ts';
import { codeExecutionTool } from '../core/tools/codeExecution.ts';
import type { AnyTool } from '../core/tools/tool.ts';
import type { Credentials } from './credentials.ts';
import type { Log } from './log.ts';
import type { Services } from './services.ts';

// Stand-ins until the rooms behind them have landed.

export interface StoreDeps {
  readonly storage: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly credentials: Credentials;
  readonly log: Log;
}

export function createStores({ ids }: StoreDeps): {
  readonly logs: LogStorePort;
  readonly attachments: AttachmentPort;
} {
  return {
    logs: {
      create: async (folders) => memoryLog(ids, folders),
      open: async () => {
        throw new UserError('No such session');
      },
      list: async () => [],
    },
    attachments: {
      store: async () => {
        throw new UserError('Not stored');
      },
      find: async () => undefined,
    },
  };
}

function memoryLog(ids: Ids, folders: readonly string[]): SessionLog {
  const entries: LogEntry[] = [];
  return {
    header: { type: 'session', v: 1, id: ids.random(), created: new Date().toISOString(), folders },
    repairs: [],
    readOnly: false,
    entries: () => entries,
    async append(entry) {
      const parentId = entries.at(-1)?.id ?? null;
      const added = { ...entry, id: ids.random(), parentId, at: new Date().toISOString() } as LogEntry;
      entries.push(added);
      return added;
    },
    dispose: () => undefined,
  };
}

export function createPreviews(_services: Services): PreviewPort {
  return {
    open: () => ({
      show: async () => undefined,
      revised: () => undefined,
      onDecision: () => ({ dispose: () => undefined }),
      dispose: () => undefined,
    }),
  };
}

export interface SessionTools {
  create(sessionId: string): { readonly tools: readonly AnyTool[] } & Disposable;
  show(): void;
}

export function createSessionTools(_services: Services): SessionTools {
  return { create: () => ({ tools: [codeExecutionTool], dispose: () => undefined }), show: () => undefined };
}
