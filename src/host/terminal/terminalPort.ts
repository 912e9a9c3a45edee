import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../core/base/disposable.ts';
import type { Logger, TerminalPort } from '../../core/ports.ts';
import { findBash } from '../../node/shell/findBash.ts';
import { sweepOrphans } from '../../node/shell/orphans.ts';
import { pruneOutputs } from '../../node/shell/outputFile.ts';
import { resolveVariables, scrubEnvironment, type ChildEnvironment } from '../../node/shell/scrubEnvironment.ts';
import { createTerminalSession } from '../../node/shell/terminalSession.ts';
import { createTerminalScreen } from './terminalScreen.ts';

export interface TerminalPortOptions {
  /** The session's id: one session, one shell. */
  readonly sessionId: string;
  /** Absolute path of the directory that the shell starts in. Fixed for the session. */
  readonly cwd: string;
  /** The extension's own folder for whole outputs and the records of running shells. */
  readonly storageDir: string;
  /** Milliseconds that a command may take; read for each command. */
  readonly timeoutMs: () => number;
  /** Values that no child may see; read whenever a shell is started. */
  readonly credentials: () => readonly string[];
  readonly logger: Logger;
}

const OUTPUT_DAYS = 14;

/**
 * The session's shell in a terminal named `Loopdock`. Neither the shell nor the terminal exists before the first
 * command (or `show`). Nothing is ever typed into a terminal for the user.
 */
export function createTerminalPort(options: TerminalPortOptions): TerminalPort & Disposable & { show(): void } {
  const { storageDir, logger } = options;
  const screen = createTerminalScreen({ onInput: (data) => session.input(data), onClose: () => session.closed() });
  const session = createTerminalSession({
    shell: {
      bash: () => findBash(),
      cwd: options.cwd,
      env: () => environment(options.credentials()),
      recordsDir: recordsDirectory(storageDir),
      logger,
    },
    outputDir: path.join(outputsDirectory(storageDir), safeName(options.sessionId)),
    timeoutMs: options.timeoutMs,
    screen,
    logger,
  });
  const owned = toDisposable(() => {
    session.dispose();
    screen.dispose();
  });
  return {
    cwd: () => session.cwd(),
    run: (command, signal, onOutput) => session.run(command, signal, onOutput),
    restart: (signal) => session.restart(signal),
    show() {
      session.show();
      screen.reveal();
    },
    dispose: () => owned.dispose(),
  };
}

/**
 * Ends shells that a killed window left behind and removes whole outputs that are two weeks old. Called once per
 * window, after activation. Never throws.
 */
export function sweepTerminals(storageDir: string, logger: Logger): void {
  const swept = sweepOrphans(recordsDirectory(storageDir));
  if (swept > 0) logger.info(`Ended ${swept} shells of windows that are gone.`);
  pruneOutputs(outputsDirectory(storageDir), OUTPUT_DAYS * 24 * 60 * 60 * 1000);
}

function recordsDirectory(storageDir: string): string {
  return path.join(storageDir, 'shells');
}

function outputsDirectory(storageDir: string): string {
  return path.join(storageDir, 'outputs');
}

/** Session ids are URL-safe; whatever else came must not be a path. */
function safeName(id: string): string {
  return id.replace(/[^\w-]/g, '_') || 'session';
}

/** What an integrated terminal would get, as far as an extension can know it, without anything of ours. */
function environment(credentials: readonly string[]): ChildEnvironment {
  const system = process.platform === 'darwin' ? 'osx' : 'linux';
  // A workspace's value counts only where VS Code itself would use it: in a trusted one.
  const found = vscode.workspace.getConfiguration('terminal.integrated').inspect<unknown>(`env.${system}`);
  const workspace = vscode.workspace.isTrusted ? [found?.workspaceValue, found?.workspaceFolderValue] : [];
  // Variables are filled in from what a child may see: `${env:…}` is no way round the scrubbing.
  const known = {
    workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    userHome: homedir(),
    env: scrubEnvironment(process.env, { credentials }),
  };
  const overrides: Record<string, string | null> = {};
  for (const layer of [found?.globalValue, ...workspace]) {
    for (const [name, value] of Object.entries(stringsOf(layer))) {
      overrides[name] = value === null ? null : resolveVariables(value, known);
    }
  }
  return scrubEnvironment(process.env, { credentials, overrides });
}

function stringsOf(value: unknown): Record<string, string | null> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string | null] => entry[1] === null || typeof entry[1] === 'string',
    ),
  );
}
