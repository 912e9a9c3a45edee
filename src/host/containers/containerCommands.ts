import { join } from 'node:path';
import * as vscode from 'vscode';
import { CONTAINER_LIFE_MS } from '../../core/agent/containerAge.ts';
import { isObject, stringAt } from '../../core/base/json.ts';
import { CancelledError, UserError } from '../../core/errors.ts';
import { scanContainers, type SeenContainer } from '../../node/containers/containerScan.ts';
import type { Services } from '../services.ts';
import { ContainerTree, CONTAINERS_VIEW } from './containerTree.ts';

/** Ages are shown in minutes. */
const REFRESH_MS = 60_000;

/** The view of containers, and what can be done with them. */
export function registerContainers(services: Services): vscode.Disposable {
  const { agent, guard } = services;
  const watch = createWatch(services, () => view.visible && tree.refresh());
  const tree: ContainerTree = new ContainerTree({
    opened: watch.start,
    containers: () => agent().controller.containers,
    others: () => otherContainers(services),
    guard,
    now: () => Date.now(),
  });
  const view = vscode.window.createTreeView(CONTAINERS_VIEW, { treeDataProvider: tree });
  const timer = setInterval(() => view.visible && tree.refresh(), REFRESH_MS);
  const command = (id: string, run: (argument: unknown) => unknown) =>
    vscode.commands.registerCommand(id, (argument?: unknown) => guard(id, () => run(argument)));
  return vscode.Disposable.from(
    view,
    tree,
    watch,
    view.onDidChangeVisibility(({ visible }) => visible && tree.refresh()),
    new vscode.Disposable(() => clearInterval(timer)),
    command('loopdock.containers.new', () => choose(services, null)),
    command('loopdock.containers.continue', async (argument) =>
      choose(services, await containerOf(services, argument)),
    ),
    command('loopdock.containers.copyId', async (argument) => {
      const { id } = await containerOf(services, argument);
      await vscode.env.clipboard.writeText(id);
    }),
  );
}

/** Watches the agent from when the view was first open: nothing of it is made for a view that is closed. */
function createWatch({ agent }: Services, changed: () => void): vscode.Disposable & { start(): void } {
  let watching: { dispose(): void } | undefined;
  let last = '';
  const start = (): void => {
    const { controller } = agent();
    watching ??= controller.onPatch(({ ops }) => {
      const news = ops.some((op) => op.op === 'put' && (op.row.kind === 'attachment' || op.row.kind === 'notice'));
      const { sessionId, container } = controller.snapshot().state;
      const now = JSON.stringify([sessionId, container]);
      if (!news && now === last) return;
      last = now;
      changed();
    });
  };
  return { start, dispose: () => watching?.dispose() };
}

async function choose({ agent, view }: Services, container: SeenContainer | null): Promise<void> {
  await agent().started;
  await agent().controller.containers.choose(container);
  await view.reveal();
}

/** Containers of the other sessions that can still be there. */
async function otherContainers({ agent, context }: Services) {
  const { controller } = agent();
  const dir = join(context.globalStorageUri.fsPath, 'sessions');
  const seen = await scanContainers(dir, Date.now() - CONTAINER_LIFE_MS);
  const titles = new Map((await controller.sessions()).map(({ id, title }) => [id, title] as const));
  const current = controller.snapshot().state.sessionId;
  return seen
    .filter(({ sessionId }) => sessionId !== current)
    .map((each) => ({ seen: each, title: titles.get(each.sessionId) ?? '' }));
}

/** Ids are looked up in our own logs: anybody can run a command with anything. Throws `UserError`. */
async function containerOf(services: Services, argument: unknown): Promise<SeenContainer> {
  const known = await allContainers(services);
  const given = isObject(argument)
    ? (stringAt(argument['facts'], 'id') ?? stringAt(argument['seen'], 'id'))
    : undefined;
  const found = given === undefined ? await pick(known) : known.find(({ id }) => id === given);
  if (found) return found;
  throw new UserError(
    given === undefined
      ? vscode.l10n.t('There is no container yet. One begins with the first code that Claude runs.')
      : vscode.l10n.t('No session of yours has this container.'),
  );
}

async function allContainers(services: Services): Promise<readonly SeenContainer[]> {
  const { controller } = services.agent();
  const { sessionId } = controller.snapshot().state;
  const own = controller.containers
    .view()
    .list.filter(({ state }) => state !== 'lost')
    .map(({ id, since, used, expiresAt }) => ({ sessionId, id, since, used, expiresAt }));
  return [...own, ...(await otherContainers(services)).map(({ seen }) => seen)];
}

async function pick(known: readonly SeenContainer[]): Promise<SeenContainer | undefined> {
  if (known.length === 0) return undefined;
  const items = known.map((container) => ({
    label: container.id,
    description: new Date(container.used).toLocaleString(vscode.env.language),
    container,
  }));
  const title = vscode.l10n.t('Continue in Which Container?');
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen) return chosen.container;
  throw new CancelledError();
}
