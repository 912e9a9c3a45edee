import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { fileKind, KIND_BYTES } from '../../core/base/fileKind.ts';
import { fileSize } from '../../core/base/fileSize.ts';
import { CancelledError, messageOf, UserError } from '../../core/errors.ts';
import type { FilesPort, Logger, StoredFile } from '../../core/ports.ts';
import type { AttachmentStored } from '../../core/session/entries.ts';
import { sanitizeFileName } from '../../node/attachments/fileName.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import { placeInsteadOf, placeUnderFreeName } from '../../node/attachments/placeFile.ts';
import type { Storage } from '../../node/attachments/storage.ts';
import { beginningOf } from '../../node/attachments/readPiece.ts';
import type { Guard } from '../guard.ts';
import { notify } from '../notify.ts';
import { PREVIEW_EDITOR } from '../preview/previewEditor.ts';
import { previewUri } from '../preview/previewUri.ts';
import type { AddToWorkspace } from './addToWorkspace.ts';
import { asText } from './fileText.ts';
import type { Library } from './library.ts';
import type { LocalCopies } from './localCopies.ts';
import { olderVersion } from './versions.ts';

/** Of a text that is copied as a whole. Bytes. */
const MOST_COPIED = 1024 * 1024;
const DELETE_MS = 30_000;

export interface AttachmentActionsDeps {
  readonly library: Pick<Library, 'blob' | 'forget' | 'retry' | 'groups'>;
  readonly files: Pick<FilesPort, 'remove'>;
  readonly storage: Pick<Storage, 'clean'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly copies: LocalCopies;
  readonly addToWorkspace: AddToWorkspace;
  readonly guard: Guard;
}

/**
 * What the user can do with files that server tools made. The server's name is data: a sanitised one is used, and
 * nothing is ever run. All throw `UserError`.
 */
export interface AttachmentActions {
  /** Shows it: tables, pictures and documents in our own preview, texts as text, sound and film in VS Code's viewer. */
  open(file: LoggedFile): Promise<void>;
  /** Shows it as the text that it is. */
  openText(file: AttachmentStored): Promise<void>;
  /** Hands a copy to the system's program for it. */
  openOutside(file: AttachmentStored): Promise<void>;
  saveAs(file: AttachmentStored): Promise<void>;
  /** Saves them into a folder that the user chooses, under names that are free. */
  saveAll(files: readonly AttachmentStored[]): Promise<void>;
  /** As a new file of a workspace folder, or as an edit of the file that is there, once the user has seen it. */
  addToWorkspace(file: AttachmentStored): Promise<void>;
  copyPath(file: AttachmentStored): Promise<void>;
  copyContent(file: AttachmentStored): Promise<void>;
  /** Shows a copy in the system's file manager. */
  reveal(file: AttachmentStored): Promise<void>;
  /** Opens a diff with the version before it: an older file of the same name and another content. */
  compare(file: LoggedFile): Promise<void>;
  /** Fetches it again from Anthropic. */
  fetchAgain(file: LoggedFile): Promise<void>;
  /** Asks first, and where: on this computer, or at Anthropic too. */
  remove(file: LoggedFile): Promise<void>;
}

export function createAttachmentActions(deps: AttachmentActionsDeps): AttachmentActions {
  const { copies, guard } = deps;
  const copyOf = async (file: AttachmentStored) => copies.of(await stored(deps, file), file.name);
  return {
    open: async (file) => openFile(await stored(deps, file), file, copyOf),
    openText: async (file) => openText(await copyOf(file)),
    async openOutside(file) {
      await vscode.env.openExternal(vscode.Uri.file(await copyOf(file)));
    },
    saveAs: async (file) => saveAs(await stored(deps, file), file.name),
    saveAll: (files) => saveAll(deps, files),
    addToWorkspace: async (file) => deps.addToWorkspace(await stored(deps, file), sanitizeFileName(file.name)),
    async copyPath(file) {
      await vscode.env.clipboard.writeText(await copyOf(file));
      notify(guard, { text: vscode.l10n.t('The path of a read-only copy is on the clipboard.') });
    },
    copyContent: async (file) => copyContent(await stored(deps, file), file.name),
    async reveal(file) {
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(await copyOf(file)));
    },
    async compare(file) {
      const older = olderVersion(await deps.library.groups(), file);
      if (!older) throw new UserError(vscode.l10n.t('There is no other version of {0}.', nameOf(file)));
      const [left, right] = [vscode.Uri.file(await copyOf(older)), vscode.Uri.file(await copyOf(file))];
      const title = vscode.l10n.t('{0} (previous version ↔ this one)', nameOf(file));
      await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    },
    async fetchAgain(file) {
      await deps.library.retry(file);
    },
    remove: (file) => remove(deps, file),
  };
}

