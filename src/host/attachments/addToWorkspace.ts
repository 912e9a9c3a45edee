import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { fileSize } from '../../core/base/fileSize.ts';
import { toEol } from '../../core/edit/lineEnds.ts';
import { replaceWhole } from '../../core/edit/commands.ts';
import { CancelledError, ToolError, UserError } from '../../core/errors.ts';
import type { EditPort, PreviewPort, StoredFile } from '../../core/ports.ts';
import { factsOf, type ResolvedPath } from '../../core/tools/textEditorText.ts';
import { existsInAnyCase } from '../../node/attachments/fileName.ts';
import { placeInsteadOf, placeUnderFreeName } from '../../node/attachments/placeFile.ts';
import type { Guard } from '../guard.ts';
import { notify } from '../notify.ts';
import { asText } from './fileText.ts';

/** Larger texts are replaced as files, without a diff: the editor shows none of that size. Bytes. */
const MOST_TEXT = 5_000_000;
const MOST_PLACES = 20;

/** Brings a stored file into the workspace under a clean name. Throws `UserError`. */
export type AddToWorkspace = (blob: StoredFile, name: string) => Promise<void>;

export interface AddToWorkspaceDeps {
  readonly edit: Pick<EditPort, 'resolve' | 'readText' | 'apply'>;
  readonly previews: PreviewPort;
  readonly guard: Guard;
  /** Which place the user wants; undefined when none. Asked only where a file of that name exists. */
  readonly choosePlace?: (places: readonly Place[]) => Promise<Place | undefined>;
}

/** A new file in a folder, or the file that is replaced. */
export type Place =
  { readonly kind: 'new'; readonly dir: string } | { readonly kind: 'existing'; readonly path: string };

/**
 * Where nothing of that name exists the file is new, in the folder's root. Otherwise the user chooses between a free
 * name and each file that has the name: a text becomes an edit which the user sees as a diff first, anything else
 * replaces the file when the user confirms.
 */
export function createAddToWorkspace(deps: AddToWorkspaceDeps): AddToWorkspace {
  const choosePlace = deps.choosePlace ?? askForPlace;
  return async (blob, name) => {
    const folder = await chooseFolder();
    if (!folder) return;
    const dir = folder.uri.fsPath;
    const existing = await sameNamed(folder, name);
    const fresh: Place = { kind: 'new', dir };
    const places = existing.map((path): Place => ({ kind: 'existing', path }));
    const place = places.length === 0 ? fresh : await choosePlace([...places, fresh]);
    if (place === undefined) return;
    if (place.kind === 'new') added(deps.guard, await placeUnderFreeName(blob.path, place.dir, name), false);
    else await replace(deps, blob, place.path);
  };
}

async function chooseFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (folders.length === 0) throw new UserError(vscode.l10n.t('No folder is open. Use Save As… instead.'));
  if (folders.length === 1) return folders[0];
  return vscode.window.showWorkspaceFolderPick({ placeHolder: vscode.l10n.t('Add the file to which folder?') });
}

/** Files of that name in the folder; the one in its root first. */
async function sameNamed(folder: vscode.WorkspaceFolder, name: string): Promise<readonly string[]> {
  const inRoot = join(folder.uri.fsPath, name);
  const glob = name.replace(/[[\]{}*?]/g, '?');
  const pattern = new vscode.RelativePattern(folder, `**/${glob}`);
  const found = await vscode.workspace.findFiles(pattern, '**/{node_modules,.git}/**', MOST_PLACES);
  const below = found.map(({ fsPath }) => fsPath).filter((path) => basename(path) === name && path !== inRoot);
  const taken = await existsInAnyCase(inRoot);
  return taken ? [inRoot, ...below.sort()] : below.sort();
}

interface PlaceItem extends vscode.QuickPickItem {
  readonly place: Place;
}

async function askForPlace(places: readonly Place[]): Promise<Place | undefined> {
  const items = places.map((place): PlaceItem =>
    place.kind === 'new'
      ? { label: `$(new-file) ${vscode.l10n.t('Add as a new file')}`, place }
      : {
          label: `$(diff) ${vscode.l10n.t('Change {0}', vscode.workspace.asRelativePath(place.path))}`,
          description: vscode.l10n.t('you see the difference first'),
          place,
        },
  );
  const title = vscode.l10n.t('A file of this name exists');
  return (await vscode.window.showQuickPick(items, { title }))?.place;
}

