import type { ContentBlockParam, Message } from '@anthropic-ai/sdk/resources/messages/messages';
import type { ApiFailure } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import type { SentFile } from '../session/entries.ts';

/** One request of a batch: what differs from item to item. */
export interface BatchItem {
  /** `custom_id`: `^[a-zA-Z0-9_-]{1,64}$`, unique in its batch. */
  readonly id: string;
  /** The file or row, as it is shown. */
  readonly label: string;
  readonly content: readonly ContentBlockParam[];
  /** What was asked, without the file. */
  readonly text: string;
  readonly files?: readonly SentFile[];
}

/** What all items have in common. */
export type BatchTemplate = Pick<ModelRequest, 'model' | 'maxTokens' | 'system' | 'tools' | 'betas'> &
  Partial<Pick<ModelRequest, 'thinking' | 'effort' | 'skills'>>;

export type ItemOutcome = 'succeeded' | 'errored' | 'canceled' | 'expired';

/** An item as the list shows it. */
export interface ItemState {
  readonly id: string;
  readonly label: string;
  /** Absent while the batch runs, and where its results do not name the item. */
  readonly outcome?: ItemOutcome;
  /** The API's words about an error, or why a succeeded answer is not whole. */
  readonly detail?: string;
  /** The session that it was opened as. */
  readonly sessionId?: string;
}

/** A batch as it is kept in the storage. */
export interface BatchRecord {
  readonly v: 1;
  /** Ours: there is none of the API's before it was submitted. */
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly title: string;
  /** Where it was submitted. */
  readonly baseUrl: string;
  readonly template: BatchTemplate;
  readonly items: readonly ItemState[];
  /** `submitting`: the request went out, and whether it arrived is not known yet. */
  readonly state: 'submitting' | 'running' | 'ended' | 'failed';
  /** ISO 8601: when the window that sends it last said that it is at it. `over`: it is no more. */
  readonly sending?: { readonly at: string; readonly over?: boolean };
  readonly remote?: RemoteBatch;
  /** The results are here. */
  readonly fetched?: true;
  readonly failure?: ApiFailure;
  /** The batch whose failures this one does again. */
  readonly retryOf?: string;
}

/** The API's `MessageBatch`, as far as it counts here. */
export interface RemoteBatch {
  readonly id: string;
  readonly status: 'in_progress' | 'canceling' | 'ended';
  readonly createdAt: string;
  readonly counts: Readonly<Record<ItemOutcome | 'processing', number>>;
}

/** One line of the results. */
export interface BatchResult {
  readonly id: string;
  readonly outcome: ItemOutcome;
  readonly message?: Message;
  readonly failure?: ApiFailure;
}

export interface BatchApi {
  /**
   * Sends the requests one by one, never all in memory. Not to be repeated by itself: a request that was lost on its way
   * may have begun a batch. Throws `ApiError` or `CancelledError`.
   */
  create(items: AsyncIterable<BatchItem>, template: BatchTemplate, signal: AbortSignal): Promise<RemoteBatch>;
  /** Throws `ApiError` (`not-found` for one of another workspace, or one that is gone). */
  get(id: string, signal: AbortSignal): Promise<RemoteBatch>;
  /** The newest ones. Throws `ApiError`. */
  list(signal: AbortSignal): Promise<readonly RemoteBatch[]>;
  /** Throws `ApiError`. */
  cancel(id: string, signal: AbortSignal): Promise<RemoteBatch>;
  /** The results as JSON Lines, chunk by chunk. Throws `ApiError`, also in the middle. */
  results(id: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface BatchStore {
  /** Newest first. Never rejects: what can't be read is left out. */
  list(): Promise<readonly BatchRecord[]>;
  /** Writes the items and then the record: a batch is there whole or not at all. Throws `UserError`. */
  create(record: BatchRecord, items: AsyncIterable<BatchItem>): Promise<void>;
  /** Reads, changes and writes the record, one after the other. Undefined where it is gone. Throws `UserError`. */
  update(id: string, change: (record: BatchRecord) => BatchRecord): Promise<BatchRecord | undefined>;
  items(id: string): AsyncIterable<BatchItem>;
  /** Under its final name only when it is whole. Throws `UserError`, or what the content throws. */
  storeResults(id: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Line by line. A line that can't be read is left out. */
  results(id: string): AsyncIterable<BatchResult>;
  remove(id: string): Promise<void>;
}
