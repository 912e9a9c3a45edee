import { access, constants } from 'node:fs/promises';
import * as vscode from 'vscode';
import { applyEdits, invertEdits, type OffsetEdit } from '../../core/edit/offsetEdit.ts';
import { CancelledError, ToolError } from '../../core/errors.ts';
import type { AppliedEdit, TextSnapshot } from '../../core/ports.ts';
import { pathForModel } from '../../core/tools/textEditorText.ts';
import { readDisk } from './disk.ts';
import { encodeExactly, notebookOf, openDocument, pause, sameBytes, within } from './documents.ts';
import { canonicalPath } from './paths.ts';

export interface DocumentEdit {
  readonly snapshot: TextSnapshot;
  /** Offsets into the snapshot's text, sorted, not overlapping. */
  readonly edits: readonly OffsetEdit[];
  readonly uri: vscode.Uri;
  readonly save: boolean;
  readonly maxBytes: number;
}

const ATTEMPTS = 3;
/** How long the text and the dirty mark may lag behind an edit that VS Code reported as done. */
const SETTLE_MS = 1000;
/** Formatters may take their time, but a dialog that nobody answers must not hold the turn. */
const SAVE_MS = 60_000;

/**
 * Edits the open document, as one undo step, and saves it. 'stale' when the text, the disk or the file's existence is
 * not that of the snapshot; nothing is changed then. Every trap that VS Code reports as success is checked: read-only
 * documents, lossy encodings, a disk that changed without changing its size.
 */
export async function applyThroughDocument(edit: DocumentEdit, signal: AbortSignal): Promise<AppliedEdit | 'stale'> {
  const { snapshot, uri } = edit;
  const { path } = snapshot;
  if (snapshot.unfaithful !== undefined) {
    throw new ToolError(`Error: ${pathForModel(path)} can't be edited here: ${snapshot.unfaithful}.`);
  }
  if (!(await onDiskAsBefore(edit))) return 'stale';
  const document = await openDocument(path, uri);
  if (notebookOf(document.uri)) throw new ToolError(`Error: ${pathForModel(path)} is open as a notebook.`);
  const text = applyEdits(snapshot.text, edit.edits);
  const bytes = await encodeExactly(text, document.encoding, path);
  const target: Target = { ...edit, document, text, bytes, wasDirty: document.isDirty };
  if (signal.aborted) throw new CancelledError();
  if (!(await applyOnce(target))) return 'stale';
  await settled(() => document.getText() === text && document.isDirty);
  if (!document.isDirty && !(await isOnDisk(target))) {
    await takeBack(target);
    throw new ToolError('Error: Permission denied. Cannot write to file. The editor has it as read-only.');
  }
  if (!edit.save) return { text: document.getText(), saved: false, changedOnSave: false };
  return save(target);
}

interface Target extends DocumentEdit {
  readonly document: vscode.TextDocument;
  /** The document's text after the edit, and its bytes. */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly wasDirty: boolean;
}

async function onDiskAsBefore({ snapshot, maxBytes }: DocumentEdit): Promise<boolean> {
  if ((await canonicalPath(snapshot.path.canonical)) !== snapshot.path.canonical) return false;
  const disk = await readDisk(snapshot.path, maxBytes);
  return disk !== undefined && disk.hash === snapshot.diskHash;
}

async function isOnDisk({ snapshot, bytes }: Target): Promise<boolean> {
  const disk = await readDisk(snapshot.path, Number.MAX_SAFE_INTEGER);
  return disk !== undefined && sameBytes(disk.bytes, bytes);
}

/** False when the document is not what the edit was made for. A refusal of VS Code may be a key stroke that came between. */
async function applyOnce(target: Target): Promise<boolean> {
  const { document, snapshot } = target;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (document.getText() !== snapshot.text) return false;
    if (await vscode.workspace.applyEdit(toWorkspaceEdit(document, target.edits))) return true;
    await pause(50 * attempt);
  }
  throw new ToolError(`Error: The editor refused to change ${pathForModel(snapshot.path)}. The file was not changed.`);
}

function toWorkspaceEdit(document: vscode.TextDocument, edits: readonly OffsetEdit[]): vscode.WorkspaceEdit {
  const workspaceEdit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of edits) {
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    workspaceEdit.replace(document.uri, range, text);
  }
  return workspaceEdit;
}

async function save(target: Target): Promise<AppliedEdit | 'stale'> {
  const { document, snapshot, text } = target;
  // VS Code compares time and size only, and would overwrite another program's change of the same size.
  if (!(await onDiskAsBefore(target)) && !(await isOnDisk(target))) {
    await takeBack(target);
    return 'stale';
  }
  if (!(await saved(document)) && !(await savedByAutoSave(target))) {
    const taken = await takeBack(target);
    throw new ToolError(await saveFailure(target, taken));
  }
  const disk = await readDisk(snapshot.path, Number.MAX_SAFE_INTEGER);
  const unwritten = disk?.hash === snapshot.diskHash && !sameBytes(disk.bytes, target.bytes);
  if (!disk || (unwritten && document.getText() === text)) {
    throw new ToolError(`Error: Saving ${pathForModel(snapshot.path)} did not reach the disk.`);
  }
  const now = document.getText();
  return { text: now, saved: true, changedOnSave: now !== text };
}

async function saved(document: vscode.TextDocument): Promise<boolean> {
  try {
    return await within(SAVE_MS, document.save(), false);
  } catch {
    // "Document has been closed".
    return false;
  }
}

/** `save()` also fails when auto-save was quicker, and closed the document. */
async function savedByAutoSave(target: Target): Promise<boolean> {
  const { document } = target;
  await settled(() => !document.isDirty);
  return !document.isDirty && isOnDisk(target);
}

async function saveFailure({ snapshot }: Target, taken: boolean): Promise<string> {
  const kept = taken ? 'The file was not changed.' : 'The change is in the open editor, unsaved.';
  const writable = await access(snapshot.path.canonical, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!writable) return `Error: Permission denied. Cannot write to file. ${kept}`;
  return `Error: ${pathForModel(snapshot.path)} could not be saved: it changed on disk, or the editor refused. ${kept}`;
}

/**
 * Takes our edit back, unless something else came on top of it (the user's typing, a formatter): that is never undone.
 * A document that had no unsaved changes goes back to the disk's text, so that it does not stay dirty for nothing.
 */
async function takeBack({ document, snapshot, edits, text, wasDirty }: Target): Promise<boolean> {
  if (document.isClosed || document.getText() !== text) return false;
  if (!wasDirty && document.isDirty && (await revert(document))) return true;
  if (document.getText() !== text) return false;
  return vscode.workspace.applyEdit(toWorkspaceEdit(document, invertEdits(snapshot.text, edits)));
}

/** The command works on the active editor only, so the document has to be shown for it. */
async function revert(document: vscode.TextDocument): Promise<boolean> {
  const shown = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString());
  await vscode.window.showTextDocument(document, { preview: true });
  if (vscode.window.activeTextEditor?.document !== document) return false;
  await vscode.commands.executeCommand(
    shown ? 'workbench.action.files.revert' : 'workbench.action.revertAndCloseActiveEditor',
  );
  return !document.isDirty;
}

async function settled(done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + SETTLE_MS; !done() && Date.now() < deadline;) await pause(20);
}
