import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createIds } from '../../../src/node/ids.ts';
import { startRawServer } from '../../support/sseServer.ts';
import { apiAt } from '../api/support.ts';

const MB = 2 ** 20;
/** More than the limit, or nothing could be seen. `npm run soak -- attachments` takes 1,024. */
const DOWNLOAD_MB = Number(process.env['LOOPDOCK_DOWNLOAD_MB'] ?? 80);

suite('a large download', () => {
  test('never has more than a small part of itself in memory', async () => {
    const server = await startRawServer();
    const dir = await fs.mkdtemp(join(tmpdir(), 'loopdock-large-'));
    const chunk = Buffer.alloc(MB, 'z');
    server.answer(async (_request, response) => {
      response.writeHead(200, { 'content-length': DOWNLOAD_MB * MB });
      for (let sent = 0; sent < DOWNLOAD_MB; sent++) {
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    });
    const signal = new AbortController().signal;
    const store = createAttachmentStore({ dir, maxBytes: Infinity, ids: createIds() });
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    try {
      const content = await apiAt(server.url).files.content('file_011CNha8iCJcU1wXNR6q4V8w', signal);
      const { size } = await store.store(content, signal);
      assert.equal(size, DOWNLOAD_MB * MB);
    } finally {
      clearInterval(watch);
      await server.close();
      await fs.rm(dir, { recursive: true });
    }
    const grown = (most - before) / MB;
    assert.ok(grown < 64, `${grown.toFixed(0)} MB for ${String(DOWNLOAD_MB)} MB`);
  });
});
