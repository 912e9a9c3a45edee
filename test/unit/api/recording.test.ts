import assert from 'node:assert/strict';
import type { StreamRecorder } from '../../../src/core/streamRecorder.ts';
import { replies, sse, startRawServer, streams, type RawServer } from '../../support/sseServer.ts';
import { answer, apiAt, streamOnce, textBlock } from './support.ts';

suite('recording event streams', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  function recorder() {
    const kept: { id: string | undefined; text: string; ended: boolean }[] = [];
    const port: StreamRecorder = {
      begin(id) {
        const stream = { id, text: '', ended: false };
        kept.push(stream);
        return {
          bytes: (chunk) => void (stream.text += new TextDecoder().decode(chunk)),
          end: () => void (stream.ended = true),
        };
      },
    };
    return { kept, port };
  }

  test('keeps what came, byte by byte, under the id of the request', async () => {
    const whole = sse(answer(textBlock(0, 'Hello')));
    server.answer(streams([whole.slice(0, 40), whole.slice(40)]));
    const { kept, port } = recorder();
    await streamOnce(apiAt(server.url, { recorder: port }));
    assert.deepStrictEqual(kept, [{ id: 'req_test', text: whole, ended: true }]);
  });

  test('keeps what came of a stream that broke', async () => {
    const half = sse(answer(textBlock(0, 'Hello'))).slice(0, 200);
    server.answer(streams([half], { cut: true }));
    const { kept, port } = recorder();
    await streamOnce(apiAt(server.url, { recorder: port }));
    assert.deepStrictEqual([kept[0]?.text, kept[0]?.ended], [half, true]);
  });

  test('keeps no answer that is not a stream', async () => {
    server.answer(replies(500, { error: { message: 'no' } }));
    const { kept, port } = recorder();
    await streamOnce(apiAt(server.url, { recorder: port }));
    assert.deepStrictEqual(kept, []);
  });
});
