import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import { UserError } from '../../core/errors.ts';
import type { AttachmentPort, Clock, FilesPort, Ids, LogStorePort } from '../../core/ports.ts';
import { createInventory } from '../../node/attachments/inventory.ts';
import { createStorage, type Storage } from '../../node/attachments/storage.ts';
import { createEditPort } from '../edits/editPort.ts';
import { createPreviewer } from '../preview/previewer.ts';
import type { Services } from '../services.ts';
import { readSettings, type Settings } from '../settings.ts';
import { createAddToWorkspace } from './addToWorkspace.ts';
import { createAttachmentActions } from './attachmentActions.ts';
import { createLibrary } from './library.ts';
import type { Attachments } from './attachmentTypes.ts';
import { createLocalCopies } from './localCopies.ts';
import { cleanUp, createStoragePage } from './storagePage.ts';

/** Well after the window has started: it reads all logs. */
const RETENTION_MS = 60_000;

export interface AttachmentsDeps {
  readonly controller: SessionController;
  readonly logs: LogStorePort;
  readonly store: AttachmentPort;
  readonly files: FilesPort;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function createAttachments(services: Services, deps: AttachmentsDeps): Attachments {
  const { context, guard, log, previews } = services;
  const root = context.globalStorageUri.fsPath;
  const inventory = createInventory(join(root, 'sessions'));
  const library = createLibrary({ ...deps, inventory, logger: log });
  const storage = createStorage({ dir: join(root, 'attachments'), inventory, clock: deps.clock, ids: deps.ids });
  const edit = createEditPort({ shouldSave: () => readSettings().saveEdits });
  const actions = createAttachmentActions({
    ...{ library, storage, files: deps.files, guard, logger: log },
    copies: createLocalCopies(join(root, 'open')),
    addToWorkspace: createAddToWorkspace({ edit, previews, guard }),
  });
  const { extensionUri } = context;
  const previewer = createPreviewer({ extensionUri, store: deps.store, library, actions, guard, log });
  const limits = () => readSettings().attachments;
  const storagePage = createStoragePage({ extensionUri, library, storage, limits, guard, log });
  const retention = setTimeout(() => void guard('retention', () => applyRetention(storage, limits())), RETENTION_MS);
  return {
    ...{ library, actions, storage, previewer, storagePage },
    shown(fileId) {
      const file = deps.controller.files.find(fileId);
      const sessionId = deps.controller.log()?.header.id;
      if (file && sessionId !== undefined) return { ...file, sessionId };
      throw new UserError(vscode.l10n.t('This file does not belong to the session that is shown.'));
    },
    dispose() {
      clearTimeout(retention);
      storagePage.dispose();
      library.dispose();
    },
  };
}

/** Without a retention nothing goes by itself. That another window is at it is nobody's business here. */
async function applyRetention(storage: Storage, limits: Settings['attachments']): Promise<void> {
  if (limits.retentionDays > 0) await cleanUp(storage, limits, Date.now()).catch(() => undefined);
}
