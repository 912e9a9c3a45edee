import * as vscode from 'vscode';
import type { Logger } from '../core/ports.ts';

export interface Log extends Logger, vscode.Disposable {
  /** Opens the output channel. */
  show(): void;
  /** Whether the channel exists by now. */
  readonly opened: boolean;
}

/**
 * The one output channel, made with the first line. Everything passes through `redact`, stacks included: no credential
 * reaches a log.
 */
export function createLog(redact: (text: string) => string): Log {
  let channel: vscode.LogOutputChannel | undefined;
  const open = () => (channel ??= vscode.window.createOutputChannel('Loopdock', { log: true }));
  return {
    info: (message) => open().info(redact(message)),
    warn: (message) => open().warn(redact(message)),
    trace: (message) => open().trace(redact(message)),
    error: (message, error) => open().error(redact(error === undefined ? message : `${message}\n${describe(error)}`)),
    show: () => open().show(true),
    get opened() {
      return channel !== undefined;
    },
    dispose: () => channel?.dispose(),
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${describe(error.cause)}`;
  return (error.stack ?? `${error.name}: ${error.message}`) + cause;
}
