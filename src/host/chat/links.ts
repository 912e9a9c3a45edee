import * as vscode from 'vscode';
import { allowedLink } from '../../protocol/links.ts';
import { linkDestination } from './linkDestination.ts';

/**
 * Opens a link of an answer, after the user saw where it really goes. Anything but http, https and mailto is refused:
 * `command:`, `vscode:` or `file:` links would act on this machine.
 */
export async function openLink(text: string): Promise<void> {
  const href = allowedLink(text);
  if (href === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('This link was not opened: only web and mail links are.'));
    return;
  }
  const open = vscode.l10n.t('Open');
  const copy = vscode.l10n.t('Copy Link');
  const question = vscode.l10n.t('Open a link to {0}?', linkDestination(href));
  const choice = await vscode.window.showInformationMessage(question, open, copy);
  if (choice === open) await vscode.env.openExternal(vscode.Uri.parse(href, true));
  if (choice === copy) await vscode.env.clipboard.writeText(href);
}
