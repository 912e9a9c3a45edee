import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { signal } from '../../vscode/processes.ts';
import { startServer } from '../../vscode/server.ts';
import type { Server } from '../../vscode/server.ts';
import { Bridge } from './bridge.ts';
import { Chat } from './chat.ts';
import { screenshotsFolder, sharedEditor } from './editor.ts';
import { Problems } from './problems.ts';
import { fillWorkspace } from './workspace.ts';
import type { WorkspaceFiles } from './workspace.ts';

const START_TIMEOUT_MS = 60_000;

export interface WorkbenchOptions {
  /** Content of the folder to open: a literal, or a folder to copy. `null` opens a window without a folder. */
  readonly workspace?: WorkspaceFiles | string | null;
  /** Added to the extension host's environment: `simulator.env`, for example. Nothing else of ours gets there. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** User settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** False: Restricted Mode. Default true. */
  readonly trusted?: boolean;
}

export type ThemeKind = 'dark' | 'light' | 'highContrast' | 'highContrastLight';

const THEMES: Readonly<Record<ThemeKind, { readonly id: string; readonly bodyClass: string }>> = {
  dark: { id: 'Default Dark Modern', bodyClass: 'vscode-dark' },
  light: { id: 'Default Light Modern', bodyClass: 'vscode-light' },
  highContrast: { id: 'Default High Contrast', bodyClass: 'vscode-high-contrast' },
  highContrastLight: { id: 'Default High Contrast Light', bodyClass: 'vscode-high-contrast-light' },
};

const open = new Set<Workbench>();

/** Every workbench that is open, for what has to be done to each when a test has failed. */
export function openWorkbenches(): readonly Workbench[] {
  return [...open];
}