/** Whatever its name would open: markup is shown and never run. */
async function openText(path: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path), 'default', { preview: true });
}

async function openFile(
  blob: StoredFile,
  file: LoggedFile,
  copyOf: (file: AttachmentStored) => Promise<string>,
): Promise<void> {
  const kind = fileKind(nameOf(file), await beginningOf(blob.path, KIND_BYTES));
  const options = { preview: true };
  if (kind === 'text') {
    await openText(await copyOf(file));
  } else if (kind === 'media') {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(await copyOf(file)), options);
  } else {
    await vscode.commands.executeCommand('vscode.openWith', previewUri(file), PREVIEW_EDITOR, options);
  }
}

async function stored({ library }: AttachmentActionsDeps, file: AttachmentStored): Promise<StoredFile> {
  const blob = await library.blob(file);
  if (blob) return blob;
  throw new UserError(vscode.l10n.t('{0} is not on this computer. Use Download Again.', nameOf(file)));
}

function nameOf(file: AttachmentStored): string {
  return sanitizeFileName(file.name);
}

async function saveAs(blob: StoredFile, name: string): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const clean = sanitizeFileName(name);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save {0}', clean),
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, clean) } : {}),
  });
  if (!target) return;
  if (target.scheme === 'file') await placeInsteadOf(blob.path, target.fsPath);
  else await vscode.workspace.fs.copy(vscode.Uri.file(blob.path), target, { overwrite: true });
}

async function saveAll(deps: AttachmentActionsDeps, files: readonly AttachmentStored[]): Promise<void> {
  const found = await Promise.all(files.map(async (file) => ({ file, blob: await deps.library.blob(file) })));
  const here = found.flatMap(({ file, blob }) => (blob ? [{ file, blob }] : []));
  if (here.length === 0) throw new UserError(vscode.l10n.t('None of these files is on this computer.'));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [chosen] =
    (await vscode.window.showOpenDialog({
      ...{ canSelectFiles: false, canSelectFolders: true },
      title: vscode.l10n.t('Save {0} files into which folder?', here.length),
      openLabel: vscode.l10n.t('Save Here'),
      ...(folder ? { defaultUri: folder } : {}),
    })) ?? [];
  if (!chosen) return;
  const options = {
    ...{ location: vscode.ProgressLocation.Notification, cancellable: true },
    title: vscode.l10n.t('Saving {0} files', here.length),
  };
  await vscode.window.withProgress(options, async (progress, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    for (const { file, blob } of here) {
      if (token.isCancellationRequested) throw new CancelledError();
      progress.report({ message: nameOf(file), increment: 100 / here.length });
      await placeUnderFreeName(blob.path, chosen.fsPath, nameOf(file), abort.signal);
    }
  });
  const missing = files.length - here.length;
  const left = missing === 0 ? '' : ` ${vscode.l10n.t('{0} are not on this computer.', missing)}`;
  notify(deps.guard, { text: vscode.l10n.t('Saved {0} files.', here.length) + left });
}

async function copyContent(blob: StoredFile, name: string): Promise<void> {
  const clean = sanitizeFileName(name);
  if (blob.size > MOST_COPIED) {
    const most = fileSize(MOST_COPIED, vscode.env.language);
    throw new UserError(vscode.l10n.t('{0} is larger than {1}. Save it instead.', clean, most));
  }
  const text = asText(await readFile(blob.path));
  if (text === undefined) {
    throw new UserError(vscode.l10n.t('{0} is no text. Copy its path, or save it instead.', clean));
  }
  await vscode.env.clipboard.writeText(text);
}

async function remove(deps: AttachmentActionsDeps, file: LoggedFile): Promise<void> {
  const here = vscode.l10n.t('Delete Here');
  const everywhere = vscode.l10n.t('Delete Here and at Anthropic');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete {0}?', nameOf(file)),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The conversation stays. What is deleted here can be downloaded again for as long as Anthropic keeps it.',
      ),
    },
    here,
    everywhere,
  );
  if (choice === undefined) return;
  if (choice === everywhere) await deps.files.remove(file.fileId, AbortSignal.timeout(DELETE_MS));
  await deps.library.forget(file, choice === everywhere ? 'everywhere' : 'here');
  // The content may be that of another file too, or another window may be at it: then it goes later.
  await deps.storage.clean().catch((error: unknown) => deps.logger.info(`Not cleaned up now: ${messageOf(error)}`));
}
