import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { UserError } from '../../../src/core/errors.ts';
import type { LogStorePort, SessionLog } from '../../../src/core/ports.ts';
import { nodeFs, type LogFs } from '../../../src/node/log/logFs.ts';
import { faultyFs, type FaultPlan } from './faultyFs.ts';
import { assertChain, logBench, said, textsOf, type LogBench } from './logSupport.ts';

let bench: LogBench;

interface Outcome {
  readonly acknowledged: readonly string[];
  readonly refused: readonly string[];
  readonly calls: number;
}

/** Opens a session, appends one by one and in a group, and never stops at an error. */
async function scenario(id: string, plan: FaultPlan): Promise<Outcome> {
  const faulty = faultyFs(plan);
  const acknowledged: string[] = [];
  const refused: string[] = [];
  let log: SessionLog;
  try {
    log = await bench.store({ fs: faulty.fs }).open(id);
  } catch (error) {
    assert.ok(error instanceof UserError, String(error));
    return { acknowledged, refused, calls: faulty.count() };
  }
  const append = async (text: string): Promise<void> => {
    try {
      await log.append(said(text));
      acknowledged.push(text);
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      refused.push(text);
    }
  };
  await append('a');
  await append('b');
  await Promise.all([append('c'), append('d'), append('e')]);
  await append('f');
  assert.deepEqual(textsOf(log.entries()), ['seed', ...acknowledged], 'memory is what was acknowledged');
  assertChain(log.entries());
  await bench.close(log, 10);
  return { acknowledged, refused, calls: faulty.count() };
}

async function onDisk(id: string): Promise<readonly string[]> {
  await fs.rm(`${bench.path(id)}.lock`, { force: true }); // where even its removal failed
  const log = await bench.store().open(id);
  assertChain(log.entries());
  await bench.close(log);
  return textsOf(log.entries());
}

suite('session log on a failing disk', function () {
  this.timeout(60_000);

  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  for (const fault of ['ENOSPC', 'EIO', 'short'] as const) {
    test(`${fault} at any one call loses nothing acknowledged and leaves nothing refused [XD2, XD3]`, async () => {
      const { calls } = await fresh({ at: 1e9, calls: 0, fault });
      assert.ok(calls > 15);
      let refusals = 0;
      for (let at = 0; at < calls; at++) {
        const { id, outcome } = await fresh({ at, calls: 1, fault });
        assert.deepEqual(await onDisk(id), ['seed', ...outcome.acknowledged], `call ${at}`);
        refusals += outcome.refused.length;
      }
      assert.ok(refusals > 0, 'some fault was seen at all');
    });
  }

  test('everything failing from any call on loses nothing acknowledged [XD2]', async () => {
    for (const fault of ['ENOSPC', 'short'] as const) {
      const { calls } = await fresh({ at: 1e9, calls: 0, fault });
      for (let at = 0; at < calls; at++) {
        const { id, outcome } = await fresh({ at, calls: 1e9, fault });
        const found = await onDisk(id);
        assert.deepEqual(
          found.slice(0, outcome.acknowledged.length + 1),
          ['seed', ...outcome.acknowledged],
          `call ${at}`,
        );
      }
    }
  });

  /** A store in whose open files `write` is replaced. */
  function storeWriting(write: (whole: () => Promise<unknown>) => Promise<unknown>): LogStorePort {
    const open: LogFs['open'] = async (...args) => {
      const handle = await nodeFs.open(...args);
      const whole = handle.write.bind(handle) as (...args: unknown[]) => Promise<unknown>;
      return Object.assign(handle, { write: (...bytes: unknown[]) => write(() => whole(...bytes)) });
    };
    return bench.store({ fs: { ...nodeFs, open } });
  }
  const full = (): Promise<never> => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));

  test('goes on in the same session when the disk has room again', async () => {
    const { id } = await bench.written('seed');
    let room = false;
    const log = await storeWriting((whole) => (room ? whole() : full())).open(id);
    await assert.rejects(log.append(said('no')), { name: 'UserError', message: /disk is full/ });
    room = true;
    await log.append(said('yes'));
    assert.deepEqual(await textsAfter(log), ['seed', 'yes']);
  });

  test('what was appended while a write was failing is refused with it', async () => {
    const { id } = await bench.written('seed');
    let writes = 0;
    const during: Promise<unknown>[] = [];
    const log: SessionLog = await storeWriting((whole) => {
      writes += 1;
      if (writes > 1) return whole();
      during.push(assert.rejects(log.append(said('b')), UserError));
      return full();
    }).open(id);
    await assert.rejects(log.append(said('a')), UserError);
    assert.equal(during.length, 1);
    await Promise.all(during);
    await log.append(said('c'));
    assert.deepEqual(await textsAfter(log), ['seed', 'c']);
  });

  test('what was queued behind a refused entry is refused too: it came after what is now missing', async () => {
    const probe = await fresh({ at: 1e9, calls: 0, fault: 'EIO' });
    let sawGroup = false;
    for (let at = 0; at < probe.calls; at++) {
      const { outcome } = await fresh({ at, calls: 1, fault: 'short' });
      const order = ['a', 'b', 'c', 'd', 'e', 'f'].filter((text) => outcome.refused.includes(text));
      const group = order.filter((text) => 'cde'.includes(text));
      if (group.length > 0) assert.equal(group.at(-1), 'e');
      if (group.length === 2) sawGroup = true;
    }
    assert.ok(sawGroup);
  });

  test('a failed creation leaves no file behind', async () => {
    for (let at = 0; at < 40; at++) {
      const faulty = faultyFs({ at, calls: 1, fault: 'ENOSPC' });
      const before = await fs.readdir(bench.dir);
      try {
        await bench.close(await bench.store({ fs: faulty.fs }).create([]), 10);
      } catch (error) {
        assert.ok(error instanceof UserError, String(error));
        assert.deepEqual(await fs.readdir(bench.dir), before, `call ${at}`);
      }
    }
  });

  async function fresh(plan: FaultPlan): Promise<{ id: string; calls: number; outcome: Outcome }> {
    const { id } = await bench.written('seed');
    const outcome = await scenario(id, plan);
    return { id, calls: outcome.calls, outcome };
  }

  async function textsAfter(log: SessionLog): Promise<readonly string[]> {
    await bench.close(log);
    return onDisk(log.header.id);
  }
});
