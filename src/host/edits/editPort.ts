import * as vscode from 'vscode';
import type { PathFacts } from '../../core/approval/effects.ts';
import { dominantEol, toEol, type Eol } from '../../core/edit/lineEnds.ts';
import { replaceWhole } from '../../core/edit/commands.ts';
import { CancelledError, ToolError } from '../../core/errors.ts';
import type { AppliedEdit, EditPort, TextSnapshot } from '../../core/ports.ts';
import { pathForModel } from '../../core/tools/textEditorText.ts';
import { applyThroughDocument } from './applyThroughDocument.ts';
import { listDisk, readDisk, type DiskFile } from './disk.ts';
import {
  caughtUp,
  encodeExactly,
  findDocument,
  notebookOf,
  notText,
  openDocument,
  sameBytes,
  unfaithfulReason,
  uriOf,
  workspaceRoots,
} from './documents.ts';
import { canonicalPath, resolvePath, type Root } from './paths.ts';

export interface EditPortOptions {
  /** `loopdock.edits.save`, asked anew for each edit. */
  readonly shouldSave: () => boolean;
  /** The workspace's folders on disk, where they are not those of VS Code. */
  readonly roots?: () => readonly Root[];
}

/** Beyond this an open document costs seconds and hundreds of megabytes. */
const MAX_DOCUMENT_BYTES = 5_000_000;

/** Reads and edits files through VS Code's documents, so that unsaved text, encodings and undo are kept. */
export function createEditPort({ shouldSave, roots = workspaceRoots }: EditPortOptions): EditPort {
  const readText = (path: PathFacts, maxBytes: number) => read(path, maxBytes, roots());
  const apply: EditPort['apply'] = async (snapshot, edits, signal) => {
    const uri = await uriOf(snapshot.path, roots());
    return applyThroughDocument({ snapshot, edits, uri, save: shouldSave(), maxBytes: MAX_DOCUMENT_BYTES }, signal);
  };
  return {
    resolve: (path) => resolvePath(path, roots()),
    list: listDisk,
    readText,
    apply,
    async create(path, text, signal) {
      if (signal.aborted) throw new CancelledError();
      if (!path.exists) return createFile(path, await uriOf(path, roots()), text);
      const snapshot = await readText(path, MAX_DOCUMENT_BYTES);
      const edit = replaceWhole(snapshot, text);
      return edit ? apply(snapshot, [edit], signal) : asItIs(snapshot);
    },
  };
}

function asItIs({ text, dirty }: TextSnapshot): AppliedEdit {
  return { text, saved: !dirty, changedOnSave: false };
}

async function read(path: PathFacts, maxBytes: number, roots: readonly Root[]): Promise<TextSnapshot> {
  if ((await canonicalPath(path.canonical)) !== path.canonical) {
    throw new ToolError(`Error: ${pathForModel(path)} has become a link to another place meanwhile.`);
  }
  const uri = await uriOf(path, roots);
  const disk = await readDisk(path, maxBytes);
  if (!disk) return missing(path, uri);
  const large = disk.bytes.length > MAX_DOCUMENT_BYTES;
  const document = large ? await findDocument(path, uri) : await openDocument(path, uri);
  return document ? readDocument(path, document, disk, maxBytes) : readBytes(path, uri, disk);
}

/** A file that is gone, or was never there. Its document may still be open with the user's text in it. */
async function missing(path: PathFacts, uri: vscode.Uri): Promise<TextSnapshot> {
  const document = await findDocument(path, uri);
  const gone = { unfaithful: 'the file was deleted on disk, and the editor still has unsaved changes of it' };
  return {
    path: { ...path, exists: false },
    text: document?.isDirty ? document.getText() : '',
    eol: newFileEol(uri) ?? '\n',
    encoding: 'utf8',
    dirty: document?.isDirty ?? false,
    diskHash: null,
    version: document?.version ?? 0,
    ...(document?.isDirty ? gone : {}),
  };
}

