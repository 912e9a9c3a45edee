import { join } from 'node:path';
import type { AttachmentPort, Clock, Ids, LogStorePort } from '../core/ports.ts';
import { createAttachmentStore } from '../node/attachments/attachmentStore.ts';
import { createLogStore } from '../node/logStore.ts';
import type { Credentials } from './credentials.ts';
import type { Log } from './log.ts';

const MOST_ATTACHMENT_BYTES = 512 * 1024 * 1024;

export interface StoreDeps {
  /** Absolute path of the extension's global storage. */
  readonly storage: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Where sessions and files are kept. Nothing is made or read before the first use. */
export function createStores({ storage, clock, ids, credentials, log }: StoreDeps): {
  readonly logs: LogStorePort;
  readonly attachments: AttachmentPort;
} {
  return {
    logs: createLogStore({
      dir: join(storage, 'sessions'),
      ...{ clock, ids, logger: log },
      secrets: () => credentials.known(),
    }),
    attachments: createAttachmentStore({ dir: join(storage, 'attachments'), maxBytes: MOST_ATTACHMENT_BYTES, ids }),
  };
}
