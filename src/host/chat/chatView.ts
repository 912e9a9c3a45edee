import * as vscode from 'vscode';
import type { SessionController } from '../../core/agent/controllerTypes.ts';
import { parseFromWebview } from '../../protocol/check.ts';
import { PROTOCOL_VERSION, type FromWebview, type ToWebview } from '../../protocol/messages.ts';
import type { Guard } from '../guard.ts';
import type { Log } from '../log.ts';
import { webviewPage } from '../webviewPage.ts';
import { webviewStrings } from './strings.ts';

export const CHAT_VIEW = 'loopdock.chat';

export interface ChatViewDeps {
  readonly extensionUri: vscode.Uri;
  /** Made with the first call: nothing of the agent exists before the view (or a command) needs it. */
  readonly controller: () => SessionController;
  readonly onMessage: (message: FromWebview) => unknown;
  readonly guard: Guard;
  readonly log: Log;
}

/**
 * The chat view. The webview keeps nothing: whenever it (re)appears it gets a snapshot, and patches while it is visible.
 * Message: checked against the protocol before anything acts on it.
 */
export class ChatView implements vscode.WebviewViewProvider {
  readonly #deps: ChatViewDeps;
  #view: vscode.WebviewView | undefined;
  #wantsFocus = false;

  constructor(deps: ChatViewDeps) {
    this.#deps = deps;
  }

  /** Whether VS Code has asked for the view's content, and it still exists. */
  get resolved(): boolean {
    return this.#view !== undefined;
  }

  get visible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { guard, extensionUri, controller } = this.#deps;
    this.#view = view;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist');
    view.webview.options = { enableScripts: true, enableForms: false, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((raw: unknown) => guard('view message', () => this.#receive(raw)));
    view.onDidChangeVisibility(() => guard('view visibility', () => view.visible && this.postSnapshot()));
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    view.webview.html = webviewPage(view.webview, dist, {
      bundle: 'webview',
      title: 'Loopdock',
      strings: webviewStrings(),
    });
    void guard('view', () => this.#showWaiting(controller().snapshot().state.waiting));
  }

  /** Sends when somebody can receive it; what is missed is made good by the next snapshot. */
  post(message: ToWebview): void {
    if (this.#view?.visible) this.#view.webview.postMessage(message).then(undefined, () => undefined);
  }

  postSnapshot(): void {
    const { rev, state, rows } = this.#deps.controller().snapshot();
    const focus = this.#wantsFocus;
    this.#wantsFocus = false;
    this.post({ type: 'snapshot', v: PROTOCOL_VERSION, rev, state, rows, ...(focus ? { focus } : {}) });
    this.#showWaiting(state.waiting);
  }

  /** Passes a patch of the controller on. */
  patch(patch: Extract<ToWebview, { type: 'patch' }>): void {
    this.post(patch);
    for (const op of patch.ops) if (op.op === 'state') this.#showWaiting(op.state.waiting);
  }

  /** Opens the view and puts the cursor into the composer. */
  async focus(): Promise<void> {
    this.#wantsFocus = true;
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    this.post({ type: 'focus' });
  }

  /** Opens the view, resolving it when it never was, and leaves the focus alone. */
  async reveal(): Promise<void> {
    if (this.#view) this.#view.show(true);
    else await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`, { preserveFocus: true });
  }

  #receive(raw: unknown): unknown {
    const message = parseFromWebview(raw);
    if (!message) {
      this.#deps.log.warn('dropped a message of the view that does not fit the protocol');
      return;
    }
    if (message.type === 'ready' && message.v !== PROTOCOL_VERSION) return askForReload();
    return this.#deps.onMessage(message);
  }

  #showWaiting(waiting: number): void {
    if (!this.#view) return;
    const tooltip = vscode.l10n.t('{0} waiting for your decision', waiting);
    this.#view.badge = waiting > 0 ? { value: waiting, tooltip } : undefined;
  }
}

/** The extension was updated under an open window: its halves no longer fit. */
async function askForReload(): Promise<void> {
  const reload = vscode.l10n.t('Reload Window');
  const text = vscode.l10n.t('Loopdock was updated. Reload the window to use it.');
  if ((await vscode.window.showWarningMessage(text, reload)) === reload) {
    await vscode.commands.executeCommand('workbench.action.reloadWindow');
  }
}
