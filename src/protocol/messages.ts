import type { DroppedFile, InputUse, InputView, PieceOfFile, QueuedView } from './inputs.ts';
import type { Row } from './rows.ts';
import type { UsageView } from './usage.ts';

/** Both halves are built from one commit; a differing number means a stale webview, which then asks for a reload. */
export const PROTOCOL_VERSION = 1;

export type Mode = 'ask';

export interface ContainerView {
  readonly id: string;
  /** ISO 8601; the rolling value of the API, not the container's 30-day limit. */
  readonly expiresAt: string;
}

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  /** ISO 8601. */
  readonly updated: string;
}

/** Everything of the view that is not a row. Sent whole when it changes: it is small. */
export interface ViewState {
  readonly sessionId: string;
  readonly title: string;
  readonly busy: boolean;
  /** What the running turn waits for, in words: every wait is visible. */
  readonly phase: string;
  /** When that began, in epoch milliseconds; absent while no turn runs. */
  readonly phaseSince?: number;
  /** Approvals that wait for the user. */
  readonly waiting: number;
  readonly mode: Mode;
  readonly model: string;
  readonly models: readonly { readonly id: string; readonly label: string }[];
  readonly container: ContainerView | null;
  /** The conversation goes to the simulator: answers are scripted, there is no model. */
  readonly simulated: boolean;
  readonly trusted: boolean;
  readonly hasKey: boolean;
  /** This window only reads: another one writes this session. */
  readonly readOnly: boolean;
  /** Context used by the last request, in tokens, and the model's limit where known. */
  readonly contextTokens: number;
  readonly contextLimit: number | null;
  /** What the session used; null where nothing was used and nothing is foreseen. */
  readonly usage: UsageView | null;
  /** A prompt offered by one click in an empty session (the offline demo). */
  readonly suggestedPrompt: string;
  /** Messages typed while a turn runs; sent when it ends. */
  readonly queued: readonly QueuedView[];
  /** Files that go with the next message. */
  readonly inputs: readonly InputView[];
}

/** A change of the rows. `append` adds text to a streaming row's `text` (or to a terminal body's `output`). */
export type Op =
  | {
      readonly op: 'put';
      readonly row: Row;
      /** Insert before this row where `row.id` is new; at the end when absent. */ readonly before?: string;
    }
  | { readonly op: 'append'; readonly id: string; readonly field: 'text' | 'output'; readonly text: string }
  | { readonly op: 'remove'; readonly id: string }
  | { readonly op: 'state'; readonly state: ViewState };

export type ToWebview =
  | {
      readonly type: 'snapshot';
      readonly v: number;
      readonly rev: number;
      readonly state: ViewState;
      readonly rows: readonly Row[];
      /** True when the view should take the focus into the composer. */ readonly focus?: boolean;
    }
  | { readonly type: 'patch'; readonly rev: number; readonly ops: readonly Op[] }
  | { readonly type: 'sessions'; readonly sessions: readonly SessionSummary[] }
  | { readonly type: 'draft'; /** Text to put into the composer. */ readonly text: string; readonly submit?: boolean }
  | { readonly type: 'insert'; /** Text for the place of the cursor in the composer. */ readonly text: string }
  | { readonly type: 'focus' }
  | { readonly type: 'dropWanted'; /** Of a dropped file. */ readonly id: string; readonly at: number }
  | {
      readonly type: 'announce';
      /** For screen readers: one short sentence on a discrete event. */ readonly text: string;
    };

export type FromWebview =
  | { readonly type: 'ready'; readonly v: number }
  /** A gap in `rev` was seen. */
  | { readonly type: 'resync' }
  | { readonly type: 'prompt/submit'; readonly text: string }
  /** For the forecast; sent when typing pauses. */
  | { readonly type: 'composer/changed'; readonly text: string }
  /** `edit`: its files come back for the next message; otherwise they are dropped with it. */
  | { readonly type: 'prompt/unqueue'; readonly index: number; readonly edit?: boolean }
  /** An `@` was typed: asks which file it is about. */
  | { readonly type: 'input/mention' }
  /** Asks which files to attach. */
  | { readonly type: 'input/pick' }
  /** Files that were dropped onto the view. */
  | { readonly type: 'input/drop'; readonly uris: readonly string[] }
  /** Files from outside of the editor that were dropped; the host asks for their bytes with `dropWanted`. */
  | { readonly type: 'input/dropFiles'; readonly files: readonly DroppedFile[] }
  /** What was asked for; 'unreadable' also where nobody holds that file any more. */
  | { readonly type: 'input/dropPiece'; readonly id: string; readonly at: number; readonly data: PieceOfFile }
  | { readonly type: 'input/use'; readonly id: string; readonly use: InputUse }
  | { readonly type: 'input/remove'; readonly id: string }
  | { readonly type: 'turn/stop' }
  | { readonly type: 'turn/continue' }
  | { readonly type: 'session/new' }
  | { readonly type: 'session/list' }
  | { readonly type: 'session/open'; readonly id: string }
  | {
      readonly type: 'approval/answer';
      readonly id: string;
      readonly choice: 'allow' | 'deny';
      readonly message?: string;
    }
  | { readonly type: 'approval/openDiff'; readonly id: string }
  | { readonly type: 'attachment/open'; readonly fileId: string }
  | { readonly type: 'attachment/saveAs'; readonly fileId: string }
  | { readonly type: 'attachment/addToWorkspace'; readonly fileId: string }
  | { readonly type: 'attachment/retry'; readonly fileId: string }
  | { readonly type: 'notice/action'; readonly id: string; readonly action: string }
  /** `row` is the id of a row of the answer whose request is looked at. */
  | { readonly type: 'request/inspect'; readonly row: string }
  | { readonly type: 'model/choose' }
  | { readonly type: 'link/open'; readonly url: string }
  | { readonly type: 'terminal/show' }
  | { readonly type: 'log'; readonly level: 'warn' | 'error'; readonly text: string };
