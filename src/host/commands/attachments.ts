import * as vscode from 'vscode';
import type { AttachmentRow } from '../../protocol/rows.ts';
import type { Guard } from '../guard.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';

/** Lists the files of this session that are stored; opens the chosen one, or saves or adds it by its buttons. */
export async function showAttachments(services: Services): Promise<void> {
  const { attachments } = services.agent();
  const save = { iconPath: new vscode.ThemeIcon('save-as'), tooltip: vscode.l10n.t('Save As…') };
  const add = { iconPath: new vscode.ThemeIcon('new-file'), tooltip: vscode.l10n.t('Add to Workspace') };
  const files = storedFiles(services);
  if (files.length === 0) return sayNone(services.guard);
  const pick = vscode.window.createQuickPick<FileItem>();
  pick.title = vscode.l10n.t('Attachments of This Session');
  pick.placeholder = vscode.l10n.t('Open a file');
  pick.items = files.map((file) => ({ ...toItem(file), buttons: [save, add] }));
  const act = (run: () => unknown) => {
    pick.hide();
    void services.guard('attachments', run);
  };
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item) act(() => attachments.open(item.fileId));
  });
  pick.onDidTriggerItemButton(({ item, button }) =>
    act(() => (button === save ? attachments.saveAs(item.fileId) : attachments.addToWorkspace(item.fileId))),
  );
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

/** Saves the only file, or the chosen one. */
export async function saveAttachment(services: Services): Promise<void> {
  const files = storedFiles(services);
  if (files.length === 0) return sayNone(services.guard);
  const item =
    files.length === 1
      ? files.map(toItem)[0]
      : await vscode.window.showQuickPick(files.map(toItem), { title: vscode.l10n.t('Save Attachment') });
  if (item) await services.agent().attachments.saveAs(item.fileId);
}

interface FileItem extends vscode.QuickPickItem {
  readonly fileId: string;
}

function toItem(file: AttachmentRow): FileItem {
  const size = vscode.l10n.t('{0} KB', Math.ceil(file.size / 1024).toLocaleString());
  return { label: file.name, description: size, fileId: file.fileId };
}

function storedFiles({ agent }: Services): readonly AttachmentRow[] {
  const { rows } = agent().controller.snapshot();
  return rows.filter((row): row is AttachmentRow => row.kind === 'attachment' && row.state === 'stored').reverse();
}

function sayNone(guard: Guard): void {
  notify(guard, { text: vscode.l10n.t('This session has no files yet.') });
}
