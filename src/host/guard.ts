import * as vscode from 'vscode';
import { ApiError, CancelledError, UserError } from '../core/errors.ts';
import type { Log } from './log.ts';

/**
 * Wraps every command, handler and listener. Never throws and never rejects: a `UserError` or `ApiError` is shown,
 * cancellation is silent, anything else is a bug of ours, logged with its stack and shown once.
 */
export type Guard = (name: string, run: () => unknown) => Promise<void>;

export function createGuard(log: Log): Guard {
  const shown = new Set<string>();
  return async (name, run) => {
    try {
      await run();
    } catch (error) {
      if (error instanceof CancelledError) return;
      if (error instanceof UserError) return show(vscode.window.showErrorMessage(error.message));
      if (error instanceof ApiError) {
        log.warn(`${name}: ${error.failure.kind} ${error.failure.requestId ?? ''} ${error.message}`);
        return show(vscode.window.showErrorMessage(error.message));
      }
      log.error(`${name} failed`, error);
      const once = `${name}\0${String(error)}`;
      if (shown.has(once)) return;
      shown.add(once);
      showBug(log);
    }
  };
}

function showBug(log: Log): void {
  const showLog = vscode.l10n.t('Show Log');
  const message = vscode.l10n.t('Something went wrong in Loopdock. Your session is kept. The log says more.');
  show(
    vscode.window.showErrorMessage(message, showLog).then((choice) => {
      if (choice === showLog) log.show();
    }),
  );
}

/** A notification is not waited for: the command that failed is over, whether or not it is clicked away. */
function show(notification: Thenable<unknown>): void {
  notification.then(undefined, () => undefined);
}
