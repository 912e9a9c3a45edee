import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { chatPage } from '../../../src/host/chat/html.ts';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import type { FromWebview, ToWebview } from '../../../src/protocol/messages.ts';
import { englishStrings } from '../../../src/protocol/strings.ts';
import { findChromium } from '../../vscode/chromium.ts';
import type { Scene } from './scenes.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];
const TYPES: Readonly<Record<string, string>> = {
  '/webview.js': 'text/javascript',
  '/webview.css': 'text/css',
  '/codicon.ttf': 'font/ttf',
};

export const themes = { dark: 'vscode-dark', light: 'vscode-light', highContrast: 'vscode-high-contrast' } as const;
export type Theme = keyof typeof themes;

export interface Harness {
  open(options?: OpenOptions): Promise<View>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** The view in a browser page, as the editor would run it: same page, same policy, its theme's variables. */
export interface View {
  readonly page: Page;
  /** What went wrong in the page: policy violations, console errors, exceptions, requests to elsewhere. */
  readonly faults: readonly string[];
  send(message: ToWebview): Promise<void>;
  show(scene: Scene): Promise<void>;
  sent(): Promise<readonly FromWebview[]>;
  close(): Promise<void>;
}

/** Builds the webview, serves it on loopback and starts one browser. */
export async function startHarness(): Promise<Harness> {
  execFileSync(process.execPath, ['esbuild.js', '--production', '--only=webview'], { cwd: ROOT });
  const server = await serve();
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await chromium.launch({ executablePath: findChromium(), args: FLAGS });
  return {
    open: (options = {}) => openView(browser, origin, options),
    async close() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const type = TYPES[path];
    if (type) response.setHeader('content-type', type).end(readFileSync(join(ROOT, 'dist', path)));
    else if (path === '/') response.setHeader('content-type', 'text/html').end(page(`http://${request.headers.host}`));
    else response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function page(origin: string): string {
  return chatPage({
    cspSource: origin,
    nonce: randomBytes(16).toString('base64url'),
    scriptUri: `${origin}/webview.js`,
    styleUri: `${origin}/webview.css`,
    language: 'en',
    title: 'Loopdock',
    strings: englishStrings,
  });
}

async function openView(browser: Browser, origin: string, options: OpenOptions): Promise<View> {
  const { theme = 'dark', width = 340, height = 760 } = options;
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: 2 });
  const tab = await context.newPage();
  const faults: string[] = [];
  tab.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  tab.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`));
  tab.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) {
      faults.push(`request: ${request.url()}`);
    }
  });
  tab.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // The test runner's compiler wraps named functions in this helper.
  await tab.addInitScript('globalThis.__name = (named) => named');
  await tab.addInitScript(actAsEditor, { variables: variablesOf(theme), bodyClass: themes[theme] });
  await tab.goto(`${origin}/`);
  const view: View = {
    page: tab,
    faults,
    send: (message) => tab.evaluate((data) => window.postMessage(data, '*'), message),
    async show(scene) {
      await view.send({ type: 'snapshot', v: PROTOCOL_VERSION, rev: 0, ...scene });
      await tab.waitForSelector('html[data-ready="true"]', { state: 'attached' });
      await tab.evaluate(() => document.fonts.ready);
      await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    },
    sent: () => tab.evaluate(() => (window as unknown as { sent: FromWebview[] }).sent),
    close: () => context.close(),
  };
  return view;
}

function variablesOf(theme: Theme): Readonly<Record<string, string>> {
  const colours = JSON.parse(readFileSync(join(import.meta.dirname, 'themes', `${theme}.json`), 'utf8')) as Record<
    string,
    string
  >;
  return {
    ...colours,
    '--vscode-font-family': 'system-ui, "Ubuntu", "Droid Sans", sans-serif',
    '--vscode-font-size': '13px',
    '--vscode-font-weight': 'normal',
    '--vscode-editor-font-family': '"Droid Sans Mono", monospace',
    '--vscode-editor-font-size': '12px',
    '--text-link-decoration': 'none',
  };
}

interface Editor {
  readonly variables: Readonly<Record<string, string>>;
  readonly bodyClass: string;
}

/** Runs in the page before its own script: what VS Code puts into a webview (API, variables, body class, default styles). */
function actAsEditor({ variables, bodyClass }: Editor): void {
  const global = window as unknown as Record<string, unknown>;
  const sent: unknown[] = [];
  global['sent'] = sent;
  let state: unknown = JSON.parse(sessionStorage.getItem('state') ?? 'null');
  global['acquireVsCodeApi'] = () => ({
    postMessage: (message: unknown) => sent.push(message),
    getState: () => state,
    setState(next: unknown) {
      state = next;
      sessionStorage.setItem('state', JSON.stringify(next));
    },
  });
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
  });
  document.addEventListener('DOMContentLoaded', () => {
    for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
    document.body.classList.add(bodyClass);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@layer vscode-default {
      html { scrollbar-color: var(--vscode-scrollbarSlider-background) var(--vscode-editor-background); }
      body { background-color: transparent; color: var(--vscode-editor-foreground); margin: 0; padding: 0 20px; }
      img { max-width: 100%; max-height: 100%; }
      a, a code { color: var(--vscode-textLink-foreground); }
      code { color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
      blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
    }`);
    document.adoptedStyleSheets = [sheet];
  });
}
