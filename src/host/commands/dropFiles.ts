import * as vscode from 'vscode';
import { foldNames, looksSecret } from '../../core/approval/paths.ts';
import { createSerial } from '../../core/base/serial.ts';
import { UserError } from '../../core/errors.ts';
import { sanitizeFileName } from '../../node/attachments/fileName.ts';
import { createClock } from '../../node/clock.ts';
import { createDroppedFiles, type DroppedFiles } from '../../node/inputs/droppedFiles.ts';
import { lookStored } from '../../node/inputs/localFiles.ts';
import type { DroppedFile } from '../../protocol/inputs.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';
import { attachFiles, confirmLeaving } from './attachFiles.ts';

/** Larger files take long through the view; from the disk they are read as they are sent. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface DropTarget {
  /** Puts files from outside of the editor beside the prompt. */
  take(files: readonly DroppedFile[]): Promise<void>;
  readonly piece: DroppedFiles['piece'];
}

/** Files that are dropped from outside of the editor: their bytes come from the view, and are kept in the attachment store. */
export function createDropTarget(services: Services): DropTarget {
  const dropped = createDroppedFiles((id, at) => services.view.post({ type: 'dropWanted', id, at }), createClock());
  const oneByOne = createSerial();
  const take = async (file: DroppedFile): Promise<void> => {
    if (file.size > MOST_BYTES) return void services.guard('large drop', () => offerPicker(services, file.name));
    const name = sanitizeFileName(file.name);
    const caution = looksSecret(foldNames([file.name])) ? 'secret' : undefined;
    if (!(await confirmLeaving(caution, name))) return;
    const { controller, attachmentStore } = services.agent();
    const title = vscode.l10n.t('Taking {0}', name);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    await vscode.window.withProgress(options, async (_, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      const stored = await attachmentStore.store(dropped.read({ ...file, name }), stop.signal);
      const kind = await lookStored(stored.path, name);
      const from = { hash: stored.hash };
      controller.tray.add({ name, path: name, size: stored.size, ...kind, from, ...(caution && { caution }) });
    });
  };
  return {
    take: (files) =>
      oneByOne.run(async () => {
        for (const file of files) {
          try {
            await take(file);
          } catch (error) {
            if (!(error instanceof UserError)) throw error;
            notify(services.guard, { text: error.message, severity: 'warning' });
          }
        }
      }),
    piece: (id, at, data) => dropped.piece(id, at, data),
  };
}

async function offerPicker(services: Services, name: string): Promise<void> {
  const choose = vscode.l10n.t('Choose File…');
  const text = vscode.l10n.t('{0} is too large to be dropped from outside of VS Code (64 MB at most).', name);
  if ((await vscode.window.showWarningMessage(text, choose)) === choose) await attachFiles(services);
}
