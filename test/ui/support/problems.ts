import type { ConsoleMessage, Page } from 'playwright-core';

/** VS Code's own scripts and files; a webview's frame page is among them, but what happens in it is the webview's. */
const WORKBENCH = /\/static\/(?!out\/vs\/workbench\/contrib\/webview\/)|\/_static\//;

/** What every window of this server logs, whatever is installed. */
const NOISE = [
  // Chromium's remark about the frame that VS Code makes for every webview.
  /^An iframe which has both allow-scripts and allow-same-origin/,
  // The service worker of code-server's own front end, which the bare server lacks.
  /^A bad HTTP response code \(404\) was received when fetching the script/,
  // The terminal's drawing on a machine without a graphics card.
  /GL Driver Message/,
];

/** What the webview must not do: console errors and warnings, uncaught errors, violations of its CSP. */
export class Problems {
  readonly #found: string[] = [];

  constructor(page: Page) {
    page.on('console', (message) => {
      if (isProblem(message)) this.#found.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => {
      const text = error.stack ?? error.message;
      if (!WORKBENCH.test(text)) this.#found.push(`uncaught: ${text}`);
    });
  }

  /** All problems since the page was opened, in order. */
  list(): readonly string[] {
    return this.#found;
  }
}

function isProblem(message: ConsoleMessage): boolean {
  if (message.type() !== 'error' && message.type() !== 'warning') return false;
  const text = message.text();
  return !WORKBENCH.test(message.location().url) && !NOISE.some((noise) => noise.test(text));
}
