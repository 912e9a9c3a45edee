import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBatchManager, type BatchManager, type BatchPlan } from '../../../src/core/batches/batchManager.ts';
import type {
  BatchApi,
  BatchItem,
  BatchRecord,
  BatchStore,
  BatchTemplate,
} from '../../../src/core/batches/batchTypes.ts';
import { createBatchStore } from '../../../src/node/batches/batchStore.ts';
import { MODEL } from '../../../src/simulator/models.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { fakeClock, fakeIds, fakeLogger, type FakeClock, type FakeLogger } from '../../support/fakes.ts';
import { apiAt } from '../api/support.ts';
import { startHarness, tools, type Harness } from '../simulator/harness.ts';

export const TEMPLATE: BatchTemplate = {
  model: MODEL,
  maxTokens: 1000,
  system: [{ type: 'text', text: 'One item of a batch.' }],
  tools: [tools[1]],
  betas: [],
};

export function itemOf(id: string, prompt: string): BatchItem {
  return { id, label: `${id}.txt`, text: prompt, content: [{ type: 'text', text: prompt }] };
}

export function planOf(items: readonly BatchItem[], fields: Partial<BatchPlan> = {}): BatchPlan {
  async function* contents(): AsyncGenerator<BatchItem> {
    for (const item of items) yield await Promise.resolve(item);
  }
  return {
    ...{ title: 'Summarize', baseUrl: 'here', template: TEMPLATE },
    items: items.map(({ id, label }) => ({ id, label })),
    contents: contents(),
    ...fields,
  };
}

/** What each item of the usual batch becomes. */
export const ITEMS: readonly BatchItem[] = [
  itemOf('one', scriptPrompt('Go', [{ steps: [{ type: 'text', text: 'First' }] }])),
  itemOf('two', scriptPrompt('Go', [{ steps: [], faults: [{ kind: 'status', status: 529, attempts: 9 }] }])),
  itemOf('three', scriptPrompt('Go', [{ steps: [{ type: 'text', text: 'Cut' }], stop: { reason: 'max_tokens' } }])),
];

export interface BatchWorld {
  readonly harness: Harness;
  readonly api: BatchApi;
  readonly clock: FakeClock;
  readonly logger: FakeLogger;
  readonly dir: string;
  readonly store: BatchStore;
  /** As after a restart: another manager and another store on the same folder. */
  restart(api?: BatchApi, store?: BatchStore): BatchManager;
  /** The one record that there is, once it is in this state. */
  until(manager: BatchManager, state: BatchRecord['state']): Promise<BatchRecord>;
  close(): Promise<void>;
}

/** The real API adapter and the real store against a simulator; time stands still. */
export async function batchWorld(itemMs = 1): Promise<BatchWorld> {
  const harness = await startHarness({ batchItemMs: itemMs });
  const { url, key } = harness.simulator;
  const { batches: api } = apiAt(url, { connection: () => Promise.resolve({ baseUrl: url, apiKey: key }) });
  const dir = await mkdtemp(join(tmpdir(), 'batches-'));
  const clock = fakeClock({ start: Date.now() });
  const logger = fakeLogger();
  const ids = fakeIds('batch');
  const newStore = (): BatchStore => createBatchStore({ dir, ids, logger });
  const managers: BatchManager[] = [];
  return {
    ...{ harness, api, clock, logger, dir, store: newStore() },
    restart(other = api, store = newStore()) {
      const deps = { api: other, store, clock, ids, logger, baseUrl: () => Promise.resolve('here') };
      const manager = createBatchManager(deps);
      managers.push(manager);
      return manager;
    },
    async until(manager, state) {
      for (let i = 0; i < 500; i++) {
        await manager.refresh();
        const found = (await manager.records()).find((record) => record.state === state);
        if (found) return found;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      throw new Error(`No batch is ${state}: ${JSON.stringify(await manager.records())}`);
    },
    async close() {
      for (const manager of managers) manager.dispose();
      await harness.simulator.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
