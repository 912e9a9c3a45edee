import * as vscode from 'vscode';
import { isObject, stringAt } from '../../core/base/json.ts';
import { fileSize } from '../../core/base/fileSize.ts';
import type { LoggedFile } from '../../node/attachments/inventory.ts';
import { useAsInput } from '../commands/useAsInput.ts';
import { notify } from '../notify.ts';
import { registerPreview } from '../preview/previewEditor.ts';
import type { Services } from '../services.ts';
import type { AttachmentActions } from './attachmentActions.ts';
import { ATTACHMENTS_VIEW, AttachmentTree, nameOf } from './attachmentTree.ts';
import type { SessionGroup } from './library.ts';

interface FileCommand {
  readonly run: (actions: AttachmentActions, file: LoggedFile) => Promise<void>;
  /** It is about files that are not on this computer. */
  readonly missing?: true;
}

const fileCommands: Readonly<Record<string, FileCommand>> = {
  'loopdock.attachments.open': { run: (actions, file) => actions.open(file) },
  'loopdock.attachments.saveAs': { run: (actions, file) => actions.saveAs(file) },
  'loopdock.attachments.addToWorkspace': { run: (actions, file) => actions.addToWorkspace(file) },
  'loopdock.attachments.copyPath': { run: (actions, file) => actions.copyPath(file) },
  'loopdock.attachments.copyContent': { run: (actions, file) => actions.copyContent(file) },
  'loopdock.attachments.reveal': { run: (actions, file) => actions.reveal(file) },
  'loopdock.attachments.compare': { run: (actions, file) => actions.compare(file) },
  'loopdock.attachments.fetchAgain': { run: (actions, file) => actions.fetchAgain(file), missing: true },
  'loopdock.attachments.delete': { run: (actions, file) => actions.remove(file) },
};

/** The tree of attachments, its commands and the previews. Each one also runs from the command palette, and then asks which file. */
export function registerAttachments(services: Services): vscode.Disposable {
  const { agent, guard } = services;
  const library = () => agent().attachments.library;
  const tree = new AttachmentTree(library, guard);
  const view = vscode.window.createTreeView(ATTACHMENTS_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  // What other windows stored meanwhile.
  view.onDidChangeVisibility(({ visible }) => visible && tree.refresh());
  const command = (id: string, run: (argument: unknown) => unknown) =>
    vscode.commands.registerCommand(id, (argument?: unknown) => guard(id, () => run(argument)));
  const single = Object.entries(fileCommands).map(([id, { run, missing }]) =>
    command(id, async (argument) => {
      const file = await fileOf(services, argument, missing ?? false);
      if (file) await run(agent().attachments.actions, file);
    }),
  );
  return vscode.Disposable.from(
    view,
    tree,
    ...single,
    command('loopdock.attachments.saveAll', async (argument) => {
      const group = await groupOf(services, argument);
      if (group) await agent().attachments.actions.saveAll(group.files);
    }),
    command('loopdock.attachments.useAsInput', async (argument) => {
      const file = await fileOf(services, argument, false);
      const blob = file && (await library().blob(file));
      if (blob) await useAsInput(services, blob, file);
    }),
    command('loopdock.attachments.refresh', () => tree.refresh()),
    command('loopdock.attachments.storage', () => agent().attachments.storagePage.show()),
    registerPreview(() => agent().attachments.previewer),
  );
}

/** Of an argument only the two ids are taken: anybody can run a command with anything. */
async function fileOf(services: Services, argument: unknown, missing: boolean): Promise<LoggedFile | undefined> {
  const { library } = services.agent().attachments;
  const given = isObject(argument) ? argument['file'] : undefined;
  const [sessionId, fileId] = [stringAt(given, 'sessionId'), stringAt(given, 'fileId')];
  if (sessionId !== undefined && fileId !== undefined) return library.find(sessionId, fileId);
  return pickFile(services, missing);
}

interface FileItem extends vscode.QuickPickItem {
  readonly file?: LoggedFile;
}

async function pickFile({ agent, guard }: Services, missing: boolean): Promise<LoggedFile | undefined> {
  const { library } = agent().attachments;
  const items: FileItem[] = [];
  for (const group of await library.groups()) {
    const fitting = await filter(group.files, async (file) => ((await library.blob(file)) === undefined) === missing);
    if (fitting.length === 0) continue;
    items.push({ label: plain(group.title), kind: vscode.QuickPickItemKind.Separator });
    for (const file of fitting) {
      items.push({ label: plain(nameOf(file)), description: fileSize(file.size, vscode.env.language), file });
    }
  }
  if (items.length === 0) return sayNone(guard);
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Attachments'),
    placeHolder: vscode.l10n.t('Choose a file'),
  });
  return chosen?.file;
}

async function groupOf({ agent, guard }: Services, argument: unknown): Promise<SessionGroup | undefined> {
  const groups = await agent().attachments.library.groups();
  if (groups.length === 0) return sayNone(guard);
  const given = isObject(argument) ? stringAt(argument['group'], 'sessionId') : undefined;
  if (given !== undefined) return groups.find(({ sessionId }) => sessionId === given);
  const items = groups.map((group) => ({
    label: plain(group.title),
    description: vscode.l10n.t('{0} files', group.files.length),
    group,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Save the files of which session?') });
  return chosen?.group;
}

async function filter<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const found = await Promise.all(items.map(holds));
  return items.filter((_, index) => found[index]);
}

/** A quick pick draws `$(name)` as an icon. */
function plain(text: string): string {
  return text.replace(/\$\(/g, '$\u200b(');
}

function sayNone(guard: Services['guard']): undefined {
  notify(guard, { text: vscode.l10n.t('There are no attachments yet.') });
}
