import * as vscode from 'vscode';
import { ATTACHMENT_SCHEME } from './previewUri.ts';

export const PREVIEW_EDITOR = 'loopdock.preview';

/** What fills the editor of a file, once there is one. Its code comes with the agent. */
export interface Previewer {
  /** Shows the file that the address names, and serves its bytes until the panel closes. */
  show(uri: vscode.Uri, panel: vscode.WebviewPanel): Promise<void>;
}

/** Registers the read-only editor for attachments. Nothing of the agent is loaded before a file is shown. */
export function registerPreview(previewer: () => Previewer): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerFileSystemProvider(ATTACHMENT_SCHEME, new NoFiles(), { isReadonly: true }),
    vscode.window.registerCustomEditorProvider(
      PREVIEW_EDITOR,
      {
        openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
        resolveCustomEditor: ({ uri }, panel) => previewer().show(uri, panel),
      },
      { supportsMultipleEditorsPerDocument: true, webviewOptions: { retainContextWhenHidden: false } },
    ),
  );
}

/**
 * VS Code asks for a file's facts before it opens an editor on it. The content is served to our own editor alone: text
 * editors and other extensions get copies, as ordinary files.
 */
class NoFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;

  stat(): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0, permissions: vscode.FilePermission.Readonly };
  }

  readFile(): Uint8Array {
    return new Uint8Array();
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
