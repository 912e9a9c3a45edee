import { posix } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../services.ts';
import { attach } from './attachFiles.ts';

/** Files that are offered; VS Code's own list filters them. */
const MOST_OFFERED = 5_000;

interface FileItem extends vscode.QuickPickItem {
  readonly uri?: vscode.Uri;
}

/**
 * After an `@` in the prompt: offers the files of the workspace, open ones first. The chosen one goes beside the prompt, and
 * its path into it; what was typed meanwhile goes into the prompt where none was chosen.
 */
export async function mentionFile(services: Services): Promise<void> {
  const { item, typed } = await choose();
  const [taken] = item?.uri === undefined ? [] : await attach(services, [item.uri]);
  await services.view.focus();
  const text = taken === undefined ? typed : `${taken.path} `;
  if (text !== '') services.view.post({ type: 'insert', text });
}

function choose(): Promise<{ readonly item?: FileItem | undefined; readonly typed: string }> {
  const pick = vscode.window.createQuickPick<FileItem>();
  pick.title = vscode.l10n.t('Attach a File of the Workspace');
  pick.placeholder = vscode.l10n.t('Type a part of its name');
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.items = openFiles().map(toItem);
  void workspaceFiles().then((uris) => {
    const known = new Set(openFiles().map(String));
    const others = uris.filter((uri) => !known.has(String(uri)));
    const separator = { label: '', kind: vscode.QuickPickItemKind.Separator };
    pick.items = [...pick.items, ...(pick.items.length > 0 ? [separator] : []), ...others.map(toItem)];
    pick.busy = false;
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      resolve({ item, typed: pick.value });
      pick.hide();
    });
    // Comes after the choice, too, and then changes nothing.
    pick.onDidHide(() => {
      resolve({ typed: pick.value });
      pick.dispose();
    });
    pick.show();
  });
}

function openFiles(): readonly vscode.Uri[] {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const uris = inputs.flatMap((input) => (input instanceof vscode.TabInputText ? [input.uri] : []));
  const inside = uris.filter((uri) => uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri));
  return [...new Map(inside.map((uri) => [String(uri), uri])).values()];
}

/** Without what the user keeps out of searches. Empty where they can't be listed. */
function workspaceFiles(): Promise<readonly vscode.Uri[]> {
  const excluded = ['files.exclude', 'search.exclude'].flatMap((name) => {
    const globs = vscode.workspace.getConfiguration().get<Readonly<Record<string, unknown>>>(name, {});
    return Object.keys(globs).filter((glob) => globs[glob] === true);
  });
  const exclude = excluded.length > 0 ? `{${excluded.join(',')}}` : undefined;
  return Promise.resolve(vscode.workspace.findFiles('**/*', exclude, MOST_OFFERED)).catch(() => []);
}

function toItem(uri: vscode.Uri): FileItem {
  const path = vscode.workspace.asRelativePath(uri);
  return { label: posix.basename(path), description: posix.dirname(path), resourceUri: uri, uri } as FileItem;
}
