import * as l10n from '@vscode/l10n';
import type { Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/event.ts';
import { ApiError, CancelledError, messageOf, UserError, type ApiFailure } from '../errors.ts';
import type { Clock, Ids, Logger } from '../ports.ts';
import { arrivalOf } from './adopt.ts';
import { stateOf } from './batchResult.ts';
import { isBeingSent, isSending, whileBeating } from './lease.ts';
import type {
  BatchApi,
  BatchItem,
  BatchRecord,
  BatchResult,
  BatchStore,
  BatchTemplate,
  ItemState,
  RemoteBatch,
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
/** Results that lack what the API counts are asked for again so often, before they count as they are. */
const SHORT_RESULTS = 3;

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
  /** How often the results of a batch fell short of what the API counts. */
  readonly #short = new Map<string, number>();

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
    const { clock, ids } = this.#deps;
    const { contents, ...facts } = plan;
    const id = ids.random();
    const createdAt = new Date(clock.now()).toISOString();
    const sending = isSending(clock);
    const record: BatchRecord = { v: 1, id, createdAt, ...facts, state: 'submitting', sending };
    this.#sending.add(id);
    try {
      const remote = await this.#send(record, until(contents, signal), signal);
      return await this.#submitted(record, remote);
    } finally {
      this.#sending.delete(id);
      this.#soon();
    }
  }

  /** Other windows see that this one is at it, however long it takes: nobody says too early that nothing arrived. */
  async #send(record: BatchRecord, contents: AsyncIterable<BatchItem>, signal: AbortSignal): Promise<RemoteBatch> {
    const { api, store, clock } = this.#deps;
    const { id, template } = record;
    try {
      await store.create(record, contents);
      this.#changed.fire();
      return await whileBeating(
        clock,
        () => this.#note(id, (before) => ({ ...before, sending: isSending(clock) })),
        () => api.create(store.items(id), template, signal),
      );
    } catch (error) {
      await this.#notSubmitted(id, error);
      throw error;
    }
  }

  /** It runs, whether or not that can be written down: what can't be is found in the API's list later. */
  async #submitted(record: BatchRecord, remote: RemoteBatch): Promise<BatchRecord> {
    const running = (before: BatchRecord): BatchRecord => withoutFailure({ ...before, state: 'running', remote });
    await this.#note(record.id, running);
    return running(record);
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
    const record = await this.#find(id);
    const { state, failure, remote } = record;
    if (this.#sending.has(id) || isBeingSent(record, this.#deps.clock.now()))
      throw new UserError(l10n.t('The batch is just being submitted. Wait for that first.'));
    // One that the API does not know (any more), or whose results are not to be had, can't be cancelled either.
    if (state === 'running' && failure?.kind !== 'not-found' && remote?.status !== 'ended')
      throw new UserError(l10n.t('The batch still runs. Cancel it first.'));
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
    const sending = isSending(this.#deps.clock, true);
    await this.#note(id, (record) => ({ ...record, failure, sending, state: isKnown ? 'failed' : 'submitting' }));
  }

  /** Changes a record where nothing else may fail with it. */
  async #note(id: string, change: (record: BatchRecord) => BatchRecord): Promise<void> {
    try {
      await this.#change(id, change);
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
      const now = this.#deps.clock.now();
      for (const record of open) if (!isBeingSent(record, now)) await this.#follow(record);
      if (open.length > 0) this.#later();
    } catch (error) {
      this.#deps.logger.error('The batches could not be looked at', error);
    }
  }

  async #follow(record: BatchRecord): Promise<void> {
    try {
      await (record.remote === undefined ? this.#adopt(record) : this.#ask(record, record.remote.id));
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#deps.logger.warn(`The batch ${record.id} could not be asked for: ${messageOf(error)}`);
      const failure = failureOf(error);
      await this.#note(record.id, (before) => ({ ...before, failure }));
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
    await this.#change(record.id, (before) => ({ ...before, remote }));
    await store.storeResults(record.id, await api.results(remoteId, signal));
    const states = new Map<string, Pick<ItemState, 'outcome' | 'detail'>>();
    for await (const result of store.results(record.id)) {
      // The first one counts, whatever follows.
      if (!states.has(result.id)) states.set(result.id, stateOf(result));
    }
    this.#checkWhole(record, remote, states);
    await this.#change(record.id, (before) =>
      withoutFailure({
        ...{ ...before, remote, state: 'ended', fetched: true },
        items: before.items.map((item) => ({ ...item, ...(states.get(item.id) ?? stateOf(lost(item.id))) })),
      }),
    );
  }

  /**
   * What is asked again costs again, so results that were cut, or that are a proxy's page, do not count as lost items at
   * once. Throws `ApiError`.
   */
  #checkWhole({ id, items }: BatchRecord, { counts }: RemoteBatch, found: ReadonlyMap<string, unknown>): void {
    const named = items.filter((item) => found.has(item.id)).length;
    const counted = counts.succeeded + counts.errored + counts.canceled + counts.expired;
    const tries = (this.#short.get(id) ?? 0) + 1;
    // Nothing at all is never the answer, where there is something.
    if (named > 0 && (named >= Math.min(counted, items.length) || tries > SHORT_RESULTS)) return;
    this.#short.set(id, tries);
    const message = l10n.t('The results came with {0} of {1} items. They are asked for again.', named, items.length);
    throw new ApiError({ kind: 'protocol', message });
  }

  async #adopt(record: BatchRecord): Promise<void> {
    const { api, store, clock } = this.#deps;
    const listed = await api.list(this.#abort.signal);
    // As it is now: another record may have found its own meanwhile.
    const arrival = arrivalOf(record, await store.list(), listed, clock.now());
    if (arrival.kind === 'wait') return;
    if (arrival.kind === 'found') {
      const { remote } = arrival;
      await this.#change(record.id, (before) => withoutFailure({ ...before, remote, state: 'running' }));
      return;
    }
    const message =
      arrival.kind === 'missing'
        ? l10n.t('The batch did not arrive. Nothing of it was processed.')
        : l10n.t(
            'Whether the batch arrived is not known: {0} has as many requests and began at another time. Look for it in the Claude Console before you submit again.',
            arrival.remote.id,
          );
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

function withoutFailure({ failure: _, sending: _over, ...record }: BatchRecord): BatchRecord {
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
