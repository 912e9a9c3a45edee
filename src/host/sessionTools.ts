import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Disposable } from '../core/base/disposable.ts';
import { createToolSet } from '../core/tools/index.ts';
import type { AnyTool } from '../core/tools/tool.ts';
import { createEditPort } from './edits/editPort.ts';
import type { Services } from './services.ts';
import { readSettings } from './settings.ts';
import { createTerminalPort, sweepTerminals } from './terminal/terminalPort.ts';

export interface SessionTools {
  /** The tools of one session, with a shell of its own; disposing ends the shell. */
  create(sessionId: string): { readonly tools: readonly AnyTool[] } & Disposable;
  /** Shows the terminal of the session that was created last. */
  show(): void;
}

export function createSessionTools({ context, credentials, log, guard }: Services): SessionTools {
  const storageDir = context.globalStorageUri.fsPath;
  const edit = createEditPort({ shouldSave: () => readSettings().saveEdits });
  let current: { show(): void } | undefined;
  setImmediate(() => void guard('sweep', () => sweepTerminals(storageDir, log)));
  return {
    create(sessionId) {
      const terminal = createTerminalPort({
        sessionId,
        cwd: shellFolder(),
        storageDir,
        timeoutMs: () => readSettings().terminalTimeoutMs,
        credentials: () => credentials.known(),
        logger: log,
      });
      current = terminal;
      return { tools: createToolSet({ edit, terminal }), dispose: () => terminal.dispose() };
    },
    show: () => current?.show(),
  };
}

/** The first workspace folder; without one the home folder, as VS Code's own terminals do. */
function shellFolder(): string {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  return folder?.uri.fsPath ?? homedir();
}
