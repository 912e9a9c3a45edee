import { render } from 'preact';
import { PROTOCOL_VERSION } from '../src/protocol/messages.ts';
import type { FromWebview } from '../src/protocol/messages.ts';
import type { WebviewStrings } from '../src/protocol/strings.ts';
import { App } from './app.tsx';
import { createDrops } from './drops.ts';
import type { Services } from './services.ts';
import { ViewStore } from './store.ts';

/** What `acquireVsCodeApi()` returns. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** A broken view must not flood the log. */
const MAX_LOGGED_ERRORS = 20;

/** Starts the view in `window`: draws what the host sends, and sends what the user does. */
export function boot(window: Window & typeof globalThis, api: VsCodeApi): void {
  const { document } = window;
  const post = (message: FromWebview): void => api.postMessage(message);
  logErrors(window, post);
  const drops = createDrops(post);
  const services: Services = {
    strings: readStrings(document),
    language: document.documentElement.lang || 'en',
    post,
    drops,
    now: () => Date.now(),
    monotonic: () => performance.now(),
    loadDraft: () => draftOf(api.getState()),
    saveDraft: (draft) => api.setState({ draft }),
  };
  const store = new ViewStore({ post, drops, frame: (run) => window.requestAnimationFrame(run) });
  window.addEventListener('message', (event) => store.receive(event.data));
  const root = document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
  const onDrawn = (): void => void (document.documentElement.dataset['ready'] = 'true');
  render(<App store={store} services={services} onDrawn={onDrawn} />, root);
  post({ type: 'ready', v: PROTOCOL_VERSION });
}

function readStrings(document: Document): WebviewStrings {
  const text = document.getElementById('loopdock-strings')?.textContent;
  if (!text) throw new Error('The page has no strings');
  return JSON.parse(text) as WebviewStrings;
}

function draftOf(state: unknown): string {
  const draft = typeof state === 'object' && state !== null && 'draft' in state ? state.draft : '';
  return typeof draft === 'string' ? draft : '';
}

function logErrors(window: Window, post: Services['post']): void {
  let logged = 0;
  const log = (error: unknown): void => {
    if (logged++ >= MAX_LOGGED_ERRORS) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    post({ type: 'log', level: 'error', text: text.slice(0, 10_000) });
  };
  window.addEventListener('error', (event) => log(event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => log(event.reason));
}
