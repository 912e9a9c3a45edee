import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { replies, sse, startRawServer, streams, type RawServer } from '../../support/sseServer.ts';
import { answer, apiAt, failureOf, KEY, recordingLogger, streamOnce, textBlock } from './support.ts';

suite('a server that is not the API', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  suite('an answer that is not the API’s', () => {
    const notTheApi: readonly (readonly [string, string, string, RegExp])[] = [
      ['a sign-in page', 'text/html; charset=utf-8', '<html><body>Sign in</body></html>', /web page/],
      ['plain text', 'text/plain', 'hello', /text\/plain/],
      ['JSON that is no message', 'application/json', '{"ok":true}', /not a message/],
      ['a message whose content is null', 'application/json', '{"type":"message","content":null}', /not a message/],
      ['JSON that is none', 'application/json', '{"ok"', /not JSON/],
      ['nothing at all', 'application/json', '', /not JSON/],
    ];
    for (const [name, type, body, message] of notTheApi) {
      test(`${name} with status 200 is a protocol failure in plain words [XA32,XA34,XN12]`, async () => {
        server.answer(replies(200, body, { 'content-type': type, 'request-id': 'req_1' }));
        const failure = failureOf((await streamOnce(apiAt(server.url))).outcome);
        assert.deepStrictEqual([failure.kind, failure.requestId], ['protocol', 'req_1']);
        assert.match(failure.message, message);
        assert.ok(failure.message.includes(server.host));
      });
    }

    test('an empty event stream is a broken stream [XA33]', async () => {
      server.answer(streams([]));
      assert.equal(failureOf((await streamOnce(apiAt(server.url))).outcome).kind, 'stream');
    });

    test('an error object with status 200 is that error [XN12]', async () => {
      server.answer(replies(200, { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }));
      assert.equal(failureOf((await streamOnce(apiAt(server.url))).outcome).kind, 'overloaded');
    });

    test('an error body without end is left after its first part', async () => {
      let closed: () => void = () => undefined;
      const disconnected = new Promise<void>((resolve) => (closed = resolve));
      server.answer((_request, response) => {
        response.on('close', closed);
        response.writeHead(500, { 'content-type': 'text/plain' });
        response.write('word '.repeat(40_000));
      });
      assert.equal(failureOf((await streamOnce(apiAt(server.url))).outcome).kind, 'server');
      await disconnected;
    });

    test('a gzip bomb as error body is read to a limit only [XN12]', async () => {
      const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 'x'));
      server.answer((_request, response) => {
        response.writeHead(500, { 'content-encoding': 'gzip', 'content-type': 'text/plain' });
        response.end(bomb);
      });
      const failure = failureOf((await streamOnce(apiAt(server.url))).outcome);
      assert.deepStrictEqual([failure.kind, failure.status], ['server', 500]);
      assert.ok(failure.message.length <= 500);
    });
  });

  suite('redirects', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      test(`${status} to another origin is refused: neither key nor body go there [XN5]`, async () => {
        const other = await startRawServer(streams([sse(answer(textBlock(0, 'stolen')))]));
        try {
          server.answer(replies(status, '', { location: `${other.url}/v1/messages` }));
          const logger = recordingLogger();
          const headers = { 'x-api-key': 'gateway-key-1234' };
          for (const connection of [{ apiKey: KEY }, { headers }]) {
            const api = apiAt('', {
              logger,
              connection: () => Promise.resolve({ baseUrl: server.url, ...connection }),
            });
            const failure = failureOf((await streamOnce(api)).outcome);
            assert.equal(failure.kind, 'protocol');
            assert.match(failure.message, /redirect/);
          }
          assert.deepStrictEqual([other.requests.length, other.connections], [0, 0]);
        } finally {
          await other.close();
        }
      });
    }

    for (const target of ['/elsewhere', 'file:///etc/passwd', 'http://example.invalid/']) {
      test(`to ${target} is refused as well [XN6,XN7]`, async () => {
        server.answer(replies(307, '', { location: target }));
        assert.equal(failureOf((await streamOnce(apiAt(server.url))).outcome).kind, 'protocol');
        assert.equal(server.requests.length, 1);
      });
    }

    test('are refused even where fetch followed one all the same', async () => {
      const fetch = (): Promise<Response> => {
        const response = new Response(sse(answer()), { headers: { 'content-type': 'text/event-stream' } });
        Object.defineProperty(response, 'redirected', { value: true });
        return Promise.resolve(response);
      };
      assert.equal(failureOf((await streamOnce(apiAt(server.url, { fetch }))).outcome).kind, 'protocol');
    });
  });
});
