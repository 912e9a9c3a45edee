import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describeNetworkError, isRedirectError } from '../../../src/api/networkError.ts';
import { plainText, retryAfterOf } from '../../../src/api/failure.ts';
import type { ApiFailure } from '../../../src/core/errors.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';
import { apiAt, failureOf, KEY, recordingLogger, streamOnce } from './support.ts';

interface Row {
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  readonly kind: ApiFailure['kind'];
}

const STATUSES: readonly Row[] = [
  { status: 400, type: 'invalid_request_error', kind: 'invalid-request' },
  { status: 400, type: 'invalid_request_error', code: 'organization_on_hold', kind: 'invalid-request' },
  { status: 400, type: 'invalid_request_error', code: 'image_dimensions_too_large', kind: 'invalid-request' },
  { status: 401, type: 'authentication_error', kind: 'authentication' },
  { status: 402, type: 'billing_error', kind: 'billing' },
  { status: 402, type: 'billing_error', code: 'linked_organization_spend_limit_reached', kind: 'spend-limit' },
  { status: 403, type: 'permission_error', kind: 'permission' },
  { status: 404, type: 'not_found_error', kind: 'not-found' },
  { status: 405, kind: 'not-found' },
  { status: 408, kind: 'timeout' },
  { status: 409, type: 'conflict_error', kind: 'server' },
  { status: 413, type: 'request_too_large', kind: 'too-large' },
  { status: 418, kind: 'unknown' },
  { status: 422, kind: 'invalid-request' },
  { status: 429, type: 'rate_limit_error', kind: 'rate-limit' },
  { status: 429, type: 'rate_limit_error', code: 'ramp_limit_exceeded', kind: 'rate-limit' },
  { status: 429, type: 'rate_limit_error', code: 'contract_spend_limit_reached', kind: 'spend-limit' },
  { status: 429, type: 'rate_limit_error', code: 'enforced_spend_limit_reached', kind: 'spend-limit' },
  { status: 429, type: 'rate_limit_error', code: 'some_future_code', kind: 'rate-limit' },
  { status: 500, type: 'api_error', kind: 'server' },
  { status: 500, type: 'some_future_error', kind: 'server' },
  { status: 501, kind: 'not-found' },
  { status: 502, kind: 'server' },
  { status: 503, type: 'overloaded_error', kind: 'overloaded' },
  { status: 504, type: 'timeout_error', kind: 'timeout' },
  { status: 529, type: 'overloaded_error', kind: 'overloaded' },
];

