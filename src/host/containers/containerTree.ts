import * as vscode from 'vscode';
import { CONTAINER_LIFE_MS, conditionOf, type ContainerCondition } from '../../core/agent/containerAge.ts';
import type { ContainerFacts, SessionContainers } from '../../core/agent/containers.ts';
import { fileSize } from '../../core/base/fileSize.ts';
import { visibleText } from '../../core/base/visibleText.ts';
import type { SentFile } from '../../core/session/entries.ts';
import type { SeenContainer } from '../../node/containers/containerScan.ts';
import type { Guard } from '../guard.ts';
import { ago, dollars } from './words.ts';

export const CONTAINERS_VIEW = 'loopdock.containers';

export type ContainerNode =
  | { readonly kind: 'container'; readonly facts: ContainerFacts }
  | { readonly kind: 'others'; readonly list: readonly SeenContainer[] }
  | { readonly kind: 'other'; readonly seen: SeenContainer; readonly title: string }
  | { readonly kind: 'input'; readonly container: string; readonly file: SentFile }
  | { readonly kind: 'output'; readonly container: string; readonly name: string; readonly index: number };

export interface ContainerTreeDeps {
  readonly containers: () => SessionContainers;
  /** Containers of the other sessions. */
  readonly others: () => Promise<readonly { readonly seen: SeenContainer; readonly title: string }[]>;
  /** The view is shown for the first time, or again. */
  readonly opened: () => void;
  readonly guard: Guard;
  readonly now: () => number;
}

/** The containers of the session that is shown, with the files in them, and those of other sessions to go on in. */
export class ContainerTree implements vscode.TreeDataProvider<ContainerNode>, vscode.Disposable {
  readonly #deps: ContainerTreeDeps;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  #others: readonly { readonly seen: SeenContainer; readonly title: string }[] = [];

