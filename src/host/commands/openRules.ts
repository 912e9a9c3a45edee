import * as vscode from 'vscode';
import type { Services } from '../services.ts';

/** Opens the files that a notice is about: the one, or the one that the user picks. */
export async function openRules({ agent }: Services, noticeId: string): Promise<void> {
  const row = agent()
    .controller.snapshot()
    .rows.find(({ id }) => id === noticeId);
  const files = row?.kind === 'notice' ? (row.files ?? []).map((file) => vscode.Uri.parse(file)) : [];
  const inside = files.filter((uri) => vscode.workspace.getWorkspaceFolder(uri) !== undefined);
  const items = inside.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const chosen =
    items.length > 1
      ? await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Open Project Rules') })
      : items[0];
  if (chosen) await vscode.window.showTextDocument(chosen.uri);
}
