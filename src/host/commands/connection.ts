import * as vscode from 'vscode';
import { ApiError } from '../../core/errors.ts';
import { checkKey } from '../credentials.ts';
import type { Services } from '../services.ts';

/** Asks for a key and stores it for the host in effect, which is named. */
export async function setApiKey({ credentials, agent }: Services): Promise<void> {
  const { origin } = await credentials.connection();
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
  await agent().controller.refresh();
  void vscode.window.showInformationMessage(vscode.l10n.t('The key for {0} is stored.', origin));
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
export async function clearApiKey({ credentials, agent }: Services): Promise<void> {
  const cleared = await credentials.clear();
  const { origin, credential } = await credentials.connection();
  await agent().controller.refresh();
  const said = cleared
    ? vscode.l10n.t('The stored key for {0} is gone.', origin)
    : vscode.l10n.t('No key was stored for {0}.', origin);
  const rest = credential?.source === 'environment' ? ` ${vscode.l10n.t('The key of the environment is used.')}` : '';
  void vscode.window.showInformationMessage(said + rest);
}

/** Asks for the list of models: the cheapest request that proves host and key. */
export async function testConnection({ credentials, agent, log }: Services): Promise<void> {
  const { origin, simulated } = await credentials.connection();
  const title = vscode.l10n.t('Testing the connection to {0}…', origin);
  const result = await withProgress(title, async (signal) => {
    try {
      return { models: (await agent().models(signal, true)).length };
    } catch (error) {
      if (error instanceof ApiError) return { failure: error.failure };
      throw error;
    }
  });
  if (result.failure) {
    const { message, requestId } = result.failure;
    log.warn(`connection test: ${result.failure.kind} ${requestId ?? ''}`);
    const id = requestId ? ` (${requestId})` : '';
    void vscode.window.showErrorMessage(vscode.l10n.t('{0} could not be used: {1}', origin, message + id));
    return;
  }
  const text = simulated
    ? vscode.l10n.t('Connected to the simulator at {0}. Its answers are scripted; there is no model.', origin)
    : vscode.l10n.t('Connected to {0}: {1} models.', origin, result.models ?? 0);
  void vscode.window.showInformationMessage(text);
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
