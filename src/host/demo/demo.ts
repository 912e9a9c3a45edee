import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { scrubEnvironment } from '../../node/shell/scrubEnvironment.ts';
import type { Credentials } from '../credentials.ts';
import type { Guard } from '../guard.ts';
import type { Log } from '../log.ts';
import { notify } from '../notify.ts';
import type { RunningSimulator } from './simulatorProcess.ts';

/** What the sample project is made for; offered by one click while answers are simulated. */
export const DEMO_PROMPT = 'Fix the failing test, then chart the sales data';

const PENDING = 'demo.pending';

export interface DemoDeps {
  readonly context: vscode.ExtensionContext;
  readonly credentials: Credentials;
  readonly log: Log;
  readonly guard: Guard;
  /** The connection changed: what ran with one side makes no sense to the other, so a new session begins. */
  readonly onConnection: () => Promise<void>;
  readonly showView: () => Promise<void>;
}

/** The offline demo: this window talks to a simulator on loopback, and says so. */
export interface Demo extends vscode.Disposable {
  /** Starts it, or offers to end it. Opens the sample project where it isn't open. */
  start(): Promise<void>;
  /** Back to the real connection. False when it did not run. */
  stop(): Promise<boolean>;
  /** Starts it when this window was opened for it. */
  resume(): Promise<void>;
}

export function createDemo(deps: DemoDeps): Demo {
  const { context, credentials, log } = deps;
  const sample = context.asAbsolutePath('media/demo/workspace');
  let running: RunningSimulator | undefined;

  async function connect(): Promise<void> {
    running ??= await vscode.window.withProgress({ location: { viewId: 'loopdock.chat' } }, () =>
      launch(deps, (code) => void deps.guard('simulator exit', () => ended(code))),
    );
    credentials.useSimulator(running);
    log.info(`offline demo: simulated answers from ${running.url}`);
    await deps.onConnection();
    await deps.showView();
  }

  async function stop(): Promise<boolean> {
    if (!running) return false;
    const ending = running;
    running = undefined;
    credentials.useSimulator(undefined);
    ending.dispose();
    await deps.onConnection();
    return true;
  }

  /** It ended without being asked to. */
  async function ended(code: number | null): Promise<void> {
    if (!(await stop())) return;
    log.warn(`the simulator ended with ${String(code)}`);
    const text = vscode.l10n.t('The offline demo ended. Start it again to go on.');
    notify(deps.guard, { text, severity: 'warning' });
  }

  return {
    async start() {
      if (running) return offerEnd(stop, deps.guard);
      if ((await credentials.connection()).simulated) return deps.showView();
      const { copySample, isSample } = await import('./demoWorkspace.ts');
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      if (folder && (await isSample(sample, folder.fsPath))) return connect();
      const choice = await askWhere(folder !== undefined);
      if (choice === 'here') return connect();
      const parent = choice && (await parentFolder(choice, context));
      if (parent) await openSample(context, await copySample(sample, parent), folder !== undefined);
    },
    stop,
    async resume() {
      const pending = context.globalState.get<string>(PENDING);
      if (pending === undefined || vscode.workspace.workspaceFolders?.[0]?.uri.fsPath !== pending) return;
      await context.globalState.update(PENDING, undefined);
      await connect();
    },
    dispose: () => running?.dispose(),
  };
}

/** What starts processes and copies files is loaded with its first use: nobody's activation waits for it. */
async function launch({ context, credentials, log }: DemoDeps, onExit: (code: number | null) => void) {
  const { startSimulator } = await import('./simulatorProcess.ts');
  return startSimulator({
    script: context.asAbsolutePath('dist/simulator.js'),
    environment: scrubEnvironment(process.env, { credentials: credentials.known() }),
    onOutput: (line) => log.info(`simulator: ${line}`),
    onExit,
  });
}

type Where = 'storage' | 'choose' | 'here';

async function askWhere(folderIsOpen: boolean): Promise<Where | undefined> {
  const items: (vscode.QuickPickItem & { readonly where: Where })[] = [
    {
      label: vscode.l10n.t('Open the sample project'),
      detail: vscode.l10n.t('A fresh copy. When its window is open, show the Loopdock view.'),
      where: 'storage',
    },
    { label: vscode.l10n.t('Choose a folder for the sample project…'), where: 'choose' },
  ];
  if (folderIsOpen) {
    const detail = vscode.l10n.t('The scripted task expects the files of the sample project');
    items.push({ label: vscode.l10n.t('Connect without the sample project'), detail, where: 'here' });
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Start Offline Demo'),
    placeHolder: vscode.l10n.t('Simulated answers, no model and no key: a scripted task in a small project'),
  });
  return chosen?.where;
}

async function parentFolder(where: Where, context: vscode.ExtensionContext): Promise<string | undefined> {
  if (where === 'storage') return vscode.Uri.joinPath(context.globalStorageUri, 'demo').fsPath;
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Choose a folder for the sample project…'),
      openLabel: vscode.l10n.t('Copy It Here'),
      canSelectFiles: false,
      canSelectFolders: true,
      defaultUri: vscode.Uri.file(homedir()),
    })) ?? [];
  return chosen?.fsPath;
}

/** Opening a folder restarts the extension: the new window finds the note when its view opens. */
async function openSample(context: vscode.ExtensionContext, folder: string, newWindow: boolean): Promise<void> {
  await context.globalState.update(PENDING, folder);
  const uri = vscode.Uri.file(folder);
  await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: newWindow });
}

function offerEnd(stop: () => Promise<boolean>, guard: Guard): void {
  const action = { label: vscode.l10n.t('End Demo'), run: stop };
  notify(guard, { text: vscode.l10n.t('The offline demo runs: answers are simulated.'), action });
}
