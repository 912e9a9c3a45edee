import * as vscode from 'vscode';
import type { SessionController } from '../core/agent/controllerTypes.ts';
import { DisposableStore, type Disposable } from '../core/base/disposable.ts';
import { networkWarnings } from './networkFacts.ts';
import { notify } from './notify.ts';
import type { Services } from './services.ts';
import { usesSystemRoots } from './settings.ts';

const LAST_SESSION = 'session.last';

/** Connects the controller with the view, and VS Code's events with the controller. */
export function watchAgent(controller: SessionController, services: Services): Disposable {
  const { view, guard, context } = services;
  const store = new DisposableStore();
  const refresh = () => void guard('refresh', () => controller.refresh());
  store.add(controller.onPatch(({ rev, ops }) => view.patch({ type: 'patch', rev, ops })));
  store.add(controller.onAnnounce((text) => view.post({ type: 'announce', text })));
  store.add(controller.onAttention(({ title }) => notifyWaiting(title, services)));
  store.add(vscode.workspace.onDidGrantWorkspaceTrust(refresh));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(refresh));
  store.add(context.secrets.onDidChange(refresh));
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('loopdock') && refresh()),
  );
  return store;
}

/**
 * Opens the session that this window showed last (so that a reload or a crash loses nothing from sight), reads the
 * configuration, and from then on remembers what is shown. Resolves when the view has something true to show, which is
 * when the configuration was read: that comes last, but for the list of models, and nobody waits for the network.
 */
export async function startAgent(
  controller: SessionController,
  configured: Promise<void>,
  services: Services,
): Promise<void> {
  const { guard, credentials, context, demo } = services;
  warnOfNetwork(services);
  await guard('start', async () => {
    await credentials.load();
    const opened = guard('start session', () => openFirstSession(controller, services));
    await Promise.race([opened, configured]);
  });
  controller.onPatch(({ ops }) => {
    if (ops.some((op) => op.op === 'state')) void guard('session', () => rememberSession(controller, context));
  });
  void guard('demo', () => demo.resume());
}

async function openFirstSession(controller: SessionController, { context, log }: Services): Promise<void> {
  const id = context.workspaceState.get<string>(LAST_SESSION);
  try {
    if (id !== undefined) return await controller.openSession(id);
  } catch (error) {
    log.warn(`the last session could not be opened: ${String(error)}`);
  }
  await controller.refresh();
}

async function rememberSession(controller: SessionController, context: vscode.ExtensionContext): Promise<void> {
  const { rows, state } = controller.snapshot();
  const id = (rows.length > 0 && state.sessionId) || undefined;
  if (id !== context.workspaceState.get<string>(LAST_SESSION)) await context.workspaceState.update(LAST_SESSION, id);
}

/** A turn that waits for its user must not wait unseen: the badge shows it, and a notification where the view is not looked at. */
function notifyWaiting(title: string, { view, guard }: Services): void {
  if (vscode.window.state.focused && view.visible) return;
  const text = vscode.l10n.t('Loopdock waits for your decision: {0}', title);
  notify(guard, { text, action: { label: vscode.l10n.t('Show'), run: () => view.focus() } });
}

/** Certificates that are not checked are everybody's business, before the first key goes out; the rest is for the log. */
function warnOfNetwork({ guard, log }: Services): void {
  const all = networkWarnings(process.env, usesSystemRoots());
  for (const text of all) log.warn(text);
  const dangerous = networkWarnings({ ...process.env, NODE_EXTRA_CA_CERTS: '' }, false);
  for (const text of dangerous) notify(guard, { text, severity: 'warning' });
}
