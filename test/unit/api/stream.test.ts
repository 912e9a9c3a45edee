import assert from 'node:assert/strict';
import { startRawServer, sse, streams, replies, type RawServer } from '../../support/sseServer.ts';
import { answer, apiAt, blocksOf, messageStart, REQUEST, streamOnce, textBlock } from './support.ts';

suite('the model stream', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  test('delivers a plain answer block by block', async () => {
    server.answer(streams([sse(answer(textBlock(0, 'Hel', 'lo')))]));
    const { events, outcome } = await streamOnce(apiAt(server.url));
    assert.deepStrictEqual(events, [
      { type: 'messageStart', apiMessageId: 'msg_1', model: 'claude-test-1' },
      { type: 'blockStart', index: 0, block: { type: 'text', text: '', citations: null } },
      { type: 'blockDelta', index: 0, field: 'text', text: 'Hel' },
      { type: 'blockDelta', index: 0, field: 'text', text: 'lo' },
      { type: 'blockStop', index: 0, block: { type: 'text', text: 'Hello', citations: null } },
    ]);
    assert.deepStrictEqual(outcome, {
      kind: 'finished',
      apiMessageId: 'msg_1',
      model: 'claude-test-1',
      stopReason: 'end_turn',
      stopSequence: null,
      container: null,
      usage: { input_tokens: 10, output_tokens: 7, cache_creation_input_tokens: 3, cache_read_input_tokens: 5 },
      requestId: 'req_test',
    });
  });

  test('fails with the API’s own words when the key is wrong', async () => {
    server.answer(
      replies(
        401,
        { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' }, request_id: 'req_b' },
        { 'request-id': 'req_h' },
      ),
    );
    const { outcome } = await streamOnce(apiAt(server.url));
    assert.deepStrictEqual(outcome, {
      kind: 'failed',
      failure: {
        kind: 'authentication',
        message: 'invalid x-api-key',
        status: 401,
        type: 'authentication_error',
        requestId: 'req_h',
      },
    });
  });

  test('is cut: the outcome is a stream failure', async () => {
    server.answer(streams([sse([messageStart(), ...textBlock(0, 'x')])], { cut: true }));
    const { events, outcome } = await streamOnce(apiAt(server.url));
    assert.deepStrictEqual(blocksOf(events), [{ type: 'text', text: 'x', citations: null }]);
    assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'stream');
  });

  test('is cancelled before it began: nothing is sent', async () => {
    const { outcome, events } = await streamOnce(apiAt(server.url), REQUEST, AbortSignal.abort());
    assert.deepStrictEqual([outcome, events, server.requests.length], [{ kind: 'cancelled' }, [], 0]);
  });
});
