import * as vscode from 'vscode';
import { fileSize } from '../../core/base/fileSize.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import type { Guard } from '../guard.ts';
import type { Library, SessionGroup } from './library.ts';

export const ATTACHMENTS_VIEW = 'loopdock.attachments';

export type TreeNode = SessionNode | FileNode;

/** One session that has files. */
export interface SessionNode {
  readonly kind: 'session';
  readonly group: SessionGroup;
}

export interface FileNode {
  readonly kind: 'file';
  readonly file: LoggedFile;
}

/** The tree of all files of all sessions, newest first. Nothing is read before the view is open. */
export class AttachmentTree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #library: () => Library;
  readonly #guard: Guard;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #subscription: { dispose(): void } | undefined;

  constructor(library: () => Library, guard: Guard) {
    this.#library = library;
    this.#guard = guard;
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node?.kind === 'file') return [];
    if (node) return node.group.files.map((file) => ({ kind: 'file', file }));
    this.#subscription ??= this.#library().onDidChange(() => this.refresh());
    let groups: readonly SessionGroup[] = [];
    await this.#guard('attachments', async () => (groups = await this.#library().groups()));
    return groups.map((group) => ({ kind: 'session', group }));
  }

  async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
    return node.kind === 'session' ? sessionItem(node.group) : fileItem(node.file, await this.#isHere(node.file));
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#changed.dispose();
  }

  async #isHere(file: LoggedFile): Promise<boolean> {
    return (await this.#library().blob(file)) !== undefined;
  }
}

function sessionItem({ sessionId, title, files }: SessionGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(visibleText(title), vscode.TreeItemCollapsibleState.Expanded);
  item.id = `s:${sessionId}`;
  item.description = String(files.length);
  item.contextValue = 'loopdock.session';
  item.iconPath = new vscode.ThemeIcon('comment-discussion');
  return item;
}

function fileItem(file: LoggedFile, here: boolean): vscode.TreeItem {
  const label = nameOf(file);
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.None);
  const size = fileSize(file.size, vscode.env.language);
  const at = new Date(file.at).toLocaleString(vscode.env.language);
  const state = here ? size : (file.failure ?? vscode.l10n.t('not on this computer'));
  item.id = `f:${file.sessionId}:${file.fileId}`;
  item.description = visibleText(state);
  // Plain text: a name may look like Markdown, and the tooltip must not become a link.
  item.tooltip = [label, size, visibleText(file.mimeType), at, here ? '' : state].filter(Boolean).join('\n');
  item.contextValue = here ? 'loopdock.file' : 'loopdock.file.missing';
  item.iconPath = new vscode.ThemeIcon(here ? iconOf(file) : 'cloud');
  item.accessibilityInformation = { label: `${label}, ${state}` };
  const command = here ? 'loopdock.attachments.open' : 'loopdock.attachments.fetchAgain';
  item.command = { command, title: vscode.l10n.t('Open'), arguments: [{ kind: 'file', file }] };
  return item;
}

/** The server's own name, as data: one line, with nothing in it that hides or reorders text. */
export function nameOf({ name }: Pick<LoggedFile, 'name'>): string {
  const shown = visibleText(name).replace(/\s+/gu, ' ').trim();
  return (shown.length > 120 ? `${shown.slice(0, 119)}…` : shown) || vscode.l10n.t('Unnamed file');
}

function iconOf({ name, mimeType }: LoggedFile): string {
  if (mimeType.startsWith('image/')) return 'file-media';
  if (mimeType.startsWith('audio/') || mimeType.startsWith('video/')) return 'play-circle';
  if (/\.(csv|tsv|xlsx?|parquet)$/i.test(name) || mimeType === 'text/csv') return 'table';
  if (/\.pdf$/i.test(name)) return 'file-pdf';
  if (/\.(zip|gz|tar|7z)$/i.test(name)) return 'file-zip';
  if (/\.(json|jsonl)$/i.test(name)) return 'json';
  return /\.(md|markdown)$/i.test(name) ? 'markdown' : 'file';
}
