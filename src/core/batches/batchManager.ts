import * as l10n from '@vscode/l10n';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { ApiError, CancelledError, messageOf, UserError, type ApiFailure } from '../errors.ts';
import type { Clock, Ids, Logger } from '../ports.ts';
import { stateOf } from './batchResult.ts';
import type {
  BatchApi,
  BatchItem,
  BatchRecord,
  BatchResult,
  BatchStore,
  BatchTemplate,
  ItemState,
} from './batchTypes.ts';

/** What is submitted. */
export interface BatchPlan {
  readonly title: string;
  readonly baseUrl: string;
  readonly template: BatchTemplate;
  /** Ids and labels of what `contents` yields. */
  readonly items: readonly Pick<ItemState, 'id' | 'label'>[];
  readonly contents: AsyncIterable<BatchItem>;
  readonly retryOf?: string;
}

/** Batches from their submission to their results, over restarts: all that is known of them is in the store. */
export interface BatchManager extends Disposable {
  readonly onDidChange: Event<void>;
  records(): Promise<readonly BatchRecord[]>;
  /** Resolves when the API has the batch. Throws `UserError`, `ApiError` or `CancelledError`; what was stored stays. */
  submit(plan: BatchPlan, signal: AbortSignal): Promise<BatchRecord>;
  /**
   * Asks for every batch that is not through; from then on by itself, until they are. `gone`: also for those that the API did
   * not know last time, as it is with another key. Never rejects.
   */
  refresh(gone?: boolean): Promise<void>;
  /** Throws `UserError` or `ApiError`. */
  cancel(id: string): Promise<void>;
  /** A plan that does again what failed, was cancelled or expired. Throws `UserError` where nothing did. */
  failures(id: string): Promise<BatchPlan>;
  /** An item and what came of it. Throws `UserError` while there is nothing. */
  item(id: string, itemId: string): Promise<{ readonly item: BatchItem; readonly result: BatchResult }>;
  noteSession(id: string, itemId: string, sessionId: string): Promise<void>;
  /** Forgets a batch here; at Anthropic it stays until it expires. Throws `UserError` while it runs. */
  forget(id: string): Promise<void>;
}

export interface BatchManagerDeps {
  readonly api: BatchApi;
  readonly store: BatchStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Where requests go now: a batch is only asked for where it was submitted. */
  readonly baseUrl: () => Promise<string>;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
/** A batch that the API does not list by then did not arrive. */
const ARRIVES_WITHIN_MS = 2 * 60_000;
/** Two clocks may differ by so much. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function createBatchManager(deps: BatchManagerDeps): BatchManager {
  return new Manager(deps);
}

class Manager implements BatchManager {
  readonly #deps: BatchManagerDeps;
  readonly #changed: Emitter<void>;
  readonly #abort = new AbortController();
  #wait = FIRST_WAIT_MS;
  #timer: Disposable | undefined;
  #refreshing: Promise<void> | undefined;
  /** Batches that this window is just sending. */
  readonly #sending = new Set<string>();

