import * as vscode from 'vscode';
import type { InputFile } from '../../core/agent/tray.ts';
import { UserError } from '../../core/errors.ts';
import type { LocalFile } from '../../core/inputPort.ts';
import { notify } from '../notify.ts';
import type { Services } from '../services.ts';

/**
 * Puts files beside the prompt: those that a menu was opened on (`first` and, of several, `all`), or those that the user
 * picks. Nothing is sent before the prompt is.
 */
export async function attachFiles(services: Services, first?: unknown, all?: unknown): Promise<void> {
  const given = Array.isArray(all) && all.length > 0 ? all : [first];
  const uris = given.filter((item): item is vscode.Uri => item instanceof vscode.Uri);
  const chosen = uris.length > 0 ? uris : await pick();
  if (chosen.length === 0) return;
  await services.view.focus();
  await attach(services, chosen);
}

function pick(): Thenable<readonly vscode.Uri[]> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const options = { canSelectMany: true, title: vscode.l10n.t('Attach Files'), openLabel: vscode.l10n.t('Attach') };
  return vscode.window.showOpenDialog({ ...options, ...(defaultUri ? { defaultUri } : {}) }).then((uris) => uris ?? []);
}

/** Files that were dropped onto the view. What lies outside of the workspace is asked for: the view can only claim a drop. */
export async function attachDropped(services: Services, given: readonly string[]): Promise<void> {
  const uris = given.map((uri) => vscode.Uri.parse(uri));
  const outside = uris.filter((uri) => vscode.workspace.getWorkspaceFolder(uri) === undefined);
  if (outside.length > 0) {
    const names = outside.map(({ fsPath }) => fsPath).join('\n');
    const question = vscode.l10n.t('Attach files from outside of the workspace?');
    if (!(await isWanted(question, names))) return;
  }
  await attach(services, uris);
}

/** Puts these files beside the prompt. Resolves to those that were taken. */
export async function attach(services: Services, uris: readonly vscode.Uri[]): Promise<readonly InputFile[]> {
  const taken: InputFile[] = [];
  for (const uri of uris) {
    try {
      const file = await inputFileOf(services, uri);
      if (file === undefined) continue;
      services.agent().controller.tray.add(file);
      taken.push(file);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      notify(services.guard, { text: error.message, severity: 'warning' });
    }
  }
  return taken;
}

/** A file as it is now; undefined when the user does not want it to leave this computer. Throws `UserError`. */
export async function inputFileOf({ agent }: Services, uri: vscode.Uri): Promise<InputFile | undefined> {
  const local = await agent().inputs.look(uri.toString());
  return (await confirmLeaving(local.caution, local.path)) ? { ...local, from: { local } } : undefined;
}

/** What looks like a secret, or is kept out of the project's history, needs a yes. */
export async function confirmLeaving(caution: LocalFile['caution'], path: string): Promise<boolean> {
  if (caution === undefined) return true;
  const question =
    caution === 'secret'
      ? vscode.l10n.t('{0} looks like it holds secrets. Send it to Claude all the same?', path)
      : vscode.l10n.t('{0} is ignored by git. Send it to Claude all the same?', path);
  return isWanted(question, vscode.l10n.t('It leaves this computer with your next message.'));
}

async function isWanted(question: string, detail: string): Promise<boolean> {
  const yes = vscode.l10n.t('Attach');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}
