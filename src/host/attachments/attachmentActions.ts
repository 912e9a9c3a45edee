import { chmod, copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { UserError } from '../../core/errors.ts';
import type { AttachmentPort } from '../../core/ports.ts';
import type { AttachmentStored } from '../../core/session/entries.ts';
import type { Guard } from '../guard.ts';
import { notify } from '../notify.ts';
import { sanitizeFileName, uniqueName } from '../../node/attachments/fileName.ts';

const MOST_TRIES = 5;
const OPEN_COPIES_KEPT_MS = 24 * 60 * 60 * 1000;

export interface AttachmentActionsDeps {
  /** Lookup by the API's file id; undefined for ids that this session never had. */
  readonly find: (fileId: string) => AttachmentStored | undefined;
  readonly store: AttachmentPort;
  /** A folder of ours for the copies that editors show. */
  readonly openFolder: string;
  readonly guard: Guard;
}

/** What the user can do with a file that a server tool made. The server's name is data: a sanitised one is used. */
export interface AttachmentActions {
  /** Shows a read-only copy in an editor. Nothing is ever run. */
  open(fileId: string): Promise<void>;
  saveAs(fileId: string): Promise<void>;
  /** Copies it into a workspace folder under a name that is not taken. */
  addToWorkspace(fileId: string): Promise<void>;
}

export function createAttachmentActions(deps: AttachmentActionsDeps): AttachmentActions {
  let pruned: Promise<void> | undefined;
  return {
    async open(fileId) {
      const file = await locate(deps, fileId);
      pruned ??= prune(deps.openFolder);
      await pruned;
      const copy = await copyForEditor(deps.openFolder, file);
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(copy), { preview: true });
    },
    async saveAs(fileId) {
      const file = await locate(deps, fileId);
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const target = await vscode.window.showSaveDialog({
        title: vscode.l10n.t('Save {0}', file.name),
        ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, file.name) } : {}),
      });
      if (target) await vscode.workspace.fs.copy(vscode.Uri.file(file.path), target, { overwrite: true });
    },
    async addToWorkspace(fileId) {
      const file = await locate(deps, fileId);
      const folder = await chooseFolder();
      if (!folder) return;
      const added = await copyUnderFreeName(file, folder);
      offerToShow(added, deps.guard);
    },
  };
}

interface Located {
  readonly path: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
}

async function locate(deps: AttachmentActionsDeps, fileId: string): Promise<Located> {
  const entry = deps.find(fileId);
  if (!entry) throw new UserError(vscode.l10n.t('This file does not belong to the session that is shown.'));
  const stored = entry.hash === undefined ? undefined : await deps.store.find(entry.hash);
  if (!stored) {
    throw new UserError(vscode.l10n.t('This file is not stored here. Download it again with Retry on its row.'));
  }
  return { path: stored.path, name: sanitizeFileName(entry.name), hash: stored.hash, size: stored.size };
}

/** One folder per content, so that equal names don't collide and a second Open finds the first copy. */
async function copyForEditor(openFolder: string, file: Located): Promise<string> {
  const folder = join(openFolder, file.hash.slice(0, 24));
  const copy = join(folder, file.name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const there = await stat(copy).catch(() => undefined);
  if (there?.size === file.size) return copy;
  await rm(copy, { force: true });
  await copyFile(file.path, copy);
  await chmod(copy, 0o444);
  return copy;
}

/** Copies for editors are not kept for ever. A folder that can't be removed is left for the next time. */
async function prune(openFolder: string): Promise<void> {
  const names = await readdir(openFolder).catch(() => []);
  for (const name of names) {
    const path = join(openFolder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > OPEN_COPIES_KEPT_MS) {
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) throw new UserError(vscode.l10n.t('No folder is open. Use Save As… instead.'));
  if (folders.length === 1) return folders[0];
  return vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t('Add the file to which folder?') });
}

/** A name that is free now may be taken a moment later: the copy itself never overwrites, and the next name is tried. */
async function copyUnderFreeName(file: Located, folder: vscode.WorkspaceFolder): Promise<vscode.Uri> {
  const source = vscode.Uri.file(file.path);
  for (let tries = 1; ; tries++) {
    const name = await uniqueName(folder.uri.fsPath, file.name);
    const target = vscode.Uri.joinPath(folder.uri, name);
    try {
      await vscode.workspace.fs.copy(source, target, { overwrite: false });
      return target;
    } catch (error) {
      const taken = error instanceof vscode.FileSystemError && error.code === 'FileExists';
      if (!taken || tries === MOST_TRIES) throw error;
    }
  }
}

function offerToShow(added: vscode.Uri, guard: Guard): void {
  const run = () => vscode.commands.executeCommand('vscode.open', added);
  const text = vscode.l10n.t('Added {0}.', vscode.workspace.asRelativePath(added, true));
  notify(guard, { text, action: { label: vscode.l10n.t('Open'), run } });
}
