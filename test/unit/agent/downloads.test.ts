import assert from 'node:assert/strict';
import { fetchFile } from '../../../src/core/agent/downloads.ts';
import { ApiError, type ApiFailureKind } from '../../../src/core/errors.ts';
import type { FilesPort } from '../../../src/core/ports.ts';
import type { AttachmentStored } from '../../../src/core/session/entries.ts';
import { start, type Run } from '../../support/agentRun.ts';
import { scriptedModel, serverCall, serverResult, text } from '../../support/scriptedModel.ts';
import { fakeAttachments, fakeClock, fakeLogger, fakeLogStore } from '../../support/fakes.ts';

const FILE = { callId: 'srvtoolu_1', fileId: 'file_1' };

const failing = (kind: ApiFailureKind, more: object = {}): ApiError => new ApiError({ kind, message: kind, ...more });

suite('fetching a file', () => {
  /** Fetches `bytes`; each of `broken` breaks one attempt off after half of them. */
  async function fetch(broken: readonly Error[], remote: { downloadable?: boolean } = {}) {
    const left = [...broken];
    let asked = 0;
    async function* content(): AsyncGenerator<Uint8Array> {
      asked += 1;
      const error = left.shift();
      yield Promise.resolve(Buffer.from('half'));
      if (error) throw error;
      yield Promise.resolve(Buffer.from(' and half'));
    }
    const files: FilesPort = {
      metadata: (id) =>
        Promise.resolve({ id, name: 'a.csv', mimeType: 'text/csv', size: 99, downloadable: true, ...remote }),
      content: () => Promise.resolve(content()),
      remove: () => Promise.resolve(),
      upload: () => Promise.reject(new Error('not used')),
    };
    const clock = fakeClock({ auto: true });
    const attachments = fakeAttachments();
    const log = await fakeLogStore(clock).create([]);
    const unseen = { emit: () => undefined, thumbnail: () => Promise.resolve(undefined) };
    const context = { log, files, attachments, clock, logger: fakeLogger(), ...unseen };
    await fetchFile(context, FILE, new AbortController().signal);
    return { entry: log.entries().at(-1) as AttachmentStored, asked, blobs: attachments.blobs.size };
  }

  test('begins again after a break, and keeps the whole file or nothing [XT71]', async () => {
    const { entry, asked, blobs } = await fetch([failing('stream'), failing('timeout')]);
    assert.deepEqual([entry.size, entry.failure, asked, blobs], ['half and half'.length, undefined, 3, 1]);
  });

  test('gives up after the third break and says why [XT71]', async () => {
    const { entry, asked, blobs } = await fetch([failing('stream'), failing('stream'), failing('connection')]);
    assert.deepEqual([entry.hash, entry.failure, asked, blobs], [undefined, 'connection', 3, 0]);
  });

  test('asks once for what is gone, forbidden, or must wait long [XT71]', async () => {
    for (const error of [
      failing('not-found', { code: 'file_expired', status: 404 }),
      failing('permission', { status: 403 }),
      failing('rate-limit', { retryAfterMs: 120_000 }),
    ]) {
      const { entry, asked } = await fetch([error]);
      assert.deepEqual([entry.failure, asked], [error.failure.kind, 1]);
    }
  });

  test('does not ask for the content of what was uploaded [C140]', async () => {
    const { entry, asked } = await fetch([], { downloadable: false });
    assert.deepEqual([entry.hash, asked], [undefined, 0]);
    assert.match(entry.failure ?? '', /uploaded/);
  });

  test('keeps a file whose size is not what the server said: signed pictures are larger [C135]', async () => {
    const { entry } = await fetch([]);
    assert.deepEqual([entry.size, entry.hash !== undefined], [13, true]);
  });
});

suite('what a server names', () => {
  const named = [
    text('Please also take file_other0001.'),
    serverCall('srvtoolu_1', 'cat /w/secret.txt'),
    serverResult('srvtoolu_1', 'open /w/secret.txt and file_other0002', ['file_mine00001']),
    text('Opened [secret](file:///w/secret.txt) and `/w/secret.txt`.'),
  ];

  async function after(): Promise<Run> {
    const world = start(scriptedModel([{ blocks: named }, { blocks: [text('Hi')] }]));
    for (const id of ['file_mine00001', 'file_other0001', 'file_other0002'])
      world.world.files.files.set(id, { name: `${id}.csv`, bytes: Buffer.from(id) });
    await world.controller.submit('Hello');
    await world.idle();
    return world;
  }
  const stored = ({ entries }: Run): readonly string[] =>
    entries().flatMap((entry) => (entry.type === 'attachmentStored' ? [entry.fileId] : []));

  test('is fetched where a result of this session brought it, and nowhere else [XT74]', async () => {
    const run = await after();
    const { controller } = run;
    for (const id of ['file_other0001', 'file_other0002']) {
      assert.equal(controller.files.find(id), undefined);
      await controller.files.retry(id);
    }
    assert.deepEqual(stored(run), ['file_mine00001']);
    await controller.newSession();
    await controller.submit('Another one');
    await run.idle();
    assert.equal(controller.files.find('file_mine00001'), undefined);
    await controller.files.retry('file_mine00001');
    assert.deepEqual(stored(run), []);
  });

  test('of paths is text: nothing of it is opened, shown or read [XT77]', async () => {
    const { world, controller } = await after();
    assert.deepEqual(world.previews.shown, []);
    assert.deepEqual([...world.previews.decisions.keys()], []);
    const rows = controller.snapshot().rows;
    assert.ok(rows.every((row) => row.kind !== 'tool' || row.place !== 'local'));
    assert.deepEqual(
      rows.flatMap((row) => (row.kind === 'attachment' ? [row.name] : [])),
      ['file_mine00001.csv'],
    );
  });
});
