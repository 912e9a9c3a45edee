import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUploadMemory } from '../../../src/node/inputs/uploadMemory.ts';
import { fakeLogger } from '../../support/fakes.ts';

suite('memory of uploads', () => {
  let folder = '';
  setup(async () => (folder = await mkdtemp(join(tmpdir(), 'loopdock-uploads-'))));
  teardown(() => rm(folder, { recursive: true, force: true }));
  const key = { baseUrl: 'https://api.anthropic.com', hash: 'h', name: 'a.csv' };
  const path = (): string => join(folder, 'deep', 'uploads.json');

  test('knows an upload in the next window, and none of another address, content or name', async () => {
    await createUploadMemory({ path: path(), logger: fakeLogger() }).noteUpload(key, 'file_1');
    const next = createUploadMemory({ path: path(), logger: fakeLogger() });
    assert.equal(await next.knownUpload(key), 'file_1');
    for (const other of [{ baseUrl: 'https://x.example' }, { hash: 'i' }, { name: 'b.csv' }])
      assert.equal(await next.knownUpload({ ...key, ...other }), undefined);
    assert.doesNotMatch(await readFile(path(), 'utf8'), /sk-/);
  });

  test('uploads that end at once are all kept, and the newest id counts', async () => {
    const memory = createUploadMemory({ path: path(), logger: fakeLogger() });
    const names = ['a', 'b', 'c'];
    await Promise.all(names.map((name) => memory.noteUpload({ ...key, name }, `file_${name}`)));
    await memory.noteUpload({ ...key, name: 'a' }, 'file_new');
    const ids = await Promise.all(names.map((name) => memory.knownUpload({ ...key, name })));
    assert.deepEqual(ids, ['file_new', 'file_b', 'file_c']);
  });

  test('a damaged file is started anew, and one that can’t be written costs an upload and nothing else', async () => {
    const logger = fakeLogger();
    const memory = createUploadMemory({ path: join(folder, 'uploads.json'), logger });
    await writeFile(join(folder, 'uploads.json'), '{"uploads":[1,{"key":2}');
    assert.equal(await memory.knownUpload(key), undefined);
    await memory.noteUpload(key, 'file_1');
    assert.equal(await memory.knownUpload(key), 'file_1');
    await mkdir(path(), { recursive: true });
    await createUploadMemory({ path: path(), logger }).noteUpload(key, 'file_1');
    assert.match(logger.problems().join(), /could not be remembered/);
  });
});
