import type { SentFileView } from './inputs.ts';

/** View models: what the transcript shows, as plain data. The host computes them; the webview only draws them. */

/** Where something ran: this machine, or Anthropic's container. Always shown. */
export type Place = 'local' | 'container' | 'server';

export type ToolStatus =
  | 'streaming' // the input is still being written
  | 'queued'
  | 'preparing'
  | 'approval' // waits for the user
  | 'running'
  | 'done'
  | 'error'
  | 'denied'
  | 'cancelled';

/** One hunk of a diff. `lines` start with ' ', '+' or '-'. Line numbers are 1-based. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** The few kinds of body that a tool card can have. */
export type ToolBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string; readonly language?: string }
  | {
      readonly kind: 'diff';
      readonly path: string;
      readonly added: number;
      readonly removed: number;
      readonly hunks: readonly Hunk[];
      readonly truncated?: boolean;
      readonly note?: string;
    }
  | {
      readonly kind: 'terminal';
      readonly command: string;
      readonly output: string;
      readonly exitCode?: number | null;
      readonly durationMs?: number;
      readonly cwd?: string;
      readonly truncated?: boolean;
      readonly note?: string;
    }
  | { readonly kind: 'json'; readonly json: string }
  /** `src`: a data: URI of a raster image. */
  | { readonly kind: 'image'; readonly src: string; readonly name: string }
  | {
      readonly kind: 'links';
      readonly links: readonly LinkItem[];
      /** The text behind the links, as Claude got it. */
      readonly text?: string;
      readonly note?: string;
    };

export interface LinkItem {
  readonly title: string;
  readonly url: string;
  /** Beside the link, such as the age of the page. */
  readonly note?: string;
}

/** A source that an answer cites. */
export interface SourceView {
  /** As in the text, from 1 in each turn. */
  readonly number: number;
  readonly title: string;
  /** Absent where the source is no page. */
  readonly url?: string;
  /** What it says, as far as it was cited. */
  readonly cited: string;
}

/** A choice on an approval card. `allow` and `deny` end it; `denyWithMessage` asks for a text first. */
export interface ApprovalChoice {
  readonly id: 'allow' | 'deny' | 'denyWithMessage';
  readonly label: string;
}

export interface ApprovalView {
  /** Random, single use; the host holds the table. */
  readonly id: string;
  readonly question: string;
  /** Which rule made it ask, in words. */
  readonly rule: string;
  readonly choices: readonly ApprovalChoice[];
  /** Only the first of the waiting cards is live. */
  readonly live: boolean;
  /** The native diff can be opened again. */
  readonly canOpenDiff: boolean;
}

export interface UserRow {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  readonly files?: readonly SentFileView[];
}

export interface TextRow {
  readonly kind: 'text';
  readonly id: string;
  readonly model: string;
  /** Markdown. */
  readonly text: string;
  readonly streaming: boolean;
  /** Shown, but not part of the conversation any more: 'not sent to Claude'. */
  readonly notSent?: boolean;
  /** Set on the first row of an answer. */
  readonly first?: boolean;
  /** What the text cites, in the order of its numbers. */
  readonly sources?: readonly SourceView[];
}

export interface ThinkingRow {
  readonly kind: 'thinking';
  readonly id: string;
  readonly text: string;
  readonly streaming: boolean;
}

export interface ToolRow {
  readonly kind: 'tool';
  readonly id: string;
  readonly callId: string;
  /** The API's tool name, such as `bash`. */
  readonly tool: string;
  /** One line, for example `Edit src/sum.ts`. */
  readonly title: string;
  readonly place: Place;
  readonly status: ToolStatus;
  readonly body: ToolBody;
  readonly approval?: ApprovalView;
  readonly notSent?: boolean;
  /** Called by code in the container: shown under the card of that code. */
  readonly nested?: true;
}

/** `deleted`: on this computer, and it can be fetched again; `gone`: at Anthropic too. */
export type AttachmentState = 'downloading' | 'stored' | 'failed' | 'deleted' | 'gone';

export interface AttachmentRow {
  readonly kind: 'attachment';
  readonly id: string;
  readonly fileId: string;
  /** Shown escaped; never used as a path. */
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly state: AttachmentState;
  readonly failure?: string;
  /** A small raster image, ready for `<img>` (data: URI with a sniffed type); absent for everything else. */
  readonly thumbnail?: string;
  /** Of a picture: the file that the same command wrote its numbers into. */
  readonly dataFileId?: string;
}

export interface NoticeAction {
  readonly id:
    | 'retry'
    | 'continue'
    | 'setApiKey'
    | 'openSettings'
    | 'showLog'
    | 'newSession'
    | 'manageTrust'
    | 'cancelRetry'
    | 'startDemo'
    | 'budgetOnce'
    | 'budgetRaise'
    | 'budgetStop'
    | 'tryAnotherModel'
    | 'removeItems'
    | 'openRules'
    | 'inspectRequest'
    | 'compact';
  readonly label: string;
}

/** Errors, retries, limits and interruptions are cards in the transcript. */
export interface NoticeRow {
  readonly kind: 'notice';
  readonly id: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly actions: readonly NoticeAction[];
  /** A retry that is under way: epoch milliseconds of the next attempt. */
  readonly until?: number;
  /** URIs of the files that it is about; the host opens them. */
  readonly files?: readonly string[];
  /** A long text behind the notice, shown on request. */
  readonly more?: string;
  /** The turn waits for one of the actions. */
  readonly asks?: true;
}

export type Row = UserRow | TextRow | ThinkingRow | ToolRow | AttachmentRow | NoticeRow;
