import * as l10n from '@vscode/l10n';
import { insertLines, replaceText, replaceWhole, type Replacement } from '../edit/commands.ts';
import { toEol } from '../edit/lineEnds.ts';
import { nearestText } from '../edit/nearest.ts';
import { applyEdits, minimalEdit, type OffsetEdit } from '../edit/offsetEdit.ts';
import { ToolError } from '../errors.ts';
import type { EditPort, TextSnapshot } from '../ports.ts';
import type { PathFacts } from '../approval/effects.ts';
import type { CreateInput, InsertInput, ReplaceInput } from './textEditorInput.ts';
import { diffBody, editResult } from './textEditorResult.ts';
import {
  cutForModel,
  factsOf,
  NOT_FOUND,
  numberLines,
  pathForModel,
  requireFile,
  showPath,
  throwIfAborted,
  type ResolvedPath,
} from './textEditorText.ts';
import type { PreparedCall, ToolOutcome } from './tool.ts';

/** An edit needs the whole file as an open document; beyond this that costs the editor seconds. */
const MAX_EDIT_BYTES = 5_000_000;

export async function prepareReplace(port: EditPort, input: ReplaceInput, signal: AbortSignal): Promise<PreparedCall> {
  const { path, snapshot } = await open(port, input.path, signal);
  const title = l10n.t('Edit {0}', showPath(path.display));
  const replacement = replaceText(snapshot, input.old_str, input.new_str ?? '');
  if (replacement.kind !== 'edits') {
    // The answer tells about the file's text, so it counts as a read and the policy has its say first.
    const failure = () => new ToolError(failedReplacement(snapshot, input.old_str, replacement));
    return {
      title,
      effects: [{ kind: 'read', path }],
      preview: { kind: 'none' },
      invoke: () => Promise.reject(failure()),
    };
  }
  const done = 'Successfully replaced text at exactly one location.';
  return editCall(port, snapshot, { title, done, edits: replacement.edits });
}

export async function prepareInsert(port: EditPort, input: InsertInput, signal: AbortSignal): Promise<PreparedCall> {
  const { path, snapshot } = await open(port, input.path, signal);
  const edit = insertLines(snapshot, input.insert_line, input.insert_text);
  if ('lineCount' in edit) {
    throw new ToolError(
      `Error: Invalid \`insert_line\` parameter: ${String(input.insert_line)}. ` +
        `It should be within the range of lines of the file: [0, ${String(edit.lineCount)}]`,
    );
  }
  if (edit.text === '') throw new ToolError('Error: The insertion changes nothing: `insert_text` is empty.');
  return editCall(port, snapshot, {
    title: l10n.t('Edit {0}', showPath(path.display)),
    done: `The file ${pathForModel(path)} has been edited.`,
    edits: [edit],
  });
}

export async function prepareCreate(port: EditPort, input: CreateInput, signal: AbortSignal): Promise<PreparedCall> {
  const resolved = await port.resolve(input.path);
  throwIfAborted(signal);
  if (resolved.type !== 'missing') {
    if (resolved.type === 'directory') {
      throw new ToolError(`Error: ${pathForModel(resolved)} is a directory, so no file can be created there.`);
    }
    return prepareOverwrite(port, input, signal);
  }
  if (/[/\\]$/.test(input.path)) throw new ToolError('Error: A file name must not end with a slash.');
  return createCall(port, factsOf(resolved), input.file_text);
}

async function prepareOverwrite(port: EditPort, input: CreateInput, signal: AbortSignal): Promise<PreparedCall> {
  const { path, snapshot } = await open(port, input.path, signal);
  const edit = replaceWhole(snapshot, input.file_text);
  if (!edit) throw new ToolError(`Error: ${pathForModel(path)} already has exactly this text. Nothing was changed.`);
  return editCall(port, snapshot, {
    title: l10n.t('Overwrite {0}', showPath(path.display)),
    done: `The file ${pathForModel(path)} existed and has been overwritten.`,
    edits: [edit],
  });
}

/** The text of a file, also of one that is not there: an edit may have been about to create it. */
export async function textNow(port: EditPort, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const resolved = await port.resolve(path);
  return (await port.readText(factsOf(resolved), MAX_EDIT_BYTES)).text;
}