async function replace(deps: AddToWorkspaceDeps, blob: StoredFile, path: string): Promise<void> {
  const target = await forUser(() => deps.edit.resolve(path));
  if (!target.inside) throw new UserError(vscode.l10n.t('{0} leads out of the workspace. Use Save As… instead.', path));
  if (target.type === 'directory') throw new UserError(vscode.l10n.t('{0} is a folder.', target.display));
  const text = blob.size > MOST_TEXT ? undefined : asText(await readFile(blob.path));
  if (text !== undefined && (await isText(deps, target))) return reviewedEdit(deps, target, text);
  await confirmAndReplace(deps, blob, target);
}

async function isText({ edit }: AddToWorkspaceDeps, target: ResolvedPath): Promise<boolean> {
  return edit.readText(factsOf(target), MOST_TEXT).then(
    ({ unfaithful }) => unfaithful === undefined,
    () => false,
  );
}

/** The edit is made for the text that the diff shows: when that has changed meanwhile, the diff is shown anew. */
async function reviewedEdit(deps: AddToWorkspaceDeps, target: ResolvedPath, text: string): Promise<void> {
  for (;;) {
    const snapshot = await forUser(() => deps.edit.readText(factsOf(target), MOST_TEXT));
    const after = toEol(text, snapshot.eol);
    if (replaceWhole(snapshot, after) === undefined) {
      notify(deps.guard, { text: vscode.l10n.t('{0} already has this content.', target.display) });
      return;
    }
    const diff = { path: target.display, before: snapshot.text, after, exists: true };
    const preview = deps.previews.open(`attachment:${target.canonical}`, diff);
    try {
      const decision = await decided(preview, target.display);
      if (decision !== 'allow') return;
      const edit = replaceWhole(snapshot, preview.revised() ?? after);
      const signal = new AbortController().signal;
      const applied = edit && (await forUser(() => deps.edit.apply(snapshot, [edit], signal)));
      if (applied !== 'stale') return added(deps.guard, target.canonical, true);
      notify(deps.guard, { text: vscode.l10n.t('{0} has changed meanwhile. Look again.', target.display) });
    } finally {
      preview.dispose();
    }
  }
}

/** In the diff's own title, or on the notification beside it, whichever comes first. */
async function decided(preview: ReturnType<PreviewPort['open']>, name: string): Promise<'allow' | 'deny'> {
  const accept = vscode.l10n.t('Accept');
  const reject = vscode.l10n.t('Reject');
  let subscription: { dispose(): void } | undefined;
  const inDiff = new Promise<'allow' | 'deny'>((resolve) => (subscription = preview.onDecision(resolve)));
  await preview.show();
  const question = vscode.l10n.t('Change {0} to the attachment’s content?', name);
  const onToast = vscode.window
    .showInformationMessage(question, accept, reject)
    .then((choice) => (choice === accept ? 'allow' : choice === reject ? 'deny' : inDiff));
  try {
    return await Promise.race([inDiff, onToast]);
  } finally {
    subscription?.dispose();
  }
}

async function confirmAndReplace(deps: AddToWorkspaceDeps, blob: StoredFile, target: ResolvedPath): Promise<void> {
  const yes = vscode.l10n.t('Replace');
  const [before, after] = [target.size, blob.size].map((size) => fileSize(size, vscode.env.language));
  const detail = vscode.l10n.t('It has {0} now and {1} afterwards. There is no undo.', before ?? '', after ?? '');
  const question = vscode.l10n.t('Replace {0}?', target.display);
  const choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes);
  if (choice !== yes) return;
  await placeInsteadOf(blob.path, target.canonical);
  added(deps.guard, target.canonical, true);
}

function added(guard: Guard, path: string, changed: boolean): void {
  const uri = vscode.Uri.file(path);
  const shown = vscode.workspace.asRelativePath(uri, true);
  const text = changed ? vscode.l10n.t('Changed {0}.', shown) : vscode.l10n.t('Added {0}.', shown);
  notify(guard, {
    text,
    action: { label: vscode.l10n.t('Open'), run: () => vscode.commands.executeCommand('vscode.open', uri) },
  });
}

/** What an edit refuses is written for Claude; here a person reads it. */
async function forUser<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CancelledError || !(error instanceof ToolError)) throw error;
    throw new UserError(error.message.replace(/^Error: /, ''), { cause: error });
  }
}
