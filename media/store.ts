import { applyOps } from '../src/protocol/applyOps.ts';
import type { ViewModel } from '../src/protocol/applyOps.ts';
import { parseToWebview } from '../src/protocol/check.ts';
import { PROTOCOL_VERSION } from '../src/protocol/messages.ts';
import type { FromWebview, SessionSummary, ToWebview } from '../src/protocol/messages.ts';

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
  post(message: FromWebview): void;
  /** Calls back with the next frame. */
  frame(run: () => void): void;
}

/** The copy of the host's view model, kept by snapshot and patches; a gap in `rev` asks for a new snapshot. */
export function createStore({ post, frame }: StoreDeps): Store {
  let view: View = {
    model: undefined,
    sessions: undefined,
    announcement: { seq: 0, text: '' },
    draft: { seq: 0, text: '' },
    focus: 0,
    stale: false,
  };
  let rev = 0;
  /** Patches are dropped until the snapshot that was asked for is there. */
  let waitingForSnapshot = true;
  let frameAsked = false;
  const listeners = new Set<() => void>();

  function changed(next: Partial<View>): void {
    view = { ...view, ...next };
    if (frameAsked) return;
    frameAsked = true;
    frame(() => {
      frameAsked = false;
      for (const run of [...listeners]) run();
    });
  }

  function snapshot(message: Extract<ToWebview, { type: 'snapshot' }>): void {
    if (message.v !== PROTOCOL_VERSION) {
      post({ type: 'log', level: 'warn', text: `protocol ${message.v} in the host, ${PROTOCOL_VERSION} in the view` });
      return changed({ stale: true });
    }
    rev = message.rev;
    waitingForSnapshot = false;
    const model = { rows: message.rows, state: message.state };
    changed({ model, stale: false, focus: message.focus ? view.focus + 1 : view.focus });
  }

  function patch(message: Extract<ToWebview, { type: 'patch' }>): void {
    if (waitingForSnapshot || !view.model) return;
    if (message.rev !== rev + 1) {
      waitingForSnapshot = true;
      return post({ type: 'resync' });
    }
    rev = message.rev;
    changed({ model: applyOps(view.model, message.ops) });
  }

  function draft(message: Extract<ToWebview, { type: 'draft' }>): void {
    if (message.submit) {
      if (message.text.trim() !== '') post({ type: 'prompt/submit', text: message.text });
    } else changed({ draft: { seq: view.draft.seq + 1, text: message.text }, focus: view.focus + 1 });
  }

  function dispatch(message: ToWebview): void {
    switch (message.type) {
      case 'snapshot':
        return snapshot(message);
      case 'patch':
        return patch(message);
      case 'sessions':
        return changed({ sessions: message.sessions });
      case 'draft':
        return draft(message);
      case 'focus':
        return changed({ focus: view.focus + 1 });
      case 'announce':
        return changed({ announcement: { seq: view.announcement.seq + 1, text: message.text } });
    }
  }

  return {
    view: () => view,
    receive(value) {
      const message = parseToWebview(value);
      if (message) dispatch(message);
      else post({ type: 'log', level: 'warn', text: 'the view got a message that it does not understand' });
    },
    subscribe(run) {
      listeners.add(run);
      return () => listeners.delete(run);
    },
  };
}
