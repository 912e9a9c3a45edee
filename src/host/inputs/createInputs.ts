import { join } from 'node:path';
import * as vscode from 'vscode';
import type { InputPort } from '../../core/inputPort.ts';
import { isGitIgnored } from '../../node/inputs/gitIgnored.ts';
import { createLocalFiles } from '../../node/inputs/localFiles.ts';
import { createUploadMemory } from '../../node/inputs/uploadMemory.ts';
import type { Services } from '../services.ts';

/** Files that the user attaches. In Restricted Mode git is not run: the repository is not trusted. */
export function createInputs({ context, log }: Services): InputPort {
  return {
    ...createLocalFiles({
      roots: () => folders().map(({ uri }) => uri.fsPath),
      isIgnored: (path) => (vscode.workspace.isTrusted && isInside(path) ? isGitIgnored(path) : Promise.resolve(false)),
    }),
    ...createUploadMemory({ path: join(context.globalStorageUri.fsPath, 'uploads.json'), logger: log }),
  };
}

function folders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}

function isInside(path: string): boolean {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) !== undefined;
}
