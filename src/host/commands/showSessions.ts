import * as vscode from 'vscode';
import type { Services } from '../services.ts';

/** Opens one of the stored sessions, newest first. */
export async function showSessions({ agent, view }: Services): Promise<void> {
  const { controller, started } = agent();
  await started;
  const items = controller.sessions().then((sessions) =>
    sessions.map((session) => ({
      id: session.id,
      label: session.title || vscode.l10n.t('New session'),
      description: new Date(session.updated).toLocaleString(vscode.env.language),
    })),
  );
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Sessions'),
    placeHolder: vscode.l10n.t('Open a session'),
    matchOnDescription: true,
  });
  if (!chosen) return;
  await view.focus();
  await controller.openSession(chosen.id);
}
