import * as vscode from 'vscode';
import { isObject, stringAt } from '../../core/base/json.ts';
import type { Services } from '../services.ts';
import { BatchTree } from './batchTree.ts';
import type { Batches } from './batchTypes.ts';
import { BATCHES_VIEW } from './batchView.ts';

const batchCommands: Readonly<Record<string, (batches: Batches, id: string) => Promise<void>>> = {
  'loopdock.batches.cancel': (batches, id) => batches.cancel(id),
  'loopdock.batches.retry': (batches, id) => batches.retry(id),
  'loopdock.batches.forget': (batches, id) => batches.forget(id),
};

/** The tree of batches and its commands. */
export function registerBatches({ agent, guard }: Services): vscode.Disposable {
  const batches = () => agent().batches;
  const tree = new BatchTree(batches, guard);
  const view = vscode.window.createTreeView(BATCHES_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  view.onDidChangeVisibility(({ visible }) => visible && void guard('batches', () => batches().manager.refresh()));
  const command = (id: string, run: (argument: unknown) => unknown) =>
    vscode.commands.registerCommand(id, (argument?: unknown) => guard(id, () => run(argument)));
  return vscode.Disposable.from(
    view,
    tree,
    ...Object.entries(batchCommands).map(([id, run]) =>
      command(id, async (argument) => {
        const batchId = idAt(argument, 'record');
        if (batchId !== undefined) await run(batches(), batchId);
      }),
    ),
    command('loopdock.batches.open', async (argument) => {
      const [batchId, itemId] = [idAt(argument, 'record'), idAt(argument, 'item')];
      if (batchId !== undefined && itemId !== undefined) await batches().open(batchId, itemId);
    }),
    command('loopdock.batches.refresh', () => batches().manager.refresh(true)),
  );
}

/** Of an argument only the ids are taken: anybody can run a command with anything. */
function idAt(argument: unknown, key: string): string | undefined {
  return isObject(argument) ? stringAt(argument[key], 'id') : undefined;
}
