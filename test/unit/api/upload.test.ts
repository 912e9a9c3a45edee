import assert from 'node:assert/strict';
import { ApiError, CancelledError, UserError, type ApiFailure } from '../../../src/core/errors.ts';
import type { UploadSource } from '../../../src/core/ports.ts';
import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';
import { apiAt, KEY } from './support.ts';

const signal = new AbortController().signal;

function sourceOf(text: string, fields: Partial<UploadSource> = {}): UploadSource {
  const bytes = Buffer.from(text);
  async function* read(): AsyncIterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 5) yield Promise.resolve(bytes.subarray(at, at + 5));
  }
  return { name: 'sales.csv', mimeType: 'text/csv', size: bytes.length, read, ...fields };
}

async function failureOf(promise: Promise<unknown>): Promise<ApiFailure> {
  const error: unknown = await promise.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error.failure;
}

suite('uploads', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());
  const upload = (source: UploadSource, onSent?: (bytes: number) => void, stop = signal) =>
    apiAt(server.url, { inactivityMs: 200 }).files.upload(source, stop, onSent);

  test('a file goes out as one multipart form of a known length, with its name and type', async () => {
    server.answer(replies(200, { id: 'file_1', filename: 'sales.csv', mime_type: 'text/csv', downloadable: false }));
    const sent: number[] = [];
    const file = await upload(sourceOf('a,b\n1,2\n'), (bytes) => sent.push(bytes));
    assert.deepStrictEqual(file, {
      id: 'file_1',
      name: 'sales.csv',
      mimeType: 'text/csv',
      size: 8,
      downloadable: false,
    });
    const [request] = server.requests;
    assert.ok(request);
    assert.equal(`${request.method} ${request.url}`, 'POST /v1/files');
    assert.match(request.body, /name="file"; filename="sales.csv"\r\nContent-Type: text\/csv\r\n\r\na,b\n1,2\n\r\n--/);
    assert.equal(request.headers['content-length'], String(Buffer.byteLength(request.body)));
    assert.equal(request.headers.authorization, `Bearer ${KEY}`);
    assert.deepStrictEqual(sent, [5, 8]);
  });

  test('the simulator takes it, and the bytes are the same', async () => {
    const simulator: Simulator = await startSimulator({ scenario: scripted });
    try {
      const connection = { baseUrl: simulator.url, apiKey: simulator.key };
      const api = apiAt(simulator.url, { connection: () => Promise.resolve(connection) });
      const { id } = await api.files.upload(sourceOf('Zürich ✓'), signal);
      assert.equal(simulator.files.get(id)?.size_bytes, Buffer.byteLength('Zürich ✓'));
      // An upload can't be had back: the API says so itself.
      assert.equal((await api.files.metadata(id, signal)).downloadable, false);
    } finally {
      await simulator.close();
    }
  });

  test('a file that grew or shrank meanwhile is not sent as if it were whole', async () => {
    server.answer(replies(200, { id: 'file_1' }));
    await assert.rejects(upload(sourceOf('12345678', { size: 7 })), UserError);
    await assert.rejects(upload(sourceOf('12345678', { size: 9 })), UserError);
    assert.deepStrictEqual(server.requests, []);
  });

  test('what reading the file throws is what the caller gets', async () => {
    const gone = new UserError('gone');
    async function* read(): AsyncIterable<Uint8Array> {
      yield await Promise.resolve(Buffer.from('1234'));
      throw gone;
    }
    await assert.rejects(upload(sourceOf('12345678', { read })), (error) => error === gone);
  });

  test('more than 500 MB, and names that the API does not take, are refused before anything is sent', async () => {
    assert.equal((await failureOf(upload(sourceOf('x', { size: 500 * 1024 * 1024 + 1 })))).kind, 'too-large');
    for (const name of ['', 'a/b', 'a"b', 'a\nb', 'x'.repeat(256)])
      assert.equal((await failureOf(upload(sourceOf('x', { name })))).kind, 'invalid-request', name);
    assert.deepStrictEqual(server.requests, []);
  });

  test('a full storage quota is a failure with its code', async () => {
    const details = { error_code: 'storage_quota_exceeded' };
    server.answer(replies(400, { type: 'error', error: { type: 'invalid_request_error', message: 'full', details } }));
    const failure = await failureOf(upload(sourceOf('x')));
    assert.deepStrictEqual([failure.kind, failure.code], ['invalid-request', 'storage_quota_exceeded']);
  });

  test('stopping ends it at once, and the connection with it', async () => {
    const abort = new AbortController();
    let closed: () => void = () => undefined;
    const disconnected = new Promise<void>((resolve) => (closed = resolve));
    server.answer((_request, response) => void response.on('close', closed));
    const uploading = upload(sourceOf('x'), () => setTimeout(() => abort.abort(), 10), abort.signal);
    await assert.rejects(uploading, CancelledError);
    await disconnected;
  });

  test('a server that says nothing after the last byte ends in a timeout', async () => {
    server.answer(() => undefined);
    assert.equal((await failureOf(upload(sourceOf('x')))).kind, 'timeout');
  });

  test('an answer without an id is not the Files API', async () => {
    server.answer(replies(200, { ok: true }));
    assert.equal((await failureOf(upload(sourceOf('x')))).kind, 'protocol');
  });
});
