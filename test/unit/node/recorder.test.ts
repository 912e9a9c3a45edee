import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIds } from '../../../src/node/ids.ts';
import { createRecorder, type KeptStreams, type RecorderOptions } from '../../../src/node/streams/recorder.ts';
import { fakeClock, fakeLogger } from '../../support/fakes.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

suite('kept event streams', () => {
  let dir: string;
  setup(async () => (dir = join(await mkdtemp(join(tmpdir(), 'loopdock-streams-')), 'streams')));
  teardown(() => rm(join(dir, '..'), { recursive: true, force: true }));

  const open = (options: Partial<RecorderOptions> = {}) => {
    const base = { dir, clock: fakeClock(), ids: createIds(), logger: fakeLogger() };
    return createRecorder({ ...base, secrets: () => [], enabled: () => true, ...options });
  };
  const keep = async (streams: KeptStreams, id: string | undefined, ...texts: readonly string[]) => {
    const recording = streams.begin(id);
    for (const text of texts) recording?.bytes(bytes(text));
    recording?.end();
    await streams.settled();
  };
  const texts = async (streams: KeptStreams) => (await streams.find(() => true)).map(({ text }) => text);

  test('are found again by their request id, in this window and in another one', async () => {
    const streams = open();
    await keep(streams, 'req_1', 'data: a\n', '\ndata: ü\n\n');
    await keep(streams, 'req_2', 'data: b\n\n');
    for (const each of [streams, open()]) {
      const found = await each.find(({ requestId }) => requestId === 'req_1');
      assert.deepEqual(
        found.map(({ text, cut }) => [text, cut]),
        [['data: a\n\ndata: ü\n\n', 0]],
      );
    }
  });

  test('hold no credential on disk [XN8]', async () => {
    const streams = open({ secrets: () => ['secret-of-mine'] });
    await keep(streams, 'req_1', 'data: {"echo":"secret-', 'of-mine","key":"sk-ant-api03-abcdefghijklmnopqrst"}\n\n');
    const [name = ''] = await readdir(dir);
    const written = await readFile(join(dir, name), 'utf8');
    assert.doesNotMatch(written, /secret-of-mine|sk-ant-api03/);
    assert.equal((await stat(join(dir, name))).mode & 0o077, 0);
  });

  test('are cut where one is too long, and say by how much', async () => {
    const streams = open({ limits: { stream: 4, file: 1000, files: 2, waiting: 1000 } });
    await keep(streams, 'req_1', 'abc', 'def', 'ghi');
    const [stream] = await streams.find(() => true);
    assert.deepEqual([stream?.text, stream?.cut], ['abcd', 5]);
  });

  test('push out the oldest, so that the folder stays small', async () => {
    const streams = open({ limits: { stream: 100, file: 150, files: 2, waiting: 1000 } });
    for (let i = 0; i < 10; i++) await keep(streams, `req_${i}`, `stream ${i}`);
    assert.equal((await readdir(dir)).length, 2);
    const kept = await texts(streams);
    assert.ok(kept.includes('stream 9') && !kept.includes('stream 0'), kept.join());
  });

  test('are dropped where the disk is slower than they come, and the next one says how many', async () => {
    const streams = open({ limits: { stream: 100, file: 1000, files: 2, waiting: 10 } });
    for (const text of ['12345678', 'dropped 1', 'dropped 2']) {
      const recording = streams.begin('req');
      recording?.bytes(bytes(text));
      recording?.end();
    }
    await streams.settled();
    await keep(streams, 'req', 'next');
    const found = await streams.find(() => true);
    assert.deepEqual(found.map(({ text, dropped }) => [text, dropped]).sort(), [
      ['12345678', 0],
      ['next', 2],
    ]);
  });

  test('are none while the setting is off', async () => {
    const streams = open({ enabled: () => false });
    assert.equal(streams.begin('req_1'), undefined);
  });

  test('cost the turn nothing where they can not be written: it is logged', async () => {
    const logger = fakeLogger();
    await writeFile(dir, 'a file in the place of the folder');
    const streams = open({ logger });
    await keep(streams, 'req_1', 'data');
    assert.match(logger.problems().join(), /not kept/);
    assert.deepEqual(await texts(streams), []);
  });
});
