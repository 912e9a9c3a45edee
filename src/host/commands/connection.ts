import * as vscode from 'vscode';
import type { ConnectionReport } from '../../api/testConnection.ts';
import { CancelledError, messageOf, UserError } from '../../core/errors.ts';
import type { PeerCertificate } from '../../node/peerCertificate.ts';
import { adviceFor } from '../connectionAdvice.ts';
import { checkKey } from '../credentials.ts';
import { networkWarnings } from '../networkFacts.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';
import { readSettings, usesSystemRoots } from '../settings.ts';

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
  const key = (await keyOfAnotherHost(credentials, origin)) ?? (await askForKey(origin));
  if (key === undefined) return;
  await credentials.store(key);
  // Who sets a key wants the real thing.
  await demo.stop();
  await agent().controller.refresh();
  notify(guard, { text: vscode.l10n.t('The key for {0} is stored.', origin) });
}

/**
 * Where this host has no key and another one has: may it get that one? A key is never sent to a host that it was not
 * given for, and only this question, which names both, makes it one of that host. Undefined for no, or for another key.
 */
async function keyOfAnotherHost(credentials: Services['credentials'], origin: string): Promise<string | undefined> {
  const { credential } = await credentials.connection();
  const others = credential === undefined ? await credentials.elsewhere() : [];
  if (others.length === 0) return undefined;
  const another = { label: vscode.l10n.t('Enter a key for {0}', origin), value: undefined };
  const items = others.map((other) => ({
    label: vscode.l10n.t('Use the key that is stored for {0}', other.origin),
    detail: vscode.l10n.t('It will be sent to {0}, which can then use it as you can.', origin),
    value: other.value,
  }));
  const title = vscode.l10n.t('Which key may go to {0}?', origin);
  const choice = await vscode.window.showQuickPick([another, ...items], { title, ignoreFocusOut: true });
  if (choice === undefined) throw new CancelledError();
  return choice.value;
}

function askForKey(origin: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Set API Key'),
    prompt: vscode.l10n.t(
      'Key for {0}. It is kept in the secret storage of VS Code and sent to this host only.',
      origin,
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => problemOf(value),
  });
}

function problemOf(value: string): string | undefined {
  if (value === '') return undefined;
  try {
    checkKey(value);
    return undefined;
  } catch (error) {
    return messageOf(error);
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

/** Proves host, key and model, and says in words which part of the way failed and what to do. */
export async function testConnection({ credentials, agent, log, guard }: Services): Promise<void> {
  const { origin, baseUrl, simulated } = await connectionOrTarget(credentials);
  const title = vscode.l10n.t('Testing the connection to {0}…', origin);
  const model = simulated ? '' : readSettings().model;
  const report = await withProgress(title, (signal) => agent().testConnection(signal, model));
  const warnings = networkWarnings(process.env, usesSystemRoots());
  for (const warning of warnings) log.warn(warning);
  const action = { label: vscode.l10n.t('Show Log'), run: () => log.show() };
  if (!report.ok) {
    const text = adviceFor(report, report.leg === 'tls' ? await certificateAt(baseUrl) : undefined);
    log.warn(`connection test: ${origin}, ${report.leg}, ${report.failure.kind}: ${text}`);
    const shown = [vscode.l10n.t('{0} could not be used.', origin), text, ...warnings].join(' ');
    return notify(guard, { text: shown, severity: 'error', action });
  }
  log.info(`connection test: ${origin} answered after ${report.durationMs} ms`);
  const shown = [successText(report, origin, simulated), ...warnings].join(' ');
  notify(guard, { text: shown, ...(warnings.length > 0 ? { severity: 'warning' as const } : {}) });
}

async function certificateAt(baseUrl: string): Promise<PeerCertificate | undefined> {
  const { peerCertificate } = await import('../../node/peerCertificate.ts');
  return peerCertificate(baseUrl);
}

/** A refused base URL or header is what the test is for: it says so itself, in its own words. */
async function connectionOrTarget(credentials: Services['credentials']) {
  try {
    return await credentials.connection();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { origin: vscode.l10n.t('the address of the settings'), baseUrl: '', simulated: false };
  }
}

function successText(report: Extract<ConnectionReport, { ok: true }>, origin: string, simulated: boolean): string {
  if (simulated) {
    return vscode.l10n.t('Connected to the simulator at {0}. Its answers are scripted; there is no model.', origin);
  }
  if (!report.modelsApi) {
    return vscode.l10n.t(
      '{0} takes messages and the key ({1} ms). It lists no models, so what it can do shows only as it is used.',
      origin,
      report.durationMs,
    );
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
