import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { redact } from './core/base/redact.ts';
import { registerAttachments } from './host/attachments/attachmentCommands.ts';
import { CHAT_VIEW, ChatView } from './host/chat/chatView.ts';
import { dispatch } from './host/chat/handlers.ts';
import { webviewHandlers } from './host/chat/webviewHandlers.ts';
import { registerCommands } from './host/commands/registerCommands.ts';
import { createCredentials } from './host/credentials.ts';
import { createDemo } from './host/demo/demo.ts';
import { createPreviews, registerPreviewCommands } from './host/edits/preview.ts';
import { createGuard } from './host/guard.ts';
import { loadAgent } from './host/loadAgent.ts';
import { createLog } from './host/log.ts';
import type { Agent, Services } from './host/services.ts';
import { readSettings } from './host/settings.ts';

/** What exists by now of the things that must not exist before the view (or a command) needs them. */
interface Facts {
  readonly agent: boolean;
  readonly view: boolean;
  readonly api: boolean;
  readonly log: boolean;
}

/** What the host suite looks at; exported in test mode only. */
export interface TestApi {
  /** Milliseconds inside `activate`. */
  readonly activationMs: number;
  readonly atActivation: Facts;
  facts(): Facts;
  readonly services: Services;
}

/** The composition root: registers the view and the commands. Everything else is built when one of them is used. */
export function activate(context: vscode.ExtensionContext): TestApi | undefined {
  const started = performance.now();
  if (vscode.l10n.bundle) l10n.config({ contents: vscode.l10n.bundle });

  let agent: Agent | undefined;
  const log = createLog((text) => redact(text, credentials.known()));
  const guard = createGuard(log);
  const credentials = createCredentials({
    secrets: context.secrets,
    environment: process.env,
    baseUrlSetting: () => readSettings().baseUrl,
    gateway: readSettings,
    logger: log,
  });
  const view = new ChatView({
    extensionUri: context.extensionUri,
    controller: () => services.agent().controller,
    onMessage: (message) => dispatch(handlers, message),
    guard,
    log,
  });
  const demo = createDemo({
    context,
    credentials,
    log,
    guard,
    onConnection: () => services.agent().reconnected(),
    showView: () => view.focus(),
  });
  const previews = createPreviews(log);
  const services: Services = {
    context,
    log,
    guard,
    credentials,
    view,
    demo,
    previews,
    agent: () => (agent ??= loadAgent().createAgent(services)),
  };
  const handlers = webviewHandlers(services);

  // VS Code disposes them in this order: what is logged while the agent ends still finds its channel.
  context.subscriptions.push(
    { dispose: () => agent?.dispose() },
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, view),
    registerCommands(services),
    registerAttachments(services),
    registerPreviewCommands(previews),
    previews,
    demo,
    log,
  );

  const activationMs = performance.now() - started;
  if (context.extensionMode !== vscode.ExtensionMode.Test) return undefined;
  const api = () => agent?.apiLoaded() ?? false;
  const facts = () => ({ agent: agent !== undefined, view: view.resolved, api: api(), log: log.opened });
  return { activationMs, atActivation: facts(), facts, services };
}