async function readDocument(
  path: PathFacts,
  document: vscode.TextDocument,
  disk: DiskFile,
  maxBytes: number,
): Promise<TextSnapshot> {
  // A change on disk reaches the document a moment later; until then an edit would be computed on the old text.
  const current = (await caughtUp(document, disk.bytes)) ? disk : ((await readDisk(path, maxBytes)) ?? disk);
  const unfaithful =
    (await unfaithfulReason(current.bytes, document.encoding)) ??
    (notebookOf(document.uri) ? 'it is open as a notebook' : undefined) ??
    (current.bytes.length > MAX_DOCUMENT_BYTES ? 'it is too large for the editor' : undefined) ??
    ((await caughtUp(document, current.bytes)) ? undefined : 'the editor has not taken over a change on disk yet');
  return {
    path,
    text: document.getText(),
    eol: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
    encoding: document.encoding,
    dirty: document.isDirty,
    diskHash: current.hash,
    version: document.version,
    ...(unfaithful === undefined ? {} : { unfaithful }),
  };
}

/** A file that is too large for a document: to be looked at only. */
async function readBytes(path: PathFacts, uri: vscode.Uri, disk: DiskFile): Promise<TextSnapshot> {
  let text: string;
  try {
    text = await vscode.workspace.decode(disk.bytes, { uri });
  } catch (error) {
    throw notText(path, error);
  }
  return {
    path,
    text,
    eol: dominantEol(text) ?? '\n',
    encoding: 'utf8',
    dirty: false,
    diskHash: disk.hash,
    version: 0,
    unfaithful: 'it is too large for the editor',
  };
}

/** The line end that the user's settings give to new files; undefined when they leave it open. */
function newFileEol(uri: vscode.Uri): Eol | undefined {
  const eol = vscode.workspace.getConfiguration('files', uri).get<string>('eol');
  return eol === '\n' || eol === '\r\n' ? eol : undefined;
}

async function createFile(path: PathFacts, uri: vscode.Uri, text: string): Promise<AppliedEdit | 'stale'> {
  if ((await canonicalPath(path.canonical)) !== path.canonical) return 'stale';
  if (await readDisk(path, MAX_DOCUMENT_BYTES)) return 'stale';
  const open = await findDocument(path, uri);
  if (open?.isDirty) {
    throw new ToolError(`Error: ${pathForModel(path)} was deleted on disk but is open with unsaved changes.`);
  }
  const { body, contents } = await newFile(path, uri, text);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents, overwrite: false, ignoreIfExists: false });
  const applied = await vscode.workspace.applyEdit(edit);
  const after = await readDisk(path, Number.MAX_SAFE_INTEGER);
  if (!applied) {
    if (after) return 'stale';
    throw new ToolError('Error: Permission denied. Cannot write to file.');
  }
  if (!after || !sameBytes(after.bytes, contents)) {
    throw new ToolError(
      `Error: ${pathForModel(path)} was created, but the disk does not have the text that was written.`,
    );
  }
  return { text: body, saved: true, changedOnSave: false };
}

const UTF8_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Text and bytes of a new file, in the line ends and the encoding of the user's settings. A byte order mark at the head
 * of the text is written once: by the encoding where it has one, else as it was given.
 */
async function newFile(
  path: PathFacts,
  uri: vscode.Uri,
  text: string,
): Promise<{ readonly body: string; readonly contents: Uint8Array }> {
  const encoding = vscode.workspace.getConfiguration('files', uri).get<string>('encoding') ?? 'utf8';
  const marked = text.startsWith('\uFEFF');
  const bare = marked ? text.slice(1) : text;
  const body = toEol(bare, newFileEol(uri) ?? dominantEol(bare) ?? '\n');
  const encoded = await encodeExactly(body, encoding, path);
  return { body, contents: marked && encoding === 'utf8' ? Buffer.concat([UTF8_MARK, encoded]) : encoded };
}
