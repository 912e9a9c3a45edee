import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import type { Disposable } from '../../core/base/disposable.ts';
import { UserError } from '../../core/errors.ts';
import type { AttachmentPort, Clock, FilesPort, Ids, LogStorePort } from '../../core/ports.ts';
import type { AttachmentStored } from '../../core/session/entries.ts';
import { createInventory } from '../../node/attachments/inventory.ts';
import { createStorage, type Storage } from '../../node/attachments/storage.ts';
import { createEditPort } from '../edits/editPort.ts';
import type { Services } from '../services.ts';
import { readSettings } from '../settings.ts';
import { createAddToWorkspace } from './addToWorkspace.ts';
import { createAttachmentActions, type AttachmentActions } from './attachmentActions.ts';
import { createLibrary, type Library } from './library.ts';
import { createLocalCopies } from './localCopies.ts';

/** Everything about the files that server tools made. */
export interface Attachments extends Disposable {
  readonly library: Library;
  readonly actions: AttachmentActions;
  readonly storage: Storage;
  /** A file of the session that is shown. Throws `UserError` for ids that it never had. */
  shown(fileId: string): AttachmentStored;
}

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
  return {
    ...{ library, actions, storage },
    shown(fileId) {
      const file = deps.controller.files.find(fileId);
      if (file) return file;
      throw new UserError(vscode.l10n.t('This file does not belong to the session that is shown.'));
    },
    dispose: () => library.dispose(),
  };
}
