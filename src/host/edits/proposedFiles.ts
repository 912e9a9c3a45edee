import * as vscode from 'vscode';

/** The scheme of a diff's left side: the text before the edit, read-only. */
export const BEFORE_SCHEME = 'loopdock-before';
/** The scheme of a diff's right side: the proposed text, which the user may change. */
export const PROPOSED_SCHEME = 'loopdock-proposed';

const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Proposed texts in memory. They have a byte order mark so that no `files.encoding` of the user's misreads them; it is
 * part of no document's text.
 */
export class ProposedFiles implements vscode.FileSystemProvider, vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #before = new Map<string, string>();
  readonly #proposed = new Map<string, { bytes: Uint8Array; mtime: number }>();
  readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changes.event;

  put(before: vscode.Uri, beforeText: string, proposed: vscode.Uri, proposedText: string): void {
    this.#before.set(before.toString(), beforeText);
    const bytes = Buffer.concat([MARK, Buffer.from(proposedText)]);
    this.#proposed.set(proposed.toString(), { bytes, mtime: Date.now() });
  }

  remove(before: vscode.Uri, proposed: vscode.Uri): void {
    this.#before.delete(before.toString());
    this.#proposed.delete(proposed.toString());
  }

  has(proposed: vscode.Uri): boolean {
    return this.#proposed.has(proposed.toString());
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#before.get(uri.toString()) ?? '';
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.#get(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#get(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const file = this.#get(uri);
    file.bytes = bytes;
    // Two writes in one millisecond are two versions.
    file.mtime = Math.max(Date.now(), file.mtime + 1);
    this.#changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
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

  dispose(): void {
    this.#changes.dispose();
    this.#before.clear();
    this.#proposed.clear();
  }

  #get(uri: vscode.Uri): { bytes: Uint8Array; mtime: number } {
    const file = this.#proposed.get(uri.toString());
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
