import assert from 'node:assert/strict';
import { ApiError } from '../../../src/core/errors.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';
import { apiAt, REQUEST } from './support.ts';

const signal = new AbortController().signal;

suite('counting tokens', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer(replies(200, { input_tokens: 42 }))));
  teardown(() => server.close());

  test('sends the request without what only an answer has', async () => {
    const request = { ...REQUEST, container: 'container_1', betas: ['b-1'], previousMessageId: null };
    assert.equal(await apiAt(server.url).model.countTokens(request, signal), 42);
    const [sent] = server.requests;
    assert.ok(sent);
    assert.deepEqual([sent.method, sent.url], ['POST', '/v1/messages/count_tokens']);
    assert.equal(sent.headers['anthropic-beta'], 'b-1');
    assert.deepEqual(Object.keys(JSON.parse(sent.body) as object), ['model', 'system', 'messages']);
  });

  for (const [name, status, body] of [
    ['has no such path', 404, 'Not Found'],
    ['answers every path with a page', 200, '<html>'],
    ['answers without a count', 200, { tokens: 3 }],
  ] as const) {
    test(`is not asked again where the address ${name}`, async () => {
      server.answer(replies(status, body));
      const api = apiAt(server.url);
      assert.equal(await api.model.countTokens(REQUEST, signal), undefined);
      assert.equal(await api.model.countTokens(REQUEST, signal), undefined);
      assert.equal(server.requests.length, 1);
      // Another model or another address may have one.
      server.answer(replies(200, { input_tokens: 7 }));
      assert.equal(await api.model.countTokens({ ...REQUEST, model: 'other' }, signal), 7);
    });
  }

  test('is asked again after a failure that passes, and says what it was', async () => {
    server.answer(replies(529, { error: { type: 'overloaded_error', message: 'busy' } }));
    const api = apiAt(server.url);
    await assert.rejects(
      api.model.countTokens(REQUEST, signal),
      (error: unknown) => error instanceof ApiError && error.failure.kind === 'overloaded',
    );
    server.answer(replies(200, { input_tokens: 7 }));
    assert.equal(await api.model.countTokens(REQUEST, signal), 7);
  });

  test('needs a key like every request', async () => {
    const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url }) });
    await assert.rejects(api.model.countTokens(REQUEST, signal), ApiError);
    assert.equal(server.requests.length, 0);
  });
});
