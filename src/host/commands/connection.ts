import * as vscode from 'vscode';
import type { ConnectionReport } from '../../api/testConnection.ts';
import { UserError } from '../../core/errors.ts';
import { checkKey } from '../credentials.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';

/** Asks for a key and stores it for the host in effect, which is named. */
export async function setApiKey({ credentials, agent, demo, guard }: Services): Promise<void> {
  const { simulated, credential } = await credentials.connection();
  if (simulated && credential?.source === 'environment') {
    throw new UserError(
      vscode.l10n.t(
        'This window was started with the simulator, which has its own key. Start VS Code with ANTHROPIC_API_KEY, or set "loopdock.baseUrl" to https://api.anthropic.com first.',
      ),
    );
  }
  const origin = credentials.target();
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t('Set API Key'),
    prompt: vscode.l10n.t(
      'Key for {0}. It is kept in the secret storage of VS Code and sent to this host only.',
      origin,
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => problemOf(value),
  });
  if (key === undefined) return;
  await credentials.store(key);
  // Who sets a key wants the real thing.
  await demo.stop();
  await agent().controller.refresh();
  notify(guard, { text: vscode.l10n.t('The key for {0} is stored.', origin) });
}

function problemOf(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    checkKey(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Forgets the stored key of the host in effect. A key of the environment can't be cleared from here, and that is said. */
export async function clearApiKey({ credentials, agent, guard }: Services): Promise<void> {
  const cleared = await credentials.clear();
  const origin = credentials.target();
  const { credential } = await credentials.connection();
  await agent().controller.refresh();
  const said = cleared
    ? vscode.l10n.t('The stored key for {0} is gone.', origin)
    : vscode.l10n.t('No key was stored for {0}.', origin);
  const rest = credential?.source === 'environment' ? ` ${vscode.l10n.t('The key of the environment is used.')}` : '';
  notify(guard, { text: said + rest });
}

/** One small request that proves host and key, and in words which part of the way failed. */
export async function testConnection({ credentials, agent, log, guard }: Services): Promise<void> {
  const { origin, simulated } = await credentials.connection();
  const title = vscode.l10n.t('Testing the connection to {0}…', origin);
  const report = await withProgress(title, (signal) => agent().testConnection(signal));
  if (!report.ok) {
    const { message, requestId } = report.failure;
    log.warn(`connection test: ${report.leg}, ${report.failure.kind}, ${requestId ?? 'no request id'}`);
    const detail = `${message}${requestId ? ` (${requestId})` : ''}`;
    const text = vscode.l10n.t('{0} could not be used: {1}', origin, detail);
    const action = { label: vscode.l10n.t('Show Log'), run: () => log.show() };
    return notify(guard, { text, severity: 'error', action });
  }
  log.info(`connection test: ${origin} answered after ${report.durationMs} ms`);
  notify(guard, { text: successText(report, origin, simulated) });
}

function successText(report: Extract<ConnectionReport, { ok: true }>, origin: string, simulated: boolean): string {
  if (simulated) {
    return vscode.l10n.t('Connected to the simulator at {0}. Its answers are scripted; there is no model.', origin);
  }
  if (!report.modelsApi) {
    return vscode.l10n.t('{0} answers, but lists no models. Whether it takes the key shows with a prompt.', origin);
  }
  return vscode.l10n.t('Connected to {0} in {1} ms. The key works.', origin, report.durationMs);
}

function withProgress<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Thenable<T> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, async (_progress, token) => {
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    try {
      return await run(abort.signal);
    } finally {
      subscription.dispose();
    }
  });
}
