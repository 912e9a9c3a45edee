export interface EntryBase {
  readonly id: string;
  /** The entry before this one on its branch; null for the first. */
  readonly parentId: string | null;
  /** ISO 8601, UTC. Order is by position, never by this. */
  readonly at: string;
}

/** The counters of the API's `usage`, in disjoint buckets. Units: tokens; requests for the server tools. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly [other: string]: unknown;
}

/** What is known of the use of an answer that did not finish: its last counters, and so the least that it was. */
export interface UnfinishedUse {
  readonly model?: string;
  readonly usage?: Usage;
  readonly elsewhere?: true;
  readonly requestId?: string;
}
