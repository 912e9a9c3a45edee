import * as vscode from 'vscode';
import type { BatchRecord, ItemOutcome, ItemState } from '../../core/batches/batchTypes.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import type { Guard } from '../guard.ts';
import type { Batches } from './batchTypes.ts';

export type BatchNode =
  | { readonly kind: 'batch'; readonly record: BatchRecord }
  | { readonly kind: 'item'; readonly record: BatchRecord; readonly item: ItemState }
  | { readonly kind: 'more'; readonly count: number };

/** A tree is no place for 100,000 lines: failures come first, and the rest is counted. */
const MOST_SHOWN = 2_000;

/** All batches, newest first, each with its items. Nothing is read or asked for before the view is open. */
export class BatchTree implements vscode.TreeDataProvider<BatchNode>, vscode.Disposable {
  readonly #batches: () => Batches;
  readonly #guard: Guard;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #subscription: { dispose(): void } | undefined;

  constructor(batches: () => Batches, guard: Guard) {
    this.#batches = batches;
    this.#guard = guard;
  }

  async getChildren(node?: BatchNode): Promise<BatchNode[]> {
    if (node?.kind === 'batch') return itemNodes(node.record);
    if (node) return [];
    this.#subscription ??= this.#batches().manager.onDidChange(() => this.#changed.fire(undefined));
    let records: readonly BatchRecord[] = [];
    await this.#guard('batches', async () => (records = await this.#batches().manager.records()));
    return records.map((record) => ({ kind: 'batch', record }));
  }

  getTreeItem(node: BatchNode): vscode.TreeItem {
    switch (node.kind) {
      case 'batch':
        return batchItem(node.record);
      case 'item':
        return itemItem(node.record, node.item);
      case 'more':
        return new vscode.TreeItem(vscode.l10n.t('… and {0} more', node.count));
    }
  }

  dispose(): void {
    this.#subscription?.dispose();
    this.#changed.dispose();
  }
}

function itemNodes(record: BatchRecord): BatchNode[] {
  const failed = record.items.filter(isFailed);
  const all = [...failed, ...record.items.filter((item) => !isFailed(item))];
  const nodes = all.slice(0, MOST_SHOWN).map((item): BatchNode => ({ kind: 'item', record, item }));
  return all.length > MOST_SHOWN ? [...nodes, { kind: 'more', count: all.length - MOST_SHOWN }] : nodes;
}

function isFailed({ outcome }: ItemState): boolean {
  return outcome !== undefined && outcome !== 'succeeded';
}

function batchItem(record: BatchRecord): vscode.TreeItem {
  const label = visibleText(record.title) || vscode.l10n.t('Batch');
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Collapsed);
  const failures = record.items.some(isFailed) || record.state === 'failed';
  const state = stateText(record);
  const at = new Date(record.createdAt).toLocaleString(vscode.env.language);
  item.id = `b:${record.id}`;
  item.description = state;
  item.tooltip = [label, state, record.failure?.message ?? '', record.template.model, at]
    .map(visibleText)
    .filter(Boolean)
    .join('\n');
  item.contextValue = `loopdock.batch.${record.state}${failures ? '.failures' : ''}`;
  item.iconPath = new vscode.ThemeIcon(iconOf(record, failures));
  item.accessibilityInformation = { label: `${label}, ${state}` };
  return item;
}

function iconOf({ state }: BatchRecord, failures: boolean): string {
  if (state === 'running' || state === 'submitting') return 'sync';
  return state === 'failed' ? 'error' : failures ? 'warning' : 'pass';
}

function stateText({ state, remote, items, failure }: BatchRecord): string {
  const succeeded = items.filter(({ outcome }) => outcome === 'succeeded').length;
  switch (state) {
    case 'submitting':
      return failure === undefined ? vscode.l10n.t('being submitted') : vscode.l10n.t('not known whether it arrived');
    case 'failed':
      return vscode.l10n.t('not submitted');
    case 'running':
      if (failure !== undefined) return vscode.l10n.t('running, but could not be asked for');
      return remote?.status === 'canceling'
        ? vscode.l10n.t('being cancelled')
        : items.length === 1
          ? vscode.l10n.t('1 request running')
          : vscode.l10n.t('{0} requests running', items.length);
    case 'ended':
      return vscode.l10n.t('{0} of {1} succeeded', succeeded, items.length);
  }
}

function itemItem(record: BatchRecord, item: ItemState): vscode.TreeItem {
  const label = visibleText(item.label).replace(/\s+/gu, ' ').slice(0, 200) || item.id;
  const node = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.None);
  const { text, icon } = outcomeOf(item.outcome);
  const detail = item.detail === undefined ? text : `${text}: ${visibleText(item.detail).slice(0, 300)}`;
  node.id = `i:${record.id}:${item.id}`;
  node.description = detail;
  // Plain text: what the API says may look like Markdown, and the tooltip must not become a link.
  node.tooltip = `${label}\n${detail}`;
  node.iconPath = new vscode.ThemeIcon(icon);
  node.contextValue = record.fetched === true ? 'loopdock.batchItem' : 'loopdock.batchItem.waiting';
  node.accessibilityInformation = { label: `${label}, ${detail}` };
  if (record.fetched === true) {
    const title = vscode.l10n.t('Open as Session');
    node.command = {
      command: 'loopdock.batches.open',
      title,
      arguments: [{ kind: 'item', record: { id: record.id }, item: { id: item.id } }],
    };
  }
  return node;
}

function outcomeOf(outcome: ItemOutcome | undefined): { readonly text: string; readonly icon: string } {
  switch (outcome) {
    case 'succeeded':
      return { text: vscode.l10n.t('done'), icon: 'pass' };
    case 'errored':
      return { text: vscode.l10n.t('failed'), icon: 'error' };
    case 'canceled':
      return { text: vscode.l10n.t('cancelled'), icon: 'circle-slash' };
    case 'expired':
      return { text: vscode.l10n.t('expired after 24 hours'), icon: 'watch' };
    case undefined:
      return { text: vscode.l10n.t('waiting'), icon: 'circle-outline' };
  }
}
