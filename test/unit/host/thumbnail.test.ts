import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AttachmentPort, StoredFile } from '../../../src/core/ports.ts';
import { LARGEST_THUMBNAIL_BYTES, thumbnail } from '../../../src/host/attachments/thumbnail.ts';

suite('thumbnail', () => {
  let folder = '';
  setup(() => (folder = mkdtempSync(join(tmpdir(), 'loopdock-thumb-'))));
  teardown(() => rmSync(folder, { recursive: true, force: true }));

  function storeOf(file: Partial<StoredFile>): AttachmentPort {
    const path = join(folder, 'blob');
    writeFileSync(path, 'bytes');
    const stored: StoredFile = { hash: 'h', size: 5, imageType: null, path, ...file };
    return {
      store: () => Promise.reject(new Error('not used')),
      find: async (hash) => (hash === 'h' ? stored : undefined),
    };
  }

  test('is a data: URI with the type of the bytes', async () => {
    const uri = await thumbnail(storeOf({ imageType: 'image/png' }), 'h');
    assert.equal(uri, `data:image/png;base64,${Buffer.from('bytes').toString('base64')}`);
  });

  test('does not exist for what is no image, too large, or not stored', async () => {
    const tooLarge = LARGEST_THUMBNAIL_BYTES + 1;
    assert.equal(await thumbnail(storeOf({}), 'h'), undefined);
    assert.equal(await thumbnail(storeOf({ imageType: 'image/png', size: tooLarge }), 'h'), undefined);
    assert.equal(await thumbnail(storeOf({ imageType: 'image/png' }), 'other'), undefined);
  });
});
