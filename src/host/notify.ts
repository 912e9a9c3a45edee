import * as vscode from 'vscode';
import type { Guard } from './guard.ts';

export interface Notification {
  readonly text: string;
  readonly severity?: 'info' | 'warning' | 'error';
  /** A button; it runs under the guard. */
  readonly action?: { readonly label: string; readonly run: () => unknown };
}

/** Shows a notification and goes on: what it reports is over, whether or not anybody looks at it. */
export function notify(guard: Guard, { text, severity = 'info', action }: Notification): void {
  const buttons = action ? [action.label] : [];
  void guard('notification', async () => {
    const choice = await show[severity](text, ...buttons);
    if (action && choice === action.label) await action.run();
  });
}

const show = {
  info: (text: string, ...buttons: string[]) => vscode.window.showInformationMessage(text, ...buttons),
  warning: (text: string, ...buttons: string[]) => vscode.window.showWarningMessage(text, ...buttons),
  error: (text: string, ...buttons: string[]) => vscode.window.showErrorMessage(text, ...buttons),
};
