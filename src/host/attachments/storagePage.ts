import * as vscode from 'vscode';
import { fileSize } from '../../core/base/fileSize.ts';
import type { Storage } from '../../node/attachments/storage.ts';
import { parseFromStorage, type FromStorage, type StorageReport, type ToStorage } from '../../protocol/storage.ts';
import { webviewPage } from '../webviewPage.ts';
import type { Guard } from '../guard.ts';
import type { Log } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { Library } from './library.ts';
import { reportOf } from './storageReport.ts';
import { storageStrings } from './storageStrings.ts';

export interface StoragePageDeps {
  readonly extensionUri: vscode.Uri;
  readonly library: Library;
  readonly storage: Storage;
  readonly limits: () => Settings['attachments'];
  readonly guard: Guard;
  readonly log: Log;
}

/** The page that says what is stored, for which session, and frees what need not be. One per window. */
export interface StoragePage extends vscode.Disposable {
  show(): void;
}

export function createStoragePage(deps: StoragePageDeps): StoragePage {
  let panel: vscode.WebviewPanel | undefined;
  return {
    show() {
      if (panel) return panel.reveal();
      const dist = vscode.Uri.joinPath(deps.extensionUri, 'dist');
      const opened = vscode.window.createWebviewPanel(
        'loopdock.storage',
        vscode.l10n.t('Attachment Storage'),
        vscode.ViewColumn.Active,
        { enableScripts: true, enableForms: false, localResourceRoots: [dist] },
      );
      panel = opened;
      const subscription = deps.library.onDidChange(() => void deps.guard('storage', () => report(deps, opened)));
      opened.onDidDispose(() => {
        panel = undefined;
        subscription.dispose();
      });
      opened.webview.onDidReceiveMessage((raw: unknown) => deps.guard('storage', () => receive(deps, opened, raw)));
      opened.webview.html = webviewPage(opened.webview, dist, {
        bundle: 'preview',
        title: vscode.l10n.t('Attachment Storage'),
        strings: storageStrings(),
      });
    },
    dispose() {
      panel?.dispose();
    },
  };
}

/** Cleans up with the user's retention: what is older goes, unless a session still needs it. */
export function cleanUp(storage: Storage, { retentionDays }: Settings['attachments'], now: number) {
  const oldest = now - retentionDays * 24 * 60 * 60 * 1000;
  return storage.clean(retentionDays === 0 ? undefined : ({ at }) => Date.parse(at) < oldest);
}

async function receive(deps: StoragePageDeps, panel: vscode.WebviewPanel, raw: unknown): Promise<void> {
  const message = parseFromStorage(raw);
  if (!message) return deps.log.warn('dropped a message of the storage page that does not fit the protocol');
  const said = await act(deps, message);
  if (said !== undefined) await panel.webview.postMessage({ type: 'said', text: said } satisfies ToStorage);
  await report(deps, panel);
}

async function act(deps: StoragePageDeps, message: FromStorage): Promise<string | undefined> {
  switch (message.type) {
    case 'ready':
      return undefined;
    case 'settings':
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:loopdock.loopdock attachments');
      return undefined;
    case 'clean':
      return freed(await cleanUp(deps.storage, deps.limits(), Date.now()));
    case 'deleteSession':
      return deleteFiles(deps, message.id);
  }
}

async function deleteFiles(deps: StoragePageDeps, id: string): Promise<string | undefined> {
  const group = (await deps.library.groups()).find(({ sessionId }) => sessionId === id);
  if (!group) return undefined;
  const yes = vscode.l10n.t('Delete Here');
  const question = vscode.l10n.t('Delete {0} files of this session from this computer?', group.files.length);
  const detail = vscode.l10n.t(
    'The conversation stays. What is deleted here can be downloaded again for as long as Anthropic keeps it.',
  );
  if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return undefined;
  for (const file of group.files) await deps.library.forget(file, 'here');
  return freed(await deps.storage.clean());
}

function freed({ removed, freed: bytes }: { readonly removed: number; readonly freed: number }): string {
  return removed === 0
    ? vscode.l10n.t('There was nothing to free.')
    : vscode.l10n.t('Freed {0}.', fileSize(bytes, vscode.env.language));
}

async function report({ library, storage, limits }: StoragePageDeps, panel: vscode.WebviewPanel): Promise<void> {
  const [logged, titles, blobs] = await Promise.all([library.logged(), library.titles(), storage.blobs()]);
  const { quota, retentionDays } = limits();
  const data: StorageReport = { quota, retentionDays, ...reportOf(logged, titles, blobs) };
  await panel.webview.postMessage({ type: 'report', report: data } satisfies ToStorage);
}
