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

  function storeOf(file: Partial<StoredFile>, bytes = pngHead(4, 3)): AttachmentPort {
    const path = join(folder, 'blob');
    writeFileSync(path, bytes);
    const stored: StoredFile = { hash: 'h', size: 5, imageType: null, path, ...file };
    return {
      store: () => Promise.reject(new Error('not used')),
      find: async (hash) => (hash === 'h' ? stored : undefined),
    };
  }

  test('is a data: URI with the type of the bytes', async () => {
    const uri = await thumbnail(storeOf({ imageType: 'image/png' }), 'h');
    assert.equal(uri, `data:image/png;base64,${pngHead(4, 3).toString('base64')}`);
  });

  test('does not exist for a picture that would not fit in memory', async () => {
    assert.equal(await thumbnail(storeOf({ imageType: 'image/png' }, pngHead(60_000, 60_000)), 'h'), undefined);
  });

  test('does not exist for what is no image, too large, or not stored', async () => {
    const tooLarge = LARGEST_THUMBNAIL_BYTES + 1;
    assert.equal(await thumbnail(storeOf({}), 'h'), undefined);
    assert.equal(await thumbnail(storeOf({ imageType: 'image/png', size: tooLarge }), 'h'), undefined);
    assert.equal(await thumbnail(storeOf({ imageType: 'image/png' }), 'other'), undefined);
  });
});

/** The first bytes of a PNG of this size. */
function pngHead(width: number, height: number): Buffer {
  const head = Buffer.alloc(33);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]).copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}
