import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BatchApi, BatchRecord } from '../../../src/core/batches/batchTypes.ts';
import { ApiError, CancelledError, UserError, type ApiFailure } from '../../../src/core/errors.ts';
import { batchWorld, itemOf, ITEMS, planOf, TEMPLATE, type BatchWorld } from './support.ts';

const signal = new AbortController().signal;
const outcomes = ({ items }: BatchRecord): unknown[] => items.map(({ id, outcome, detail }) => [id, outcome, detail]);
const failing = (failure: ApiFailure) => () => Promise.reject(new ApiError(failure));

async function eventually(is: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

suite('batches', () => {
  let world: BatchWorld;
  setup(async () => (world = await batchWorld()));
  teardown(() => world.close());

  test('are submitted, and their results are matched by id whatever their order and kind [C142]', async () => {
    const manager = world.restart();
    const changes: unknown[] = [];
    manager.onDidChange(() => changes.push(1));
    const record = await manager.submit(planOf(ITEMS), signal);
    assert.deepEqual([record.state, record.remote?.counts.processing], ['running', 3]);
    const ended = await world.until(manager, 'ended');
    // The batch ended, and not everything in it succeeded.
    assert.deepEqual(outcomes(ended), [
      ['one', 'succeeded', undefined],
      ['two', 'errored', 'Simulated overloaded_error'],
      ['three', 'succeeded', 'max_tokens'],
    ]);
    assert.deepEqual(ended.remote?.counts, { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 });
    const { item, result } = await manager.item(record.id, 'one');
    assert.deepEqual([item, result.message?.content[0]], [ITEMS[0], { type: 'text', text: 'First', citations: null }]);
    assert.equal(result.message?.usage.service_tier, 'batch');
    assert.ok(changes.length >= 3);
  });

  test('go out without anything that a batch does not take [C143]', async () => {
    let sent: unknown;
    const { url, key } = world.harness.simulator;
    const recording: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      sent = JSON.parse(await request.clone().text());
      return fetch(request);
    };
    const { apiAt } = await import('../api/support.ts');
    const api = apiAt(url, { fetch: recording, connection: () => Promise.resolve({ baseUrl: url, apiKey: key }) });
    const thinking = { type: 'adaptive', display: 'summarized' };
    await world
      .restart(api.batches)
      .submit(planOf([itemOf('a', 'Hi')], { template: { ...TEMPLATE, thinking } }), signal);
    const { tools, system, model } = TEMPLATE;
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
    const params = { model, max_tokens: 1000, thinking, tools, system, messages };
    assert.deepEqual(sent, { requests: [{ custom_id: 'a', params }] });
  });

  test('go on after a restart, and are asked for ever more seldom', async () => {
    const first = world.restart();
    await first.submit(planOf(ITEMS.slice(0, 1)), signal);
    first.dispose();
    const asked: number[] = [];
    const remote = (await world.store.list())[0]?.remote;
    assert.ok(remote);
    const get = () => {
      asked.push(world.clock.now());
      return Promise.resolve(remote);
    };
    const slow: BatchApi = { ...world.api, get };
    const again = world.restart(slow);
    await again.refresh();
    assert.deepEqual(asked, [world.clock.now()]);
    for (let i = 0; i < 14; i++) {
      await world.clock.advance(30_000);
      for (let n = 0; n < 100 && world.clock.waiting === 0; n++) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(asked.length > 5 && asked.length < 14, `asked ${String(asked.length)} times in 420 s`);
    assert.equal((await world.until(world.restart(), 'ended')).items[0]?.outcome, 'succeeded');
  });

  test('keep the items that were cancelled and that expired apart, and all of these can be done again [C142]', async () => {
    const slow = await batchWorld(25);
    try {
      const manager = slow.restart();
      const first = await manager.submit(planOf(ITEMS), signal);
      await manager.cancel(first.id);
      const ended = await slow.until(manager, 'ended');
      assert.ok(ended.items.some(({ outcome }) => outcome === 'canceled'));
      await manager.forget(first.id);

      const second = await manager.submit(planOf(ITEMS), signal);
      slow.harness.simulator.batches.expire(second.remote?.id ?? '');
      const expired = await slow.until(manager, 'ended');
      assert.deepEqual(
        expired.items.map(({ outcome }) => outcome),
        ['expired', 'expired', 'expired'],
      );
      const retry = await manager.failures(second.id);
      assert.deepEqual([retry.retryOf, retry.items.map(({ id }) => id)], [second.id, ['one', 'two', 'three']]);
      const third = await manager.submit(retry, signal);
      assert.equal(third.remote?.counts.processing, 3);
      await assert.rejects(manager.forget(third.id), UserError);
    } finally {
      await slow.close();
    }
  });

  test('do only what failed again', async () => {
    const manager = world.restart();
    await manager.submit(planOf(ITEMS), signal);
    const { id } = await world.until(manager, 'ended');
    const plan = await manager.failures(id);
    assert.deepEqual(
      plan.items.map((item) => item.id),
      ['two'],
    );
    const again = await manager.submit(plan, signal);
    assert.equal(again.remote?.counts.processing, 1);
  });

  test('that were refused say so, and nothing is asked for', async () => {
    const failure = { kind: 'invalid-request', status: 400, message: 'requests: no' } as const;
    const manager = world.restart({ ...world.api, create: failing(failure), get: () => assert.fail('asked') });
    await assert.rejects(manager.submit(planOf(ITEMS), signal), /requests: no/);
    const [record] = await manager.records();
    assert.deepEqual([record?.state, record?.failure?.message], ['failed', 'requests: no']);
    await manager.refresh();
  });

  test('whose answer was lost are never sent twice: they are found in the list of the API', async () => {
    const lost: BatchApi = {
      ...world.api,
      create: async (...args) => {
        await world.api.create(...args);
        throw new ApiError({ kind: 'connection', message: 'cut' });
      },
    };
    await assert.rejects(world.restart(lost).submit(planOf(ITEMS), signal), /cut/);
    const again = world.restart();
    assert.equal((await again.records())[0]?.state, 'submitting');
    const ended = await world.until(again, 'ended');
    assert.deepEqual([ended.failure, ended.items[0]?.outcome], [undefined, 'succeeded']);
  });

  test('that never arrived are given up after two minutes', async () => {
    const gone: BatchApi = { ...world.api, create: failing({ kind: 'timeout', message: 'late' }) };
    const manager = world.restart(gone);
    await assert.rejects(manager.submit(planOf(ITEMS), signal), /late/);
    await manager.refresh();
    assert.equal((await manager.records())[0]?.state, 'submitting');
    world.clock.jump(121_000);
    await manager.refresh();
    const [record] = await manager.records();
    assert.equal(record?.state, 'failed');
    assert.match(record.failure?.message ?? '', /did not arrive/);
  });

  test('are not asked for at another address than their own, and keep what is known', async () => {
    const manager = world.restart({ ...world.api, get: () => assert.fail('asked') });
    await world.restart().submit(planOf(ITEMS, { baseUrl: 'elsewhere' }), signal);
    await manager.refresh();
    assert.equal((await manager.records())[0]?.state, 'running');
  });

  test('of another key are asked for again only when the user wants it', async () => {
    await world.restart().submit(planOf(ITEMS), signal);
    let asked = 0;
    const failure = { kind: 'not-found', status: 404, message: 'not here' } as const;
    const get = () => {
      asked += 1;
      return failing(failure)();
    };
    const manager = world.restart({ ...world.api, get });
    await manager.refresh();
    await manager.refresh();
    assert.equal(asked, 1);
    await manager.refresh(true);
    assert.equal(asked, 2);
    assert.equal((await manager.records())[0]?.failure?.message, 'not here');
  });

  test('whose results break off are asked for again, and no half file stays', async () => {
    const manager = world.restart();
    const { id } = await manager.submit(planOf(ITEMS), signal);
    let cut = true;
    const results: BatchApi['results'] = async (...args) => {
      const whole = await world.api.results(...args);
      if (!cut) return whole;
      cut = false;
      return (async function* () {
        for await (const chunk of whole) yield chunk.subarray(0, 20);
        throw new ApiError({ kind: 'stream', message: 'broke off' });
      })();
    };
    const careful = world.restart({ ...world.api, results });
    const ended = await world.until(careful, 'ended');
    assert.equal(ended.items[0]?.outcome, 'succeeded');
    assert.deepEqual((await readdir(join(world.dir, id))).sort(), ['batch.json', 'items.jsonl', 'results.jsonl']);
  });

  test('with results that are odd lose none of the others [C142]', async () => {
    const lines = [
      'not json',
      '{"custom_id":"one","result":{"type":"vanished"}}',
      '{}',
      '{"custom_id":"stranger","result":{"type":"canceled"}}',
    ];
    const results: BatchApi['results'] = async () => {
      await Promise.resolve();
      return (async function* () {
        yield await Promise.resolve(
          Buffer.from(`${lines.join('\n')}\n{"custom_id":"two","result":{"type":"expired"}}`),
        );
      })();
    };
    const manager = world.restart({ ...world.api, results });
    await manager.submit(planOf(ITEMS), signal);
    assert.deepEqual(outcomes(await world.until(manager, 'ended')), [
      ['one', 'errored', 'vanished'],
      ['two', 'expired', undefined],
      ['three', 'errored', 'The results of the batch do not name this item.'],
    ]);
  });

  test('can be stopped before they are sent, and leave nothing behind', async () => {
    const abort = new AbortController();
    abort.abort();
    await assert.rejects(world.restart().submit(planOf(ITEMS), abort.signal), CancelledError);
    assert.deepEqual(await world.store.list(), []);
  });

  test('that another window is still sending are not given up, forgotten or sent again, however long it takes', async () => {
    let answer: (() => void) | undefined;
    const slow: BatchApi = {
      ...world.api,
      create: async (...args) => {
        await new Promise<void>((resolve) => (answer = resolve));
        return world.api.create(...args);
      },
    };
    const sender = world.restart(slow);
    const sending = sender.submit(planOf(ITEMS), signal);
    const other = world.restart();
    const sentAt = async (): Promise<string> => (await other.records())[0]?.sending?.at ?? '';
    await eventually(() => Promise.resolve(answer !== undefined));
    for (let i = 0; i < 10; i++) {
      const before = await sentAt();
      await world.clock.advance(21_000);
      await eventually(async () => (await sentAt()) !== before);
    }
    await other.refresh();
    const record = (await other.records()).find(({ state }) => state === 'submitting');
    assert.ok(record);
    for (const manager of [sender, other]) await assert.rejects(manager.forget(record.id), /just being submitted/);
    await assert.rejects(other.failures(record.id), UserError);
    answer?.();
    const running = await sending;
    assert.deepEqual([running.state, running.sending, running.failure], ['running', undefined, undefined]);
  });

  test('run although it could not be written down, and are found again instead of being sent twice', async () => {
    let full = false;
    const store = {
      ...world.store,
      update: (...args: Parameters<typeof world.store.update>) =>
        full ? Promise.reject(new UserError('The disk is full')) : world.store.update(...args),
    };
    const create: BatchApi['create'] = async (...args) => {
      const remote = await world.api.create(...args);
      full = true;
      return remote;
    };
    const manager = world.restart({ ...world.api, create }, store);
    assert.equal((await manager.submit(planOf(ITEMS), signal)).state, 'running');
    full = false;
    await assert.rejects(manager.failures((await manager.records())[0]?.id ?? ''), UserError);
    world.clock.jump(61_000);
    assert.equal((await world.until(world.restart(), 'ended')).items[0]?.outcome, 'succeeded');
  });

  test('of which only one of two arrived are not found twice', async () => {
    let sends = 0;
    const lost: BatchApi = {
      ...world.api,
      create: async (...args) => {
        if (++sends === 1) await world.api.create(...args);
        throw new ApiError({ kind: 'connection', message: 'cut' });
      },
    };
    const manager = world.restart(lost);
    for (let i = 0; i < 2; i++) await assert.rejects(manager.submit(planOf(ITEMS), signal), /cut/);
    await manager.refresh();
    const states = (await manager.records()).map(({ state }) => state).sort();
    assert.deepEqual(states, ['running', 'submitting']);
  });

  test('that may have arrived by another clock are not said to be unprocessed', async () => {
    const lost: BatchApi = {
      ...world.api,
      create: async (...args) => {
        await world.api.create(...args);
        throw new ApiError({ kind: 'connection', message: 'cut' });
      },
      list: async (...args) => {
        const listed = await world.api.list(...args);
        return listed.map((remote) => ({ ...remote, createdAt: '2031-01-01T00:00:00Z' }));
      },
    };
    const manager = world.restart(lost);
    await assert.rejects(manager.submit(planOf(ITEMS), signal), /cut/);
    world.clock.jump(121_000);
    await manager.refresh();
    assert.match((await manager.records())[0]?.failure?.message ?? '', /is not known: msgbatch_\w+ has as many/);
  });

  test('whose results are a proxy’s page lose no item and are asked for again; the user can drop them', async () => {
    let page = true;
    const results: BatchApi['results'] = (...args) => {
      if (!page) return world.api.results(...args);
      async function* html(): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from('<html>Please log in</html>\n'));
      }
      return Promise.resolve(html());
    };
    const manager = world.restart({ ...world.api, results });
    const { id } = await manager.submit(planOf(ITEMS), signal);
    for (let i = 0; i < 50 && (await manager.records())[0]?.failure === undefined; i++) await manager.refresh();
    for (let i = 0; i < 5; i++) await manager.refresh();
    const [record] = await manager.records();
    assert.deepEqual([record?.state, record?.fetched], ['running', undefined]);
    assert.match(record?.failure?.message ?? '', /0 of 3 items/);
    page = false;
    assert.equal((await world.until(manager, 'ended')).items[0]?.outcome, 'succeeded');
    page = true;
    await manager.forget(id);
  });

  test('that the API does not know any more can be forgotten', async () => {
    const { id } = await world.restart().submit(planOf(ITEMS), signal);
    const manager = world.restart({ ...world.api, get: failing({ kind: 'not-found', status: 404, message: 'gone' }) });
    await manager.refresh();
    await manager.forget(id);
    assert.deepEqual(await manager.records(), []);
  });

  test('whose file is damaged are left out of the list, and the others stay', async () => {
    const manager = world.restart();
    const { id } = await manager.submit(planOf(ITEMS), signal);
    const other = await manager.submit(planOf(ITEMS.slice(1)), signal);
    const file = join(world.dir, id, 'batch.json');
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, 50));
    assert.deepEqual(
      (await manager.records()).map((record) => record.id),
      [other.id],
    );
  });
});