  constructor(deps: ContainerTreeDeps) {
    this.#deps = deps;
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(node?: ContainerNode): Promise<ContainerNode[]> {
    if (node === undefined) return this.#roots();
    if (node.kind === 'others') return this.#others.map((other) => ({ kind: 'other', ...other }));
    return node.kind === 'container' ? filesOf(node.facts) : [];
  }

  getTreeItem(node: ContainerNode): vscode.TreeItem {
    const now = this.#deps.now();
    switch (node.kind) {
      case 'container':
        return containerItem(node.facts, now);
      case 'others':
        return othersItem(node.list);
      case 'other':
        return otherItem(node.seen, node.title, now);
      case 'input':
        return inputItem(node.container, node.file);
      case 'output':
        return outputItem(node.container, node.name, node.index);
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #roots(): Promise<ContainerNode[]> {
    this.#deps.opened();
    const { list } = this.#deps.containers().view();
    await this.#deps.guard('containers', async () => (this.#others = await this.#deps.others()));
    const own = new Set(list.map(({ id }) => id));
    this.#others = this.#others.filter(({ seen }) => !own.has(seen.id));
    const others = this.#others.map(({ seen }) => seen);
    return [
      ...list.map((facts) => ({ kind: 'container', facts }) as const),
      ...(others.length === 0 ? [] : [{ kind: 'others', list: others } as const]),
    ];
  }
}

function filesOf({ id, inputs, outputs }: ContainerFacts): ContainerNode[] {
  return [
    ...inputs.map((file) => ({ kind: 'input', container: id, file }) as const),
    ...outputs.map((name, index) => ({ kind: 'output', container: id, name, index }) as const),
  ];
}

function containerItem(facts: ContainerFacts, now: number): vscode.TreeItem {
  const { id, state, inputs, outputs } = facts;
  const some = inputs.length + outputs.length > 0;
  const collapsible = vscode.TreeItemCollapsibleState[some ? (state === 'current' ? 'Expanded' : 'Collapsed') : 'None'];
  const item = new vscode.TreeItem(shortId(id), collapsible);
  const condition = state === 'lost' ? 'gone' : conditionOf(facts, now);
  const words = [conditionText(condition, facts.used, now), ago(facts.since, now, 'age')];
  if (state === 'current') words.unshift(vscode.l10n.t('in use'));
  item.id = `c:${id}`;
  item.description = words.join(' · ');
  item.iconPath = new vscode.ThemeIcon(iconOf(condition, state === 'current'));
  item.contextValue = `loopdock.container.${state === 'current' ? 'current' : condition === 'gone' ? 'gone' : 'kept'}`;
  const tooltip = tooltipOf(facts, condition, now);
  item.tooltip = tooltip;
  // Who can't point at it hears what the tooltip says.
  item.accessibilityInformation = {
    label: [vscode.l10n.t('Container'), item.description, ...tooltip.split('\n')].join(', '),
  };
  return item;
}

/** Facts first; what is guessed says so. Plain text: nothing in it can become a link. */
function tooltipOf(facts: ContainerFacts, condition: ContainerCondition, now: number): string {
  const { id, since, used, expiresAt, ms, nano, state } = facts;
  const date = (at: number): string => new Date(at).toLocaleString(vscode.env.language);
  const expires = Date.parse(expiresAt);
  const cost = nano === 0 ? vscode.l10n.t('no cost') : vscode.l10n.t('at most {0}', dollars(nano));
  return [
    id,
    vscode.l10n.t('First seen: {0}', date(since)),
    vscode.l10n.t('Last used: {0} ({1})', date(used), conditionText(condition, used, now)),
    vscode.l10n.t('Deleted by Anthropic 30 days after it was made: {0} at the latest', date(since + CONTAINER_LIFE_MS)),
    Number.isNaN(expires) ? '' : vscode.l10n.t('Kept ready until {0}; each use moves that', date(expires)),
    vscode.l10n.t('Code ran for {0} s; estimated: {1}', Math.ceil(ms / 1000), cost),
    state === 'lost' ? vscode.l10n.t('Anthropic refused it: what was made in it is gone.') : '',
  ]
    .filter(Boolean)
    .join('\n');
}

function othersItem(list: readonly SeenContainer[]): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Other sessions'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = 'others';
  item.description = String(list.length);
  return item;
}

function otherItem(seen: SeenContainer, title: string, now: number): vscode.TreeItem {
  const item = new vscode.TreeItem(shortId(seen.id), vscode.TreeItemCollapsibleState.None);
  const condition = conditionOf(seen, now);
  item.id = `o:${seen.id}`;
  item.description = [visibleText(title), conditionText(condition, seen.used, now)].join(' · ');
  item.iconPath = new vscode.ThemeIcon(iconOf(condition, false));
  item.contextValue = condition === 'gone' ? 'loopdock.container.gone' : 'loopdock.container.kept';
  item.tooltip = `${seen.id}\n${visibleText(title)}`;
  return item;
}

function inputItem(container: string, { name, size }: SentFile): vscode.TreeItem {
  const item = new vscode.TreeItem(visibleText(name), vscode.TreeItemCollapsibleState.None);
  const said = vscode.l10n.t('from you, {0}', fileSize(size, vscode.env.language));
  item.id = `i:${container}:${name}`;
  item.description = said;
  item.iconPath = new vscode.ThemeIcon('cloud-upload');
  item.tooltip = `${visibleText(name)}\n${said}`;
  return item;
}

function outputItem(container: string, name: string, index: number): vscode.TreeItem {
  const shown = visibleText(name) || vscode.l10n.t('Unnamed file');
  const item = new vscode.TreeItem(shown, vscode.TreeItemCollapsibleState.None);
  item.id = `f:${container}:${String(index)}`;
  item.description = vscode.l10n.t('from Claude');
  item.iconPath = new vscode.ThemeIcon('cloud-download');
  item.tooltip = `${shown}\n${item.description}`;
  return item;
}

/** Ids are long and alike at their beginning. */
function shortId(id: string): string {
  const plain = visibleText(id);
  return plain.length > 24 ? `…${plain.slice(-12)}` : plain;
}

function conditionText(condition: ContainerCondition, used: number, now: number): string {
  switch (condition) {
    case 'gone':
      return vscode.l10n.t('gone');
    case 'awake':
      return vscode.l10n.t('awake');
    case 'asleep':
      return vscode.l10n.t('asleep for {0}', ago(used, now, 'plain'));
  }
}

function iconOf(condition: ContainerCondition, current: boolean): string {
  if (condition === 'gone') return 'circle-slash';
  return current ? 'vm-active' : 'vm-outline';
}
