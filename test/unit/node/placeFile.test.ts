import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledError, UserError } from '../../../src/core/errors.ts';
import { placeInsteadOf, placeUnderFreeName } from '../../../src/node/attachments/placeFile.ts';

suite('placing a file', () => {
  let dir = '';
  let source = '';
  setup(async () => {
    dir = await fs.mkdtemp(join(tmpdir(), 'loopdock-place-'));
    source = join(dir, '..', `${dir.slice(-6)}.blob`);
    await fs.writeFile(source, 'content', { mode: 0o777 });
  });
  teardown(async () => {
    await fs.rm(dir, { recursive: true, force: true });
    await fs.rm(source, { force: true });
  });

  test('takes names that are free, for many at once too, and never makes it executable [XT1, XT75, H5]', async () => {
    await fs.writeFile(join(dir, 'A.csv'), 'the user’s own');
    const paths = await Promise.all([1, 2, 3, 4].map(() => placeUnderFreeName(source, dir, 'a.csv')));
    assert.equal(new Set(paths).size, 4);
    assert.equal(await fs.readFile(join(dir, 'A.csv'), 'utf8'), 'the user’s own');
    assert.equal((await fs.readdir(dir)).length, 5, 'no part is left');
    for (const path of paths) {
      assert.equal(await fs.readFile(path, 'utf8'), 'content');
      if (process.platform !== 'win32') assert.equal((await fs.stat(path)).mode & 0o777, 0o600);
    }
  });

  test('replaces a file as a whole, keeps its permissions, and does not follow a link [XT75]', async () => {
    const target = join(dir, 'a.csv');
    await fs.writeFile(target, 'before', { mode: 0o640 });
    await fs.chmod(target, 0o640);
    await placeInsteadOf(source, target);
    assert.equal(await fs.readFile(target, 'utf8'), 'content');
    if (process.platform === 'win32') return;
    assert.equal((await fs.stat(target)).mode & 0o777, 0o640);
    await fs.writeFile(join(dir, 'secret'), 'untouched');
    await fs.symlink(join(dir, 'secret'), join(dir, 'link'));
    await placeInsteadOf(source, join(dir, 'link'));
    assert.equal(await fs.readFile(join(dir, 'secret'), 'utf8'), 'untouched');
    assert.ok((await fs.lstat(join(dir, 'link'))).isFile());
  });

  test('says what is wrong, and leaves what was there [XT75]', async () => {
    await assert.rejects(placeUnderFreeName(source, join(dir, 'gone'), 'a'), (error) => {
      return error instanceof UserError && error.message.includes('folder is gone');
    });
    await fs.mkdir(join(dir, 'folder'));
    await assert.rejects(placeInsteadOf(source, join(dir, 'folder')), UserError);
    assert.deepEqual(await fs.readdir(dir), ['folder']);
  });

  test('does nothing once it is cancelled', async () => {
    await assert.rejects(placeUnderFreeName(source, dir, 'a', AbortSignal.abort()), CancelledError);
    assert.deepEqual(await fs.readdir(dir), []);
  });
});
