import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledError, UserError } from '../../../src/core/errors.ts';
import type { AttachmentPort } from '../../../src/core/ports.ts';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createIds } from '../../../src/node/ids.ts';

let dir = '';
const live = new AbortController().signal;

function store(maxBytes = 1_000_000): AttachmentPort {
  return createAttachmentStore({ dir: join(dir, 'attachments'), maxBytes, ids: createIds() });
}

async function* chunks(...parts: readonly (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Promise.resolve(Buffer.from(part as string));
}

const parts = (): Promise<string[]> => fs.readdir(join(dir, 'attachments', 'tmp'));
const blobs = (): Promise<string[]> => fs.readdir(join(dir, 'attachments', 'blobs'));

suite('attachment store', () => {
  setup(async () => (dir = await fs.mkdtemp(join(tmpdir(), 'loopdock-attachments-'))));
  teardown(() => fs.rm(dir, { recursive: true, force: true }));

  test('keeps what came, under the hash of all of it, and finds it again', async () => {
    const file = await store().store(chunks('hel', '', 'lo'), live);
    const hash = createHash('sha256').update('hello').digest('hex');
    assert.deepEqual(file, { hash, size: 5, imageType: null, path: join(dir, 'attachments', 'blobs', hash) });
    assert.equal(await fs.readFile(file.path, 'utf8'), 'hello');
    assert.deepEqual(await store().find(hash), file);
    assert.deepEqual(await parts(), []);
    if (process.platform === 'win32') return;
    assert.equal((await fs.stat(file.path)).mode & 0o777, 0o600, 'for its owner, not executable');
  });

  test('keeps the same content once, also when two arrive at the same time', async () => {
    const attachments = store();
    const files = await Promise.all([1, 2, 3].map(() => attachments.store(chunks('same'), live)));
    assert.equal(new Set(files.map(({ path }) => path)).size, 1);
    assert.deepEqual([(await blobs()).length, await parts()], [1, []]);
  });

  test('keeps an empty file', async () => {
    const file = await store().store(chunks(), live);
    assert.deepEqual([file.size, (await store().find(file.hash))?.size], [0, 0]);
  });

  test('stops at the limit by the bytes that came, and takes the source’s end for nothing', async () => {
    let sent = 0;
    let stopped = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          sent += 1000;
          yield await Promise.resolve(new Uint8Array(1000));
        }
      } finally {
        stopped = true;
      }
    }
    await assert.rejects(store(10_000).store(endless(), live), UserError);
    assert.ok(sent <= 12_000 && stopped);
    assert.deepEqual([await parts(), await blobs()], [[], []]);
    assert.equal((await store(5).store(chunks('12345'), live)).size, 5, 'exactly the limit is fine');
  });

  test('stops where the space for all files is used up, by what is on disk [XT70]', async () => {
    const quota = (bytes: number): AttachmentPort =>
      createAttachmentStore({ dir: join(dir, 'attachments'), maxBytes: 1e6, ids: createIds(), quota: () => bytes });
    await quota(10).store(chunks('12345678'), live);
    await assert.rejects(quota(10).store(chunks('abc'), live), /used up/);
    assert.deepEqual([(await blobs()).length, await parts()], [1, []]);
    await quota(0).store(chunks('no limit at all'), live);
    assert.equal((await blobs()).length, 2);
  });

  test('asks for the next chunk only when the last one is written', async () => {
    let asked = 0;
    let most = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 50; i++) {
        asked += 1;
        yield await Promise.resolve(new Uint8Array(50_000));
        most = Math.max(most, asked);
        asked -= 1;
      }
    }
    await store(1e8).store(source(), live);
    assert.equal(most, 1);
  });

  test('removes the part and passes on what the source threw', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('half'));
      throw new RangeError('reset by peer');
    }
    await assert.rejects(store().store(broken(), live), new RangeError('reset by peer'));
    assert.deepEqual([await parts(), await blobs()], [[], []]);
  });

  test('ends at once when it is cancelled, also while the source hangs', async () => {
    const controller = new AbortController();
    async function* hanging(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      await new Promise(() => undefined);
    }
    const done = store().store(hanging(), controller.signal);
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(done, CancelledError);
    assert.deepEqual([await parts(), await blobs()], [[], []]);
    await assert.rejects(store().store(chunks('x'), controller.signal), CancelledError);
  });

  test('says so when the disk refuses', async () => {
    await fs.writeFile(join(dir, 'attachments'), 'a file, not a folder');
    await assert.rejects(store().store(chunks('x'), live), UserError);
  });

  test('finds nothing for what is no hash: it becomes part of a path', async () => {
    await store().store(chunks('x'), live);
    await fs.writeFile(join(dir, 'attachments', 'secret'), 'x');
    const other = createHash('sha256').update('other').digest('hex');
    for (const hash of ['', '../secret', other, 'A'.repeat(64), `${'a'.repeat(63)}/`]) {
      assert.equal(await store().find(hash), undefined, hash);
    }
    await fs.mkdir(join(dir, 'attachments', 'blobs', other));
    assert.equal(await store().find(other), undefined, 'a folder is no file');
  });

  test('clears away what a killed window left, and leaves downloads of today', async () => {
    await store().store(chunks('x'), live);
    const old = join(dir, 'attachments', 'tmp', 'old');
    await fs.writeFile(old, 'half');
    await fs.utimes(old, new Date(0), new Date(0));
    await fs.writeFile(join(dir, 'attachments', 'tmp', 'young'), 'half');
    await store().store(chunks('y'), live);
    assert.deepEqual(await parts(), ['young']);
  });

  test('tells an image by its first bytes, also when they come one by one', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const file = await store().store(chunks(...[...png].map((byte) => Uint8Array.of(byte))), live);
    assert.equal(file.imageType, 'image/png');
    assert.equal((await store().find(file.hash))?.imageType, 'image/png');
    assert.equal((await store().store(chunks('<svg xmlns="x"/>'), live)).imageType, null);
  });
});
