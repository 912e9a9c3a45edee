import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createInventory } from '../../../src/node/attachments/inventory.ts';
import { createStorage, type Storage } from '../../../src/node/attachments/storage.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { logBench, type LogBench } from './logSupport.ts';

const live = new AbortController().signal;
const LONG_AGO = new Date('2026-01-01T00:00:00Z');

suite('the storage of attachments', () => {
  let bench: LogBench;
  let dir = '';
  setup(async () => {
    bench = await logBench();
    dir = join(bench.dir, 'attachments');
  });
  teardown(() => bench.end());

  const storage = (): Storage =>
    createStorage({ dir, inventory: createInventory(bench.dir), clock: createClock(), ids: createIds() });

  /** Stores a content, as of long ago; returns its hash. */
  async function blob(content: string, at = LONG_AGO): Promise<string> {
    const store = createAttachmentStore({ dir, maxBytes: 1e6, ids: createIds() });
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Promise.resolve(Buffer.from(content));
    }
    const { hash, path } = await store.store(chunks(), live);
    await fs.utimes(path, at, at);
    return hash;
  }

  async function session(...entries: readonly NewEntry[]): Promise<string> {
    const log = await bench.store().create([]);
    for (const entry of entries) await log.append(entry);
    await bench.close(log);
    return log.header.id;
  }

  function entry(fileId: string, hash: string | undefined, more: object = {}): NewEntry {
    const file = { callId: 'c', fileId, name: 'a.csv', mimeType: 'text/csv', size: 1 };
    return { type: 'attachmentStored', ...file, ...(hash === undefined ? {} : { hash }), ...more };
  }

  const left = async (): Promise<readonly string[]> => [...(await storage().blobs()).keys()].sort();

  test('is cleaned of what no session has, and of nothing else', async () => {
    const [kept, orphan, needed] = [await blob('kept'), await blob('orphan'), await blob('needed')];
    await session(entry('file_1', kept), { type: 'inputUploaded', hash: needed } as unknown as NewEntry);
    assert.deepEqual(await storage().clean(), { removed: 1, freed: 6 });
    assert.deepEqual(await left(), [kept, needed].sort());
    assert.notEqual(orphan, kept);
    assert.deepEqual(await fs.readdir(join(dir, 'tmp')), []);
  });

  test('keeps a deleted file’s content for as long as another session has it', async () => {
    const hash = await blob('shared');
    await session(entry('file_1', hash), entry('file_1', undefined, { deleted: 'here' }));
    const other = await session(entry('file_2', hash));
    assert.equal((await storage().clean()).removed, 0);
    await fs.rm(bench.path(other));
    assert.equal((await storage().clean()).removed, 1);
  });

  test('lets go of files that are too old, but never of one that a session still needs', async () => {
    const [old, pinned] = [await blob('old'), await blob('pinned')];
    await session(entry('file_1', old), entry('file_2', pinned), {
      type: 'inputUploaded',
      hash: pinned,
    } as unknown as NewEntry);
    assert.deepEqual(await storage().clean(() => true), { removed: 1, freed: 3 });
    assert.deepEqual(await left(), [pinned]);
  });

  test('leaves what was stored within a day: its entry may still be on its way, behind a long upload', async () => {
    const hash = await blob('new', new Date(Date.now() - 3_600_000));
    assert.equal((await storage().clean()).removed, 0);
    assert.deepEqual(await left(), [hash]);
  });

  test('frees what was deleted at once, unless it was stored again a moment ago', async () => {
    const hash = await blob('deleted', new Date(Date.now() - 120_000));
    await session(entry('file_1', hash), entry('file_1', undefined, { deleted: 'here' }));
    assert.equal((await storage().clean()).removed, 1);
    await blob('deleted', new Date());
    assert.equal((await storage().clean()).removed, 0);
  });

  test('removes nothing when a log can’t be read, or another window is at it', async () => {
    await blob('orphan');
    const inventory = { read: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })) };
    const broken = createStorage({ dir, inventory, clock: createClock(), ids: createIds() });
    await assert.rejects(broken.clean(), UserError);
    let go = (): void => undefined;
    const waiting = { read: () => new Promise<[]>((resolve) => (go = () => resolve([]))) };
    const first = createStorage({ dir, inventory: waiting, clock: createClock(), ids: createIds() }).clean();
    while (!(await fs.readdir(dir)).includes('clean.lock')) await new Promise((resolve) => setImmediate(resolve));
    await assert.rejects(storage().clean(), /Another window/);
    assert.equal((await left()).length, 1);
    go();
    assert.equal((await first).removed, 1, 'the lock was free again, and the first one went on');
    assert.equal((await storage().clean()).removed, 0);
  });

  test('is empty before anything was stored', async () => {
    assert.deepEqual([...(await storage().blobs())], []);
    assert.deepEqual(await storage().clean(), { removed: 0, freed: 0 });
  });
});
