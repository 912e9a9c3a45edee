import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { UserError } from '../../../src/core/errors.ts';
import { logBench, type LogBench } from './logSupport.ts';

suite('a branch of a session', () => {
  let bench: LogBench;
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  test('begins with the same entries under the same ids, names its origin, and can be written on', async () => {
    const { id, entries } = await bench.written('one', 'two', 'three');
    const store = bench.store();
    const source = await store.open(id);
    const branchId = await store.branch(source.header, entries.slice(0, 2));
    const branch = await store.open(branchId);
    assert.deepEqual(branch.entries(), entries.slice(0, 2));
    assert.deepEqual(branch.repairs, []);
    assert.deepEqual(branch.header.origin, { session: id, entry: entries[1]?.id });
    assert.deepEqual(branch.header.folders, ['file:///w']);
    const added = await branch.append({ type: 'titleSet', title: 'Another way' });
    assert.equal(added.parentId, entries[1]?.id);
    assert.deepEqual(source.entries(), entries);
    assert.equal((await stat(bench.path(branchId))).mode & 0o077, 0);
    assert.equal((await store.list()).length, 2);
  });

  test('is there as a whole or not at all', async () => {
    const { id, entries } = await bench.written('one');
    const source = await bench.store().open(id);
    // The folder is a file.
    await assert.rejects(bench.store({ dir: bench.path(id) }).branch(source.header, entries), UserError);
    assert.match(await readFile(bench.path(id), 'utf8'), /one/);
    assert.equal((await bench.store().list()).length, 1);
  });
});
