import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApiError, CancelledError, type ApiFailure } from '../../../src/core/errors.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';
import { apiAt } from './support.ts';

const signal = new AbortController().signal;
const ID = 'file_011CNha8iCJcU1wXNR6q4V8w';

async function failureOf(promise: Promise<unknown>): Promise<ApiFailure> {
  const error: unknown = await promise.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error.failure;
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

suite('files of server tools', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  test('metadata names type, size and whether it can be downloaded', async () => {
    server.answer(
      replies(200, { id: ID, filename: '../../x', mime_type: 'image/png', size_bytes: 7, downloadable: true }),
    );
    assert.deepStrictEqual(await apiAt(server.url).files.metadata(ID, signal), {
      id: ID,
      name: '../../x',
      mimeType: 'image/png',
      size: 7,
      downloadable: true,
    });
    assert.equal(server.requests[0]?.url, `/v1/files/${ID}`);
  });

  test('metadata with nothing in it is still an answer', async () => {
    server.answer(replies(200, { size_bytes: -1 }));
    assert.deepStrictEqual(await apiAt(server.url).files.metadata(ID, signal), {
      id: ID,
      name: '',
      mimeType: 'application/octet-stream',
      size: 0,
      downloadable: true,
    });
  });

  test('content arrives as the bytes that were sent', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7) % 256));
    server.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': bytes.length });
      response.end(bytes);
    });
    assert.ok((await readAll(await apiAt(server.url).files.content(ID, signal))).equals(bytes));
    assert.equal(server.requests[0]?.url, `/v1/files/${ID}/content`);
  });

  test('content that is a web page is content: the user may have made one', async () => {
    server.answer(replies(200, '<html>report</html>', { 'content-type': 'text/html' }));
    assert.equal((await readAll(await apiAt(server.url).files.content(ID, signal))).toString(), '<html>report</html>');
  });

  test('a large file is never whole in memory', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'z');
    server.answer(async (_request, response) => {
      response.writeHead(200);
      for (let i = 0; i < 24; i++) {
        if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end();
    });
    const hash = createHash('sha256');
    let total = 0;
    let largest = 0;
    for await (const piece of await apiAt(server.url).files.content(ID, signal)) {
      total += piece.byteLength;
      largest = Math.max(largest, piece.byteLength);
      hash.update(piece);
    }
    assert.equal(total, 24 * 1024 * 1024);
    assert.ok(largest <= 4 * 1024 * 1024, `a chunk had ${largest} bytes`);
  });

  test('an expired file is not-found with its code', async () => {
    const body = {
      type: 'error',
      error: { type: 'not_found_error', message: 'File expired', details: { error_code: 'file_expired' } },
      request_id: 'req_1',
    };
    server.answer(replies(404, body));
    const expected = {
      kind: 'not-found',
      message: 'File expired',
      status: 404,
      type: 'not_found_error',
      code: 'file_expired',
      requestId: 'req_1',
    };
    assert.deepStrictEqual(await failureOf(apiAt(server.url).files.content(ID, signal)), expected);
    assert.deepStrictEqual(await failureOf(apiAt(server.url).files.metadata(ID, signal)), expected);
  });

  const ids = [
    '',
    'file_',
    'file_../../x',
    'file_a/b',
    'file_a?x=1',
    'file_a%2fb',
    '../models',
    'msg_1',
    'file_ä',
    `file_${'x'.repeat(300)}`,
  ];
  for (const id of ids) {
    test(`the id ${JSON.stringify(id).slice(0, 30)} is not asked for`, async () => {
      assert.equal((await failureOf(apiAt(server.url).files.metadata(id, signal))).kind, 'invalid-request');
      assert.equal((await failureOf(apiAt(server.url).files.content(id, signal))).kind, 'invalid-request');
      assert.equal(server.requests.length, 0);
    });
  }

  for (const announced of [true, false]) {
    test(`a download that breaks off (${announced ? 'with' : 'without'} a length) throws in the middle`, async () => {
      server.answer(async (_request, response) => {
        response.writeHead(200, { 'request-id': 'req_2', ...(announced ? { 'content-length': 1000 } : {}) });
        await new Promise((resolve) => response.write('x'.repeat(100), resolve));
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.destroy();
      });
      const content = await apiAt(server.url).files.content(ID, signal);
      const failure = await failureOf(readAll(content));
      assert.deepStrictEqual([failure.kind, failure.requestId], ['stream', 'req_2']);
    });
  }

  test('a body shorter than announced is an error where fetch lets it pass', async () => {
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response('short', { headers: { 'content-length': '1000' } }));
    const content = await apiAt(server.url, { fetch }).files.content(ID, signal);
    assert.equal((await failureOf(readAll(content))).kind, 'stream');
  });

  test('a compressed body is not measured against its length', async () => {
    const headers = { 'content-length': '1000', 'content-encoding': 'gzip' };
    const fetch = (): Promise<Response> => Promise.resolve(new Response('short', { headers }));
    assert.equal((await readAll(await apiAt(server.url, { fetch }).files.content(ID, signal))).toString(), 'short');
  });

  test('a silent download ends in a timeout', async () => {
    server.answer((_request, response) => void response.writeHead(200).write('x'));
    const content = await apiAt(server.url, { inactivityMs: 60 }).files.content(ID, signal);
    assert.equal((await failureOf(readAll(content))).kind, 'timeout');
  });

  test('a slow download that goes on is not silent', async () => {
    server.answer(async (_request, response) => {
      response.writeHead(200);
      for (let i = 0; i < 8; i++) {
        response.write('x');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      response.end();
    });
    const content = await apiAt(server.url, { inactivityMs: 200 }).files.content(ID, signal);
    assert.equal((await readAll(content)).toString(), 'xxxxxxxx');
  });

  test('cancelling in the middle throws and closes the connection', async () => {
    let closed: () => void = () => undefined;
    const disconnected = new Promise<void>((resolve) => (closed = resolve));
    server.answer((_request, response) => {
      response.on('close', closed);
      response.writeHead(200).write('x');
    });
    const controller = new AbortController();
    const content = await apiAt(server.url).files.content(ID, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(readAll(content), CancelledError);
    await disconnected;
  });

  test('leaving the loop early closes the connection', async () => {
    let closed: () => void = () => undefined;
    const disconnected = new Promise<void>((resolve) => (closed = resolve));
    server.answer((_request, response) => {
      response.on('close', closed);
      response.writeHead(200).write('x');
    });
    for await (const _chunk of await apiAt(server.url).files.content(ID, signal)) break;
    await disconnected;
  });

  test('cancelled before it began asks for nothing', async () => {
    await assert.rejects(apiAt(server.url).files.metadata(ID, AbortSignal.abort()), CancelledError);
    await assert.rejects(apiAt(server.url).files.content(ID, AbortSignal.abort()), CancelledError);
    assert.equal(server.requests.length, 0);
  });

  test('is deleted at Anthropic by its id, and a file that is gone already is no failure', async () => {
    server.answer(replies(200, { id: ID, type: 'file_deleted' }));
    await apiAt(server.url).files.remove(ID, signal);
    assert.deepEqual([server.requests[0]?.method, server.requests[0]?.url], ['DELETE', `/v1/files/${ID}`]);
    server.answer(replies(404, { type: 'error', error: { type: 'not_found_error', message: 'File not found' } }));
    await apiAt(server.url).files.remove(ID, signal);
    server.answer(replies(403, { type: 'error', error: { type: 'permission_error', message: 'No' } }));
    assert.equal((await failureOf(apiAt(server.url).files.remove(ID, signal))).kind, 'permission');
    assert.equal((await failureOf(apiAt(server.url).files.remove('../x', signal))).kind, 'invalid-request');
  });

  test('a redirect of a download is refused', async () => {
    server.answer(replies(302, '', { location: 'https://cdn.example.invalid/x' }));
    assert.equal((await failureOf(apiAt(server.url).files.content(ID, signal))).kind, 'protocol');
  });
});
