import { join } from 'node:path';
import { UserError } from '../core/errors.ts';
import type { AttachmentPort, Clock, Ids, LogStorePort, SessionLog } from '../core/ports.ts';
import type { LogEntry } from '../core/session/entries.ts';
import { createAttachmentStore } from '../node/attachments/attachmentStore.ts';
import type { Credentials } from './credentials.ts';
import type { Log } from './log.ts';

const MOST_ATTACHMENT_BYTES = 512 * 1024 * 1024;

// Stand-ins until the rooms behind them have landed.

export interface StoreDeps {
  readonly storage: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly credentials: Credentials;
  readonly log: Log;
}

export function createStores({ storage, ids }: StoreDeps): {
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
    attachments: createAttachmentStore({ dir: join(storage, 'attachments'), maxBytes: MOST_ATTACHMENT_BYTES, ids }),
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
