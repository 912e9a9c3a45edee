import * as vscode from 'vscode';
import type { Services } from '../services.ts';

/** Sends the argument (for key bindings), or asks for a text. */
export async function sendPrompt({ agent, view }: Services, argument: unknown): Promise<void> {
  const text = typeof argument === 'string' ? argument : await askForPrompt();
  if (text === undefined || text.trim() === '') return;
  await view.reveal();
  // The window's last session has to be open again, or opening it would end this turn.
  await agent().started;
  await agent().controller.submit(text);
}

function askForPrompt(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Send Prompt'),
    prompt: vscode.l10n.t('What should Claude do?'),
    ignoreFocusOut: true,
  });
}