/**
 * Opens a VS Code window as a user has it: the packaged extension is installed, dialogs and toasts work. The folder is
 * a throw-away copy. About 7 s; close it in `suiteTeardown`.
 */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const { host, extensionsDir, browser } = await sharedEditor();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'loopdock-wb-')));
  const workspace = join(folder, 'workspace');
  if (options.workspace !== null) fillWorkspace(workspace, options.workspace ?? {});
  const socket = join(folder, 'bridge.sock');
  const bridge = new Bridge(socket);
  const server = await startServer({
    host,
    mode: 'ui',
    extensionsDir,
    ...(options.workspace === null ? {} : { workspace }),
    ...(options.settings ? { settings: options.settings } : {}),
    trusted: options.trusted ?? true,
    env: { ...options.env, LOOPDOCK_BRIDGE: socket },
  });
  const context = await browser.newContext({
    viewport: { width: 1400, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const workbench = new Workbench({ folder, workspace, server, bridge, context, page: await context.newPage() });
  open.add(workbench);
  try {
    await workbench.start();
  } catch (error) {
    await workbench.saveEvidence('start');
    await workbench.close();
    throw error;
  }
  return workbench;
}

/** Runs in the page: answers the one request that makes the key of VS Code's secret storage. */
function answerMintKey(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    return address.endsWith('/mint-key')
      ? Promise.resolve(new Response(new Uint8Array(32).fill(7)))
      : original(input, init);
  };
}

interface Parts {
  readonly folder: string;
  readonly workspace: string;
  readonly server: Server;
  readonly bridge: Bridge;
  readonly context: BrowserContext;
  readonly page: Page;
}

/** One VS Code window in a browser, with its own server. */
export class Workbench {
  /** Playwright's page: everything that this class has no word for. */
  readonly page: Page;
  /** Evaluates functions in the extension host. */
  readonly bridge: Bridge;
  /** Absolute, canonical path of the opened folder. */
  readonly workspace: string;
  /** The chat view. Lazy: using it before `openChat()` waits for a view that nobody opened. */
  readonly chat: Chat;
  readonly server: Server;
  readonly #parts: Parts;
  readonly #problems: Problems;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.page = parts.page;
    this.bridge = parts.bridge;
    this.workspace = parts.workspace;
    this.server = parts.server;
    this.chat = new Chat(parts.page);
    this.#problems = new Problems(parts.page);
  }

  /** Loads the page; called once by `openWorkbench`. */
  async start(): Promise<void> {
    // The server has no answer of its own; without a key, secrets would be gone with the next reload. In the page, since
    // a route would switch the browser's cache off, and VS Code would be compiled anew by each reload.
    await this.page.addInitScript(answerMintKey);
    // The transpiler of the suite wraps named functions in a call of `__name`.
    await this.page.addInitScript('globalThis.__name = (f) => f;');
    await this.page.goto(this.server.url);
    await this.ready(0);
  }

  /** Errors, warnings and CSP violations of the webview so far. A good run has none. */
  problems(): readonly string[] {
    return this.#problems.list();
  }

  /** Opens (or focuses) the chat view and waits until its script runs. */
  async openChat(): Promise<Chat> {
    await this.execute('loopdock.chat.focus');
    await this.chat.ready();
    return this.chat;
  }

  /** Runs a VS Code command by id in the extension host, without waiting for its end or its value. */
  async execute(command: string, ...args: readonly unknown[]): Promise<void> {
    await this.bridge.evaluate(
      (vscode, call) => {
        void vscode.commands.executeCommand(call.command, ...call.args);
      },
      { command, args },
    );
  }

  /** Runs a command by its palette title, as a user does, for example `Loopdock: New Session`. */
  async palette(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await this.#retry(async () => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press('F1');
      const input = this.page.locator('.quick-input-widget input.input');
      await input.waitFor({ timeout: 2000 });
      await input.fill(`>${title}`);
      await row.waitFor({ timeout: 3000 });
      await row.click({ timeout: 2000 });
    });
  }

  /** The open quick pick or input box of VS Code. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget');
  }

  /** The rows of an open quick pick that contain a text (case ignored). */
  quickPick(text: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  }

  /** Fills the open input box and confirms it. */
  async answerInput(text: string): Promise<void> {
    await this.page.locator('.quick-input-widget input.input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Clicks a button of the open modal dialog. */
  async dialogButton(label: string): Promise<void> {
    await this.page.locator('.monaco-dialog-box .monaco-button', { hasText: label }).click();
  }

  /** The toasts that contain a text. */
  toast(text: string): Locator {
    return this.page.locator('.notifications-toasts .notification-toast', { hasText: text });
  }

  /** The title of an editor tab. */
  tab(title: string): Locator {
    return this.page.locator('.tabs-container .tab', { hasText: title });
  }

  /** The integrated terminal's text as it is shown, line by line. Empty while no terminal is visible. */
  terminalText(): Promise<string> {
    // xterm draws on a canvas; the buffer is read where VS Code keeps it, by way of its own copy command.
    return this.bridge.evaluate(async (vscode) => {
      const before = await vscode.env.clipboard.readText();
      await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
      const text = await vscode.env.clipboard.readText();
      await vscode.env.clipboard.writeText(before);
      return text === before ? '' : text;
    });
  }

  /** Reloads the window: a new extension host; webview and session have to come back by themselves. */
  async reload(): Promise<void> {
    const before = this.bridge.connections;
    await this.page.reload();
    await this.ready(before);
  }

  /** `kill -9` of the extension host; returns when VS Code has started the next one. */
  async killExtensionHost(): Promise<void> {
    const before = this.bridge.connections;
    for (const { pid } of this.server.extensionHosts()) signal(pid, 'SIGKILL');
    await this.bridge.waitForConnection(before);
  }

  /** Switches the colour theme and waits until the chat view has it. */
  async setTheme(kind: ThemeKind): Promise<void> {
    const { id, bodyClass } = THEMES[kind];
    await this.bridge.evaluate(async (vscode, theme) => {
      await vscode.workspace
        .getConfiguration('workbench')
        .update('colorTheme', theme, vscode.ConfigurationTarget.Global);
    }, id);
    await this.chat.root.locator(`body.${bodyClass}`).waitFor();
  }

  /** The entry of a context menu. A menu goes away when the focus moves, as it may on a busy machine: then it is asked for again. */
  async contextMenu(target: Locator, entry: string): Promise<Locator> {
    const found = this.page.locator('.monaco-menu .action-label', { hasText: entry }).first();
    for (let left = 4; ; left--) {
      await target.click({ button: 'right' });
      try {
        await found.hover({ timeout: 6_000 });
        return found;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  /** Saves a picture of the window as `out/screenshots/<host>/<name>.png` and returns its path. */
  async screenshot(name: string): Promise<string> {
    const { host } = await sharedEditor();
    const path = join(screenshotsFolder(host), `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** What helps to understand a failure: a picture, the view's HTML, the webview's problems, the server's output. */
  async saveEvidence(name: string): Promise<void> {
    const safe = `failed-${name.replaceAll(/[^\w-]+/g, '-').slice(0, 80)}`;
    const picture = await this.screenshot(safe).catch(() => '(none)');
    const html = await this.chat.html().catch((error: unknown) => String(error));
    const text = [...this.problems(), '', this.server.tail(), '', html].join('\n');
    writeFileSync(picture.replace(/\.png$/, '.txt'), text);
    console.log(`      evidence: ${picture} and .txt beside it`);
  }

  /** Ends the window, its server and its files. Never throws. */
  async close(): Promise<void> {
    open.delete(this);
    await this.#parts.context.close().catch(() => undefined);
    this.bridge.close();
    this.server.stop();
    rmSync(this.#parts.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** Waits for a workbench whose extension host is newer than the first `connections` ones. */
  private async ready(connections: number): Promise<void> {
    await this.page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: START_TIMEOUT_MS });
    await this.bridge.waitForConnection(connections);
  }

  async #retry(action: () => Promise<void>, times = 4): Promise<void> {
    for (let left = times; ; left--) {
      try {
        await action();
        return;
      } catch (error) {
        if (left <= 1) throw error;
      }
    }
  }
}
