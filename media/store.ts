import { applyOps } from '../src/protocol/applyOps.ts';
import type { ViewModel } from '../src/protocol/applyOps.ts';
import { parseToWebview } from '../src/protocol/check.ts';
import { PROTOCOL_VERSION } from '../src/protocol/messages.ts';
import type { FromWebview, SessionSummary, ToWebview } from '../src/protocol/messages.ts';
import type { Drops } from './drops.ts';

/** Something that happens once, told apart by `seq`. */
export interface Once {
  readonly seq: number;
  readonly text: string;
}

export interface View {
  /** Undefined until the first snapshot. */
  readonly model: ViewModel | undefined;
  /** Undefined until the host answered `session/list`. */
  readonly sessions: readonly SessionSummary[] | undefined;
  readonly announcement: Once;
  /** Text to put into the composer. */
  readonly draft: Once;
  /** Text for the place of the cursor. */
  readonly insert: Once;
  /** Grows whenever the composer should take the focus. */
  readonly focus: number;
  /** The host speaks another version of the protocol. */
  readonly stale: boolean;
}

export interface Store {
  view(): View;
  /** Takes a message of the host as it came. Never throws. */
  receive(message: unknown): void;
  /** `run` is called at most once per frame. Returns the end of the subscription. */
  subscribe(run: () => void): () => void;
}

export interface StoreDeps {
  readonly drops: Pick<Drops, 'give'>;
  post(message: FromWebview): void;
  /** Calls back with the next frame. */
  frame(run: () => void): void;
}

const nothing: View = {
  model: undefined,
  sessions: undefined,
  announcement: { seq: 0, text: '' },
  draft: { seq: 0, text: '' },
  insert: { seq: 0, text: '' },
  focus: 0,
  stale: false,
};

/** The copy of the host's view model, kept by snapshot and patches; a gap in `rev` asks for a new snapshot. */
export class ViewStore implements Store {
  readonly #deps: StoreDeps;
  readonly #listeners = new Set<() => void>();
  #view = nothing;
  #rev = 0;
  /** Patches are dropped until the snapshot that was asked for is there. */
  #waitingForSnapshot = true;
  #frameAsked = false;

  constructor(deps: StoreDeps) {
    this.#deps = deps;
  }

  view(): View {
    return this.#view;
  }

  receive(value: unknown): void {
    const message = parseToWebview(value);
    if (message) this.#dispatch(message);
    else this.#warn('the view got a message that it does not understand');
  }

  subscribe(run: () => void): () => void {
    this.#listeners.add(run);
    return () => this.#listeners.delete(run);
  }

  #dispatch(message: ToWebview): void {
    const view = this.#view;
    switch (message.type) {
      case 'snapshot':
        return this.#snapshot(message);
      case 'patch':
        return this.#patch(message);
      case 'sessions':
        return this.#change({ sessions: message.sessions });
      case 'draft':
        return this.#draft(message);
      case 'insert':
        return this.#change({ insert: { seq: view.insert.seq + 1, text: message.text } });
      case 'focus':
        return this.#change({ focus: view.focus + 1 });
      case 'dropWanted':
        return void this.#deps.drops.give(message.id, message.at);
      case 'announce':
        return this.#change({ announcement: { seq: view.announcement.seq + 1, text: message.text } });
    }
  }

  #snapshot({ v, rev, rows, state, focus }: Extract<ToWebview, { type: 'snapshot' }>): void {
    if (v !== PROTOCOL_VERSION) {
      this.#warn(`protocol ${v} in the host, ${PROTOCOL_VERSION} in the view`);
      return this.#change({ stale: true });
    }
    this.#rev = rev;
    this.#waitingForSnapshot = false;
    this.#change({ model: { rows, state }, stale: false, focus: this.#view.focus + (focus ? 1 : 0) });
  }

  #patch({ rev, ops }: Extract<ToWebview, { type: 'patch' }>): void {
    const { model } = this.#view;
    if (this.#waitingForSnapshot || !model) return;
    if (rev !== this.#rev + 1) {
      this.#waitingForSnapshot = true;
      return this.#deps.post({ type: 'resync' });
    }
    this.#rev = rev;
    this.#change({ model: applyOps(model, ops) });
  }

  #draft({ text, submit }: Extract<ToWebview, { type: 'draft' }>): void {
    const { draft, focus } = this.#view;
    if (!submit) this.#change({ draft: { seq: draft.seq + 1, text }, focus: focus + 1 });
    else if (text.trim() !== '') this.#deps.post({ type: 'prompt/submit', text });
  }

  #change(next: Partial<View>): void {
    this.#view = { ...this.#view, ...next };
    if (this.#frameAsked) return;
    this.#frameAsked = true;
    this.#deps.frame(() => {
      this.#frameAsked = false;
      for (const run of [...this.#listeners]) run();
    });
  }

  #warn(text: string): void {
    this.#deps.post({ type: 'log', level: 'warn', text });
  }
}
