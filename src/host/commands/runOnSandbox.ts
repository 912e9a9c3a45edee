import { posix } from 'node:path';
import * as vscode from 'vscode';
import { looksSecret, foldNames } from '../../core/approval/paths.ts';
import { UserError } from '../../core/errors.ts';
import type { Services } from '../services.ts';
import { confirmLeaving, inputFileOf } from './attachFiles.ts';

/** A longer text goes as a file. UTF-16 units. */
const LONGEST_TEXT = 20_000;

/**
 * Has a file, or what is selected in the editor, run in the container. A selection, and a text with changes that are not
 * saved, goes as it is in the editor; a file as it is on disk.
 */
export async function runOnSandbox(services: Services, argument: unknown): Promise<void> {
  const { agent, view } = services;
  const editor = vscode.window.activeTextEditor;
  const uri = argument instanceof vscode.Uri ? argument : editor?.document.uri;
  if (uri === undefined) throw new UserError(vscode.l10n.t('Open or select a file first.'));
  await agent().started;
  const own = editor !== undefined && String(editor.document.uri) === String(uri) ? editor : undefined;
  const text = own === undefined ? undefined : textOf(own);
  if (own !== undefined && text !== undefined) {
    if (!(await confirmLeaving(cautionOf(uri), vscode.workspace.asRelativePath(uri)))) return;
    await view.reveal();
    return agent().controller.submit(promptFor(own.document, text));
  }
  const file = await inputFileOf(services, uri);
  if (file === undefined) return;
  await view.reveal();
  const prompt = vscode.l10n.t(
    'Run {0} in the container, not on this computer, and show me what comes out of it.',
    posix.basename(file.path),
  );
  await agent().controller.submit(prompt, [{ file, use: 'container' }]);
}

/** Undefined where the file on disk says it better. */
function textOf({ document, selection }: vscode.TextEditor): string | undefined {
  const selected = selection.isEmpty ? '' : document.getText(selection);
  if (selected.trim() !== '' && selected.length <= LONGEST_TEXT) return selected;
  const isOnDisk = document.uri.scheme === 'file' && !document.isDirty;
  if (isOnDisk && selected.trim() === '') return undefined;
  const whole = document.getText();
  if (whole.length <= LONGEST_TEXT) return whole;
  throw new UserError(vscode.l10n.t('This is too long to be sent as text. Save the file, and run it as a whole.'));
}

function promptFor({ languageId }: vscode.TextDocument, text: string): string {
  const asked = vscode.l10n.t('Run this in the container, not on this computer, and show me what comes out of it:');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const end = text.endsWith('\n') ? '' : '\n';
  return `${asked}\n\n${fence}${languageId}\n${text}${end}${fence}`;
}

function cautionOf(uri: vscode.Uri): 'secret' | undefined {
  return looksSecret(foldNames(vscode.workspace.asRelativePath(uri).split('/'))) ? 'secret' : undefined;
}