suite('failures of a request', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  async function failureFor(...args: Parameters<typeof replies>): Promise<ApiFailure> {
    server.answer(replies(...args));
    const { outcome } = await streamOnce(apiAt(server.url));
    return failureOf(outcome);
  }

  for (const { status, type, code, kind } of STATUSES) {
    test(`${status} ${type ?? ''} ${code ?? ''} is ${kind} [C87,C90]`, async () => {
      const details = code === undefined ? {} : { details: { error_code: code, more: 1 } };
      const error = { ...(type === undefined ? {} : { type }), message: 'As the API says it', ...details };
      const failure = await failureFor(status, { type: 'error', error, request_id: 'req_body' });
      assert.deepStrictEqual(failure, {
        kind,
        message: 'As the API says it',
        status,
        ...(type === undefined ? {} : { type }),
        ...(code === undefined ? {} : { code }),
        requestId: 'req_body',
      });
    });
  }

  const bodies: readonly (readonly [string, string | object, RegExp])[] = [
    [
      'an HTML page',
      '<html><head><style>b{}</style><script>x()</script></head><body><h1>413</h1>Too <b>Large</b></body></html>',
      /^413 Too Large$/,
    ],
    ['plain text', 'upstream connect error', /^upstream connect error$/],
    ['nothing', '', /answered with HTTP status 413 and no explanation/],
    ['cut JSON', '{"type":"error","error":{"mess', /^\{"type":"error"/],
    ['a message elsewhere', { message: 'gateway says no' }, /^gateway says no$/],
    ['an error as text', { error: 'model not loaded' }, /^model not loaded$/],
    ['FastAPI’s detail', { detail: 'Not authenticated' }, /^Not authenticated$/],
    ['JSON of another kind', { code: 7 }, /^\{"code":7\}$/],
    ['an array', [1, 2], /\[1,2\]|no explanation/],
    ['an empty message', { error: { message: '' } }, /message/],
  ];
  for (const [name, body, message] of bodies) {
    test(`a body that is ${name} is handled [C93]`, async () => {
      const failure = await failureFor(413, body);
      assert.deepStrictEqual([failure.kind, failure.status], ['too-large', 413]);
      assert.match(failure.message, message);
    });
  }

  test('a long page is cut to 500 characters', async () => {
    const failure = await failureFor(502, `<p>${'word '.repeat(10_000)}</p>`);
    assert.equal(failure.message.length, 500);
  });

  test('the id comes from the header, or else from the body, or from the gateway’s own header', async () => {
    const body = { type: 'error', error: { type: 'api_error', message: 'm' }, request_id: 'req_body' };
    assert.equal((await failureFor(500, body, { 'request-id': 'req_header' })).requestId, 'req_header');
    assert.equal((await failureFor(500, body)).requestId, 'req_body');
    assert.equal((await failureFor(500, '', { 'x-amzn-requestid': 'aws-1' })).requestId, 'aws-1');
    assert.equal((await failureFor(500, '')).requestId, undefined);
  });

  test('x-should-retry is passed on where it is true or false [C88]', async () => {
    const sent = ['true', 'false', 'maybe'];
    const seen: (boolean | undefined)[] = [];
    for (const value of sent) seen.push((await failureFor(500, '', { 'x-should-retry': value })).shouldRetry);
    assert.deepStrictEqual(seen, [true, false, undefined]);
  });

  test('retry-after reaches the failure', async () => {
    assert.equal((await failureFor(429, '', { 'retry-after': '7' })).retryAfterMs, 7_000);
    assert.equal((await failureFor(429, '', { 'retry-after': '99999999' })).retryAfterMs, 99_999_999_000);
  });

  test('a key that the server echoes, plain or in a header dump, is not in the failure or the log [XN8]', async () => {
    const logger = recordingLogger();
    const headers = { 'x-gateway-token': 'gateway-secret-1' };
    const api = apiAt('', { logger, connection: () => Promise.resolve({ baseUrl: server.url, apiKey: KEY, headers }) });
    const echo = `bad key ${KEY}; headers {"authorization":"Bearer ${KEY}","x-gateway-token":"gateway-secret-1"}; ${encodeURIComponent(KEY)}`;
    for (const body of [echo, { error: { type: 'authentication_error', message: echo } }]) {
      server.answer(replies(401, body));
      const { outcome } = await streamOnce(api);
      const text = JSON.stringify(outcome) + logger.lines.join();
      assert.ok(!text.includes('sk-ant') && !text.includes('gateway-secret'), text);
      assert.match(text, /bad key \[redacted\]/);
    }
  });

  test('of the token of an MCP server do not blame the key', async () => {
    const message = 'Authentication error while communicating with MCP server "tracker"';
    const body = { type: 'error', error: { type: 'authentication_error', message } };
    const failure = await failureFor(401, body);
    assert.deepEqual([failure.kind, failure.message], ['invalid-request', message]);
  });

  suite('of the network', () => {
    async function refusedPort(): Promise<number> {
      const probe = createServer();
      await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
      const { port } = probe.address() as AddressInfo;
      await new Promise((resolve) => probe.close(resolve));
      return port;
    }

    test('a refused connection names the host and the code', async () => {
      const port = await refusedPort();
      const { outcome } = await streamOnce(apiAt(`http://127.0.0.1:${port}`));
      assert.ok(outcome.kind === 'failed');
      assert.deepStrictEqual([outcome.failure.kind, outcome.failure.code], ['connection', 'ECONNREFUSED']);
      assert.ok(outcome.failure.message.includes(`127.0.0.1:${port}`));
    });

    test('an error without a code says what its cause says', async () => {
      const fetch = (): Promise<never> =>
        Promise.reject(new TypeError('fetch failed', { cause: new Error(`odd thing about ${KEY}`) }));
      const { outcome } = await streamOnce(apiAt(server.url, { fetch }));
      assert.ok(outcome.kind === 'failed');
      assert.equal(outcome.failure.kind, 'connection');
      assert.match(outcome.failure.message, /odd thing about \[redacted\]$/);
    });

    test('a server that speaks no TLS is a connection failure', async () => {
      const { outcome } = await streamOnce(apiAt(server.url.replace('http:', 'https:')));
      assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'connection');
    });

    test('a connection that closes without a word is a connection failure', async () => {
      server.answer((_request, response) => void response.destroy());
      const { outcome } = await streamOnce(apiAt(server.url));
      assert.equal(outcome.kind === 'failed' && outcome.failure.kind, 'connection');
    });

    const caused = (code: string): Error =>
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) });
    const legs: readonly (readonly [string, unknown, string])[] = [
      ['ENOTFOUND', caused('ENOTFOUND'), 'dns'],
      ['EAI_AGAIN', caused('EAI_AGAIN'), 'dns'],
      ['ECONNREFUSED', caused('ECONNREFUSED'), 'connect'],
      ['UND_ERR_CONNECT_TIMEOUT', caused('UND_ERR_CONNECT_TIMEOUT'), 'connect'],
      ['EHOSTUNREACH', caused('EHOSTUNREACH'), 'connect'],
      ['SELF_SIGNED_CERT_IN_CHAIN', caused('SELF_SIGNED_CERT_IN_CHAIN'), 'tls'],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', caused('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', caused('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls'],
      ['UND_ERR_SOCKET', caused('UND_ERR_SOCKET'), 'lost'],
      ['ECONNRESET', caused('ECONNRESET'), 'lost'],
      ['Chromium’s names', new Error('net::ERR_NAME_NOT_RESOLVED'), 'dns'],
      [
        'Chromium’s certificates',
        new TypeError('Failed', { cause: new Error('net::ERR_CERT_AUTHORITY_INVALID') }),
        'tls',
      ],
      ['Chromium’s proxy', new Error('net::ERR_PROXY_CONNECTION_FAILED'), 'proxy'],
      ['Chromium’s tunnel', new Error('net::ERR_TUNNEL_CONNECTION_FAILED'), 'proxy'],
      [
        'undici’s proxy',
        new TypeError('fetch failed', { cause: new Error('Proxy response (407) !== 200 when HTTP Tunneling') }),
        'proxy',
      ],
      ['Chromium offline', new Error('net::ERR_INTERNET_DISCONNECTED'), 'connect'],
      [
        'one attempt per address',
        new TypeError('fetch failed', {
          cause: new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })]),
        }),
        'connect',
      ],
    ];
    for (const [name, error, leg] of legs) {
      test(`${name} means ${leg}, and the text names the host`, () => {
        const problem = describeNetworkError(error, 'gw.example.com');
        assert.ok(problem);
        assert.equal(problem.leg, leg);
        assert.match(problem.message, /gw\.example\.com/);
      });
    }

    test('what is no network error is not taken for one', () => {
      const loop = new Error('loop');
      loop.cause = loop;
      for (const error of [new Error('bug'), loop, null, 'text', undefined, { code: 7 }]) {
        assert.equal(describeNetworkError(error, 'h'), undefined);
      }
      assert.ok(!isRedirectError(new Error('bug')));
    });
  });

  suite('retry-after', () => {
    const now = Date.UTC(2026, 10, 30, 12, 0, 0);
    const cases: readonly (readonly [Record<string, string>, number | undefined])[] = [
      [{}, undefined],
      [{ 'retry-after': '12' }, 12_000],
      [{ 'retry-after': '1.5' }, 1_500],
      [{ 'retry-after': '0' }, undefined],
      [{ 'retry-after': '-5' }, undefined],
      [{ 'retry-after': 'soon' }, undefined],
      [{ 'retry-after': '' }, undefined],
      [{ 'retry-after': '2x' }, undefined],
      [{ 'retry-after': '9'.repeat(400) }, undefined],
      [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:30 GMT' }, 30_000],
      [{ 'retry-after': 'Mon, 30 Nov 2026 11:59:00 GMT' }, undefined],
      [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
      [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
    ];
    for (const [headers, expected] of cases) {
      test(`${JSON.stringify(headers).slice(0, 60)} asks for ${expected ?? 'nothing'}`, () => {
        assert.equal(retryAfterOf(new Headers(headers), now), expected);
      });
    }
  });

  test('stripping a page takes time in proportion to it', () => {
    const started = performance.now();
    for (const unit of ['<script>', '<', '<a', '> <', '<!--']) plainText(unit.repeat(100_000));
    assert.ok(performance.now() - started < 2_000);
  });
});