/** The file's text as it is now, where an edit of it could be faithful at all. */
async function open(
  port: EditPort,
  given: string,
  signal: AbortSignal,
): Promise<{ readonly path: PathFacts; readonly snapshot: TextSnapshot }> {
  const path: ResolvedPath = await port.resolve(given);
  throwIfAborted(signal);
  requireFile(path);
  const snapshot = await port.readText(factsOf(path), MAX_EDIT_BYTES);
  throwIfAborted(signal);
  // Deleted since it was resolved.
  if (snapshot.diskHash === null && snapshot.unfaithful === undefined) throw new ToolError(NOT_FOUND);
  if (snapshot.unfaithful !== undefined) throw new ToolError(unfaithful(snapshot.path, snapshot.unfaithful));
  return { path: snapshot.path, snapshot };
}

function unfaithful(path: PathFacts, reason: string): string {
  return `Error: ${pathForModel(path)} can't be edited here without changing more than the edit: ${reason}. The file was not changed.`;
}

interface Edit {
  readonly title: string;
  /** What the model is told on success. */
  readonly done: string;
  readonly edits: readonly OffsetEdit[];
}

function editCall(port: EditPort, snapshot: TextSnapshot, edit: Edit): PreparedCall {
  const { path, text: before } = snapshot;
  const proposed = applyEdits(before, edit.edits);
  return {
    title: edit.title,
    effects: [
      { kind: 'read', path },
      { kind: 'write', path, creates: false },
    ],
    preview: diffBody(path, before, proposed, snapshot.dirty ? unsavedNote() : undefined),
    diff: { path: path.display, before, after: proposed, exists: true },
    async invoke({ signal, revised }) {
      throwIfAborted(signal);
      const after = revised === undefined ? proposed : toEol(revised, snapshot.eol);
      const own = after === proposed ? edit.edits : wholeEdit(before, after);
      if (own.length === 0) return nothingLeft(edit.title);
      const applied = await port.apply(snapshot, own, signal);
      if (applied === 'stale') return 'stale';
      return editResult({ path, title: edit.title, done: edit.done, before, proposed, after, applied });
    },
  };
}

function createCall(port: EditPort, path: PathFacts, text: string): PreparedCall {
  const title = l10n.t('Create {0}', showPath(path.display));
  return {
    title,
    effects: [{ kind: 'write', path, creates: true }],
    preview: diffBody(path, '', text),
    diff: { path: path.display, before: '', after: text, exists: false },
    async invoke({ signal, revised }) {
      throwIfAborted(signal);
      const after = revised ?? text;
      const applied = await port.create(path, after, signal);
      if (applied === 'stale') return 'stale';
      const done = `File created successfully at: ${pathForModel(path)}`;
      return editResult({ path, title, done, before: '', proposed: text, after, applied });
    },
  };
}

function wholeEdit(before: string, after: string): OffsetEdit[] {
  const edit = minimalEdit(before, after);
  return edit ? [edit] : [];
}

function nothingLeft(title: string): ToolOutcome {
  return {
    content: 'The user took every change out of the proposed edit before accepting it. The file was not changed.',
    isError: true,
    body: { kind: 'none' },
    title,
  };
}

function unsavedNote(): string {
  return l10n.t('The file has unsaved changes of yours. They are kept, and saved together with this edit.');
}

function failedReplacement(
  snapshot: TextSnapshot,
  oldText: string,
  failure: Exclude<Replacement, { readonly kind: 'edits' }>,
): string {
  if (failure.kind === 'unchanged') return 'Error: `old_str` and `new_str` are the same. Nothing was changed.';
  if (failure.kind === 'many') {
    const more = failure.count > failure.lines.length ? ' (the first of them)' : '';
    return (
      `Error: Found ${String(failure.count)} matches for replacement text. Please provide more context to make a unique match.\n` +
      `They begin in lines ${failure.lines.join(', ')}${more}.`
    );
  }
  const none = 'Error: No match found for replacement. Please check your text and try again.';
  const near = nearestText(snapshot.text, oldText);
  if (!near) return snapshot.text === '' ? `${none}\nThe file is empty.` : none;
  const last = near.line + near.lines.length - 1;
  const where = near.lines.length === 1 ? `line ${String(near.line)}` : `lines ${String(near.line)}-${String(last)}`;
  const text = cutForModel(numberLines(near.lines, near.line), 4000);
  return `${none}\n${reasonText(near.reason)}The nearest text is in ${where}:\n${text}`;
}

function reasonText(reason: 'whitespace' | 'lineNumbers' | undefined): string {
  if (reason === 'whitespace') return 'It differs only in white space from what the file has. ';
  if (reason === 'lineNumbers') return '`old_str` holds the line numbers of a view; leave them out. ';
  return '';
}
