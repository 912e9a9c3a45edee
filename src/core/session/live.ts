import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiFailure } from '../errors.ts';
import type { ApprovalView, NoticeRow, Place, ToolBody, ToolStatus } from '../../protocol/rows.ts';
import type { LogEntry } from './entries.ts';

/** What the loop tells the view. `entry` is in the log already; all others are never logged. */
export type LiveEvent =
  | { readonly type: 'entry'; readonly entry: LogEntry }
  | { readonly type: 'blockStart'; readonly messageId: string; readonly index: number; readonly block: ContentBlock }
  | {
      readonly type: 'blockDelta';
      readonly messageId: string;
      readonly index: number;
      readonly field: 'text' | 'thinking' | 'input';
      readonly text: string;
    }
  | {
      readonly type: 'tool';
      readonly callId: string;
      readonly status: ToolStatus;
      readonly title?: string;
      readonly body?: ToolBody;
      readonly approval?: ApprovalView;
    }
  | { readonly type: 'toolOutput'; readonly callId: string; readonly text: string }
  | { readonly type: 'download'; readonly fileId: string; readonly callId: string; readonly name: string }
  | { readonly type: 'thumbnail'; readonly fileId: string; readonly thumbnail: string }
  /** A request failed and is tried again at `until` (epoch ms); `undefined` ends the notice. */
  | { readonly type: 'retry'; readonly until: number | undefined; readonly failure?: ApiFailure }
  /** A card that is there while something waits for its answer; `undefined` takes it away. */
  | { readonly type: 'card'; readonly id: string; readonly row: NoticeRow | undefined }
  /** The turn ended without an entry that says so (the log could not be written): nothing is left waiting. */
  | { readonly type: 'settled' }
  /** Something that is not in the log, such as a disk that refuses writes. */
  | {
      readonly type: 'notice';
      readonly id: string;
      readonly severity: 'info' | 'warning' | 'error';
      readonly title: string;
      readonly detail?: string;
    };

/** What it costs to read a conversation without the cache, for the rows that announce it. */
export interface ReadingCosts {
  /** In dollars; undefined where the price is not known. */
  toRead(model: string, tokens: number): string | undefined;
  /** Tokens that the next request begins with; 0 where nobody knows. */
  contextNow(): number;
}

/** How cards of tool calls are titled and filled; the tools of the session answer it. */
export interface ToolPresenter {
  /** For a client tool call that has not been prepared. Must not throw on any input. */
  clientTitle(name: string, input: unknown): string;
  serverCall(name: string, input: unknown): { readonly title: string; readonly body: ToolBody; readonly place: Place };
  serverResult(
    name: string,
    input: unknown,
    result: unknown,
  ): { readonly title: string; readonly body: ToolBody; readonly isError: boolean };
}