  constructor(deps: BatchManagerDeps) {
    this.#deps = deps;
    this.#changed = new Emitter((error) => deps.logger.error('A listener failed', error));
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  records(): Promise<readonly BatchRecord[]> {
    return this.#deps.store.list();
  }

  async submit(plan: BatchPlan, signal: AbortSignal): Promise<BatchRecord> {
    const { api, store, clock, ids } = this.#deps;
    const { contents, ...facts } = plan;
    const id = ids.random();
    const createdAt = new Date(clock.now()).toISOString();
    const record: BatchRecord = { v: 1, id, createdAt, ...facts, state: 'submitting' };
    this.#sending.add(id);
    try {
      await store.create(record, until(contents, signal));
      this.#changed.fire();
      const remote = await api.create(store.items(id), plan.template, signal);
      const running = await this.#change(id, (before) => ({ ...before, state: 'running', remote }));
      return running ?? { ...record, state: 'running', remote };
    } catch (error) {
      await this.#notSubmitted(id, error);
      throw error;
    } finally {
      this.#sending.delete(id);
      this.#soon();
    }
  }

  refresh(gone = false): Promise<void> {
    this.#refreshing ??= this.#refreshAll(gone).finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async cancel(id: string): Promise<void> {
    const record = await this.#find(id);
    if (record.remote === undefined || record.state !== 'running')
      throw new UserError(l10n.t('The batch does not run, so there is nothing to cancel.'));
    const remote = await this.#deps.api.cancel(record.remote.id, this.#abort.signal);
    await this.#change(id, (before) => (before.state === 'running' ? { ...before, remote } : before));
    this.#soon();
  }

  async failures(id: string): Promise<BatchPlan> {
    const { title, template, items, baseUrl, state } = await this.#find(id);
    const failed = items.filter(({ outcome }) => outcome !== 'succeeded');
    if (state === 'running' || state === 'submitting' || failed.length === 0)
      throw new UserError(l10n.t('Nothing in this batch failed.'));
    const wanted = new Set(failed.map((item) => item.id));
    return {
      ...{ title, template, baseUrl, retryOf: id },
      items: failed.map((item) => ({ id: item.id, label: item.label })),
      contents: only(this.#deps.store.items(id), wanted),
    };
  }

  async item(id: string, itemId: string): Promise<{ readonly item: BatchItem; readonly result: BatchResult }> {
    const record = await this.#find(id);
    if (record.fetched !== true) throw new UserError(l10n.t('The batch has no results yet.'));
    const item = await firstOf(this.#deps.store.items(id), itemId);
    if (item === undefined) throw new UserError(l10n.t('What was asked there is not stored here any more.'));
    const result = (await firstOf(this.#deps.store.results(id), itemId)) ?? lost(itemId);
    return { item, result };
  }

  async noteSession(id: string, itemId: string, sessionId: string): Promise<void> {
    await this.#change(id, (record) => ({
      ...record,
      items: record.items.map((item) => (item.id === itemId ? { ...item, sessionId } : item)),
    }));
  }

  async forget(id: string): Promise<void> {
    const { state } = await this.#find(id);
    if (state === 'running') throw new UserError(l10n.t('The batch still runs. Cancel it first.'));
    await this.#deps.store.remove(id);
    this.#changed.fire();
  }

  dispose(): void {
    this.#abort.abort();
    this.#timer?.dispose();
    this.#changed.dispose();
  }

  async #find(id: string): Promise<BatchRecord> {
    const record = (await this.#deps.store.list()).find((one) => one.id === id);
    if (record === undefined) throw new UserError(l10n.t('There is no such batch.'));
    return record;
  }

  async #change(id: string, change: (record: BatchRecord) => BatchRecord): Promise<BatchRecord | undefined> {
    const record = await this.#deps.store.update(id, change);
    this.#changed.fire();
    return record;
  }

  /** What was refused has failed; of a request that got no answer nobody knows, and it is looked for in the API's list. */
  async #notSubmitted(id: string, error: unknown): Promise<void> {
    const failure = failureOf(error);
    const isKnown = error instanceof UserError || isRefusal(failure);
    try {
      await this.#change(id, (record) => ({ ...record, failure, state: isKnown ? 'failed' : 'submitting' }));
    } catch (cause) {
      this.#deps.logger.error('The batch could not be updated', cause);
    }
  }

