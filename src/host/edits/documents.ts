import * as vscode from 'vscode';
import { join } from 'node:path';
import type { PathFacts } from '../../core/approval/effects.ts';
import { countLineEnds, toLf } from '../../core/edit/lineEnds.ts';
import { ToolError } from '../../core/errors.ts';
import { pathForModel } from '../../core/tools/textEditorText.ts';
import { canonicalPath, rootOf, type Root } from './paths.ts';

/** How long a clean document may need to take over a change on disk. */
const RELOAD_MS = 3000;

export function workspaceRoots(): Root[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

/** The URI under which the editor knows a file: below its workspace folder, also where that is reached through a link. */
export async function uriOf(path: PathFacts, roots: readonly Root[]): Promise<vscode.Uri> {
  const found = await rootOf(path.canonical, roots);
  return vscode.Uri.file(found ? join(found.root.path, ...found.segments) : path.canonical);
}

/**
 * The open document of a file, under whatever URI it was opened: two documents of one file would overwrite each other.
 * Throws `ToolError` when two of them have unsaved changes.
 */
export async function findDocument(path: PathFacts, uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  const same: vscode.TextDocument[] = [];
  for (const document of vscode.workspace.textDocuments) {
    if (document.isClosed || document.uri.scheme !== 'file') continue;
    if (document.uri.toString() === uri.toString() || (await isFile(document.uri, path))) same.push(document);
  }
  const dirty = same.filter((document) => document.isDirty);
  if (dirty.length > 1) {
    throw new ToolError(`Error: ${pathForModel(path)} is open twice with unsaved changes. Ask the user to save one.`);
  }
  return dirty[0] ?? same.find((document) => document.uri.toString() === uri.toString()) ?? same[0];
}

async function isFile(uri: vscode.Uri, path: PathFacts): Promise<boolean> {
  return canonicalPath(uri.fsPath).then(
    (canonical) => canonical === path.canonical,
    () => false,
  );
}

/** The document, opened (without a tab) where it is not. Throws `ToolError` for what is no text. */
export async function openDocument(path: PathFacts, uri: vscode.Uri): Promise<vscode.TextDocument> {
  const open = await findDocument(path, uri);
  if (open) return open;
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (error) {
    throw notText(path, error);
  }
}

export function notText(path: PathFacts, error: unknown): ToolError {
  const binary = /binary/i.test(String(error));
  const reason = binary ? 'is a binary file' : 'could not be opened as text';
  return new ToolError(
    `Error: ${pathForModel(path)} ${reason}. Inspect it with bash, for example with \`file\` or \`xxd\`.`,
  );
}

export function notebookOf(uri: vscode.Uri): boolean {
  return vscode.workspace.notebookDocuments.some(
    (notebook) => !notebook.isClosed && notebook.uri.toString() === uri.toString(),
  );
}

/** Waits until a clean document shows what is on disk. Returns whether it does. */
export async function caughtUp(document: vscode.TextDocument, bytes: Uint8Array): Promise<boolean> {
  const deadline = Date.now() + RELOAD_MS;
  for (;;) {
    if (document.isDirty || document.isClosed) return true;
    const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
    // The document hides a second byte order mark, and writes it back.
    if (toLf(text).replace(/^\uFEFF/, '') === toLf(document.getText())) return true;
    if (Date.now() >= deadline) return false;
    await pause(50);
  }
}

/**
 * Why saving the document would change bytes that nobody edited; undefined when it would not. The test is the round
 * trip of the bytes on disk through the document's encoding, and one kind of line end.
 */
export async function unfaithfulReason(bytes: Uint8Array, encoding: string): Promise<string | undefined> {
  if (bytes[0] === 0xff && bytes[1] === 0xfe && bytes[2] === 0 && bytes[3] === 0) {
    return 'it is in UTF-32, which the editor does not know';
  }
  const text = await vscode.workspace.decode(bytes, { encoding });
  const again = await vscode.workspace.encode(text, { encoding });
  if (!sameBytes(bytes, again)) {
    return `it has bytes that the editor's encoding for it (${encoding}) would not write back as they are`;
  }
  const { crlf, lf, cr } = countLineEnds(text);
  if (cr > 0) return 'it has carriage returns without a line feed, which the editor would rewrite';
  if (crlf > 0 && lf > 0)
    return `it has mixed line ends (${crlf} CRLF, ${lf} LF), which the editor would make one kind`;
  return undefined;
}

/** The bytes of a text. Throws `ToolError` when the encoding can't hold it: the editor would write `?` without a word. */
export async function encodeExactly(text: string, encoding: string, path: PathFacts): Promise<Uint8Array> {
  const bytes = await vscode.workspace.encode(text, { encoding });
  const back = await vscode.workspace.decode(bytes, { encoding });
  if (back === text) return bytes;
  const code = text.codePointAt(firstDifference(text, back)) ?? 0;
  const character = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  throw new ToolError(
    `Error: ${pathForModel(path)} is encoded as ${encoding}, which can't hold the new text (first at ${character}). The file was not changed.`,
  );
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The promise's value, or `late` when it takes longer than `ms`. A rejection passes through, a late one is dropped. */
export async function within<T>(ms: number, promise: PromiseLike<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
