import './dom.ts';
import { render } from 'preact';
import { PROTOCOL_VERSION } from '../../../src/protocol/messages.ts';
import type { FromWebview, Op, ViewState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { englishStrings } from '../../../src/protocol/strings.ts';
import { createDrops } from '../../../media/drops.ts';
import { App } from '../../../media/app.tsx';
import type { Services } from '../../../media/services.ts';
import { ViewStore } from '../../../media/store.ts';
import { state as plainState } from './sample.ts';

/** The whole view on a page of its own, with a clock and frames that the test moves. */
export interface Mounted {
  readonly root: HTMLElement;
  readonly sent: FromWebview[];
  /** Kept like `setState` of the editor does. */
  readonly saved: { draft: string };
  snapshot(rows: readonly Row[], state?: Partial<ViewState>, rev?: number): Promise<void>;
  patch(rev: number, ...ops: readonly Op[]): Promise<void>;
  receive(message: unknown): Promise<void>;
  /** Moves both clocks. */
  advance(ms: number): void;
  /** The element that matches; throws when there is none. */
  find(selector: string): HTMLElement;
  /** The text field that matches. */
  field(selector: string): HTMLTextAreaElement;
  /** The button with this name. */
  button(name: string): HTMLButtonElement;
  type(text: string): Promise<void>;
  key(target: HTMLElement, key: string, options?: KeyboardEventInit): Promise<KeyboardEvent>;
  click(target: HTMLElement): Promise<void>;
  settle(): Promise<void>;
  unmount(): void;
}

export function mount(options: { readonly draft?: string } = {}): Mounted {
  const root = document.body.appendChild(document.createElement('div'));
  const sent: FromWebview[] = [];
  const saved = { draft: options.draft ?? '' };
  let now = 1_000_000;
  const drops = createDrops((message) => sent.push(message));
  const services: Services = {
    strings: englishStrings,
    language: 'en',
    post: (message) => sent.push(message),
    drops,
    now: () => now,
    monotonic: () => now,
    loadDraft: () => saved.draft,
    saveDraft: (draft) => (saved.draft = draft),
  };
  const store = new ViewStore({ post: services.post, drops, frame: (run) => setTimeout(run, 0) });
  render(<App store={store} services={services} onDrawn={() => (root.dataset['ready'] = 'true')} />, root);
  const mounted: Mounted = {
    root,
    sent,
    saved,
    snapshot: (rows, changes = {}, rev = 0) =>
      mounted.receive({ type: 'snapshot', v: PROTOCOL_VERSION, rev, state: plainState(changes), rows }),
    patch: (rev, ...ops) => mounted.receive({ type: 'patch', rev, ops }),
    async receive(message) {
      store.receive(message);
      await settle();
    },
    advance: (ms) => (now += ms),
    find(selector) {
      const element = root.querySelector<HTMLElement>(selector);
      if (!element) throw new Error(`There is no ${selector} in ${root.innerHTML}`);
      return element;
    },
    field: (selector) => mounted.find(selector) as HTMLTextAreaElement,
    button(name) {
      const found = [...root.querySelectorAll('button')].find(
        (button) => (button.getAttribute('aria-label') ?? button.textContent.trim()) === name,
      );
      if (!found) throw new Error(`There is no button '${name}'`);
      return found;
    },
    async type(text) {
      const field = mounted.field('.composer-input');
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await settle();
    },
    async key(target, key, init = {}) {
      const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
      target.dispatchEvent(event);
      await settle();
      return event;
    },
    async click(target) {
      target.click();
      await settle();
    },
    settle,
    unmount() {
      render(null, root);
      root.remove();
    },
  };
  return mounted;
}

/** Lets frames, renders and effects run. Preact runs effects after the next frame. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
  await new Promise((resolve) => window.requestAnimationFrame(resolve));
  await new Promise((resolve) => setTimeout(resolve, 2));
}