  async #refreshAll(gone: boolean): Promise<void> {
    this.#timer?.dispose();
    try {
      const baseUrl = await this.#deps.baseUrl();
      const all = await this.#deps.store.list();
      const open = all.filter(
        (record) => isOpen(record, gone) && record.baseUrl === baseUrl && !this.#sending.has(record.id),
      );
      for (const record of open) await this.#follow(record, all);
      if (open.length > 0) this.#later();
    } catch (error) {
      this.#deps.logger.error('The batches could not be looked at', error);
    }
  }

  async #follow(record: BatchRecord, all: readonly BatchRecord[]): Promise<void> {
    try {
      await (record.remote === undefined ? this.#adopt(record, all) : this.#ask(record, record.remote.id));
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#deps.logger.warn(`The batch ${record.id} could not be asked for: ${messageOf(error)}`);
      const failure = failureOf(error);
      await this.#change(record.id, (before) => ({ ...before, failure }));
    }
  }

  async #ask(record: BatchRecord, remoteId: string): Promise<void> {
    const { api, store } = this.#deps;
    const { signal } = this.#abort;
    const remote = await api.get(remoteId, signal);
    if (JSON.stringify(remote) !== JSON.stringify(record.remote)) this.#wait = FIRST_WAIT_MS;
    if (remote.status !== 'ended') {
      await this.#change(record.id, (before) => withoutFailure({ ...before, remote }));
      return;
    }
    await store.storeResults(record.id, await api.results(remoteId, signal));
    const states = new Map<string, Pick<ItemState, 'outcome' | 'detail'>>();
    for await (const result of store.results(record.id)) {
      // The first one counts, whatever follows.
      if (!states.has(result.id)) states.set(result.id, stateOf(result));
    }
    await this.#change(record.id, (before) =>
      withoutFailure({
        ...{ ...before, remote, state: 'ended', fetched: true },
        items: before.items.map((item) => ({ ...item, ...(states.get(item.id) ?? stateOf(lost(item.id))) })),
      }),
    );
  }

  /** The answer to the submission was lost: the batch is the one that began then, with as many requests. */
  async #adopt(record: BatchRecord, all: readonly BatchRecord[]): Promise<void> {
    const known = new Set(all.map(({ remote }) => remote?.id));
    const began = Date.parse(record.createdAt);
    const found = (await this.#deps.api.list(this.#abort.signal)).filter(({ id, createdAt, counts }) => {
      const late = Date.parse(createdAt) - began;
      const size = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return !known.has(id) && size === record.items.length && late > -CLOCK_SKEW_MS && late < 60 * 60_000;
    });
    const [remote, ...others] = found;
    if (remote !== undefined && others.length === 0) {
      await this.#change(record.id, (before) => withoutFailure({ ...before, remote, state: 'running' }));
      return;
    }
    if (remote !== undefined || this.#deps.clock.now() - began < ARRIVES_WITHIN_MS) return;
    const message = l10n.t('The batch did not arrive. Nothing of it was processed.');
    await this.#change(record.id, (before) => ({
      ...{ ...before, state: 'failed' },
      failure: { ...(before.failure ?? { kind: 'connection' }), message },
    }));
  }

  #soon(): void {
    this.#wait = FIRST_WAIT_MS;
    this.#later();
  }

  #later(): void {
    if (this.#abort.signal.aborted) return;
    this.#timer?.dispose();
    this.#timer = this.#deps.clock.timer(this.#wait, () => void this.refresh());
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
  }
}

function isOpen({ state, failure }: BatchRecord, gone: boolean): boolean {
  return (state === 'running' || state === 'submitting') && (gone || failure?.kind !== 'not-found');
}

function isRefusal({ kind, status }: ApiFailure): boolean {
  if (status !== undefined) return status < 500 && status !== 408;
  return !['connection', 'timeout', 'stream', 'protocol', 'unknown'].includes(kind);
}

function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiError) return error.failure;
  return { kind: 'unknown', message: error instanceof CancelledError ? l10n.t('Cancelled') : messageOf(error) };
}

function withoutFailure({ failure: _, ...record }: BatchRecord): BatchRecord {
  return record;
}

/** The results do not name the item. */
function lost(id: string): BatchResult {
  const message = l10n.t('The results of the batch do not name this item.');
  return { id, outcome: 'errored', failure: { kind: 'protocol', message } };
}

async function* until<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  for await (const item of source) {
    if (signal.aborted) throw new CancelledError();
    yield item;
  }
}

async function* only(items: AsyncIterable<BatchItem>, wanted: ReadonlySet<string>): AsyncGenerator<BatchItem> {
  for await (const item of items) if (wanted.has(item.id)) yield item;
}

async function firstOf<T extends { readonly id: string }>(
  source: AsyncIterable<T>,
  id: string,
): Promise<T | undefined> {
  for await (const item of source) if (item.id === id) return item;
  return undefined;
}
