import * as vscode from 'vscode';
import type { SessionController } from '../core/agent/controllerTypes.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import type { Services } from './services.ts';

const LAST_SESSION = 'session.last';

/** Connects the controller with the view, and VS Code's events with the controller. */
export function watchAgent(controller: SessionController, services: Services): Disposable {
  const { view, guard, context } = services;
  const store = new DisposableStore();
  const refresh = () => void guard('refresh', () => controller.refresh());
  store.add(controller.onPatch(({ rev, ops }) => view.patch({ type: 'patch', rev, ops })));
  store.add(controller.onAnnounce((text) => view.post({ type: 'announce', text })));
  store.add(controller.onAttention(({ title }) => void guard('attention', () => notifyWaiting(title, services))));
  store.add(
    controller.onPatch(({ ops }) => void guard('session', () => rememberSession(ops.some((op) => op.op === 'state')))),
  );
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(refresh));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(refresh));
  store.add(context.secrets.onDidChange(refresh));
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('loopdock') && refresh()),
  );
  return store;

  /** So that the window finds its session again after a reload or a crash. */
  async function rememberSession(stateChanged: boolean): Promise<void> {
    if (!stateChanged) return;
    const { rows, state } = controller.snapshot();
    const id = (rows.length > 0 && state.sessionId) || undefined;
    if (id !== context.workspaceState.get<string>(LAST_SESSION)) await context.workspaceState.update(LAST_SESSION, id);
  }
}

/** Opens the session that this window showed last, where it still exists and has something in it. */
export async function reopenLastSession(controller: SessionController, { context, log }: Services): Promise<void> {
  const id = context.workspaceState.get<string>(LAST_SESSION);
  if (id === undefined) return;
  try {
    await controller.openSession(id);
  } catch (error) {
    log.warn(`the last session could not be opened: ${String(error)}`);
  }
}

/** A turn that waits for its user must not wait unseen: the badge shows it, and a notification where the window is not looked at. */
async function notifyWaiting(title: string, { view }: Services): Promise<void> {
  if (vscode.window.state.focused && view.visible) return;
  const show = vscode.l10n.t('Show');
  const text = vscode.l10n.t('Loopdock waits for your decision: {0}', title);
  if ((await vscode.window.showInformationMessage(text, show)) === show) await view.focus();
}
