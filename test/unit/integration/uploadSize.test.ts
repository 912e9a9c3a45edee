import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAttachmentStore } from '../../../src/node/attachments/attachmentStore.ts';
import { createIds } from '../../../src/node/ids.ts';
import { createLocalFiles } from '../../../src/node/inputs/localFiles.ts';
import { apiAt } from '../api/support.ts';

const MB = 1024 * 1024;
/** The soak takes the whole size; here it is enough to tell a stream from a whole file. */
const SIZE_MB = Number(process.env['LOOPDOCK_UPLOAD_MB'] ?? 8);
/** The whole process for the soak; what is held after a collection otherwise. */
const MOST_GROWTH = SIZE_MB > 100 ? 64 * MB : 4 * MB;

const SERVER = `
  const server = require('node:http').createServer((request, response) => {
    let size = 0;
    request.on('data', (chunk) => (size += chunk.length));
    request.on('end', () => response.end(JSON.stringify({ id: 'file_1', filename: String(size), mime_type: 'x' })));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
  process.stdin.resume().on('end', () => process.exit());
`;

suite('a large upload', () => {
  let server: ChildProcessByStdio<Writable, Readable, null>;
  let folder = '';
  let url = '';
  suiteSetup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'loopdock-upload-'));
    // A process of its own: what it takes is none of ours.
    server = spawn(process.execPath, ['-e', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [port] = (await once(server.stdout, 'data')) as [Buffer];
    url = `http://127.0.0.1:${port.toString().trim()}`;
  });
  suiteTeardown(async () => {
    server.stdin.end();
    await rm(folder, { recursive: true, force: true });
  });

  test('is never whole in memory, from the disk to the wire', async () => {
    const path = join(folder, 'large.bin');
    const large = await open(path, 'w');
    await large.truncate(SIZE_MB * MB);
    await large.close();
    const files = createLocalFiles({ roots: () => [], isIgnored: () => Promise.resolve(false) });
    const store = createAttachmentStore({ dir: join(folder, 'store'), maxBytes: 500 * MB, ids: createIds() });
    const api = apiAt(url);
    const signal = new AbortController().signal;
    const small = { name: 'small', mimeType: 'x', size: 1, read: () => bytes(1) };
    // What the first request of a process loads is no part of the upload.
    await api.files.upload(small, signal);
    const before = held();
    let highest = before;
    let next = 0;
    const stored = await store.store(files.read(await files.look(pathToFileURL(path).toString())), signal);
    highest = Math.max(highest, held());
    const source = { name: 'large.bin', mimeType: 'x', size: stored.size, read: () => files.readStored(stored) };
    const file = await api.files.upload(source, signal, (sent) => {
      if (sent < next) return;
      next = sent + 4 * MB;
      highest = Math.max(highest, held());
    });
    // Its name is how many bytes came, the form around them included.
    assert.ok(Number(file.name) > SIZE_MB * MB, file.name);
    const grown = highest - before;
    assert.ok(grown < MOST_GROWTH, `it grew by ${String(Math.round(grown / MB))} MB`);
  });
});

async function* bytes(count: number): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(new Uint8Array(count));
}

/** Bytes that the process takes: all of them for the soak, those that are in use for the small size. */
function held(): number {
  if (SIZE_MB > 100) return process.memoryUsage().rss;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  // The second one waits for what the first one freed beside the heap.
  gc();
  gc();
}
