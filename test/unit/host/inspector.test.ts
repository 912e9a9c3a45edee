import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildBody } from '../../../src/api/request.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { curlOf, renderAnswer, renderRequest } from '../../../src/host/inspector/render.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';

const REQUEST: ModelRequest = {
  model: 'claude-x',
  maxTokens: 100,
  system: [{ type: 'text', text: 'System '.repeat(60) }],
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'It\'s $HOME, `id` and "quotes" \\ LOOPDOCK_BODY\n' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'Yes' }] },
    { role: 'user', content: [{ type: 'text', text: 'More '.repeat(50) }] },
  ],
  betas: ['one-2026', 'two-2026'],
};
const built = buildBody(REQUEST);
const BODY = built.ok ? built.json : '';

suite('the request inspector', () => {
  test('shows the whole body: without its comments it is what was sent', () => {
    const text = renderRequest(BODY, undefined);
    const json = text.replace(/^\s*\/\/.*$/gm, '');
    assert.deepEqual(JSON.parse(json), JSON.parse(BODY));
  });

  test('marks the breakpoints, and about how far the cache was read', () => {
    const usage = { cache_read_input_tokens: 400, cache_creation_input_tokens: 0, input_tokens: 400, output_tokens: 1 };
    const lines = renderRequest(BODY, usage).split('\n');
    const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line));
    assert.ok(at(/400 input tokens read/) >= 0);
    assert.ok(at(/cache breakpoint ──/) > at(/"system": \[/));
    assert.ok(at(/up to here/) > at(/System System/));
    assert.ok(at(/up to here/) < at(/More More/));
    const none = renderRequest(BODY, { ...usage, cache_read_input_tokens: 0 });
    assert.doesNotMatch(none, /up to here/);
  });

  test('shows an answer as text, with other blocks as JSON, and how it ended', () => {
    const text = renderAnswer({
      blocks: [
        { type: 'text', text: 'Hello', citations: null },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { a: 1 } } as never,
      ],
      finished: { stopReason: 'tool_use' } as never,
    });
    assert.match(text, /^Hello\n\n\[tool_use\]\n\{[^]*"toolu_1"[^]*\[stop_reason\] tool_use/);
  });

  test('shows what the API said where there was no answer', () => {
    const failure = { kind: 'invalid-request', message: 'No such thing', status: 400 };
    assert.match(renderAnswer({ blocks: [], failed: { failure } as never }), /^\[failure\]\n\n\{[^]*"No such thing"/);
  });

  suite('copies a request as curl', () => {
    let server: RawServer;
    setup(async () => (server = await startRawServer(replies(200, { ok: true }))));
    teardown(() => server.close());

    const run = async (command: string) =>
      (
        await promisify(execFile)('sh', ['-c', command], {
          env: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'key-of-env', GW: 'gw-secret', HOME: '/nowhere' },
        })
      ).stdout;

    test('that sends the same bytes with the key of the environment when it is run', async () => {
      const command = curlOf({
        ...{ baseUrl: server.url, body: BODY, betas: REQUEST.betas, keyHeader: 'authorization' },
        headers: { 'x-gw': 'v1 ${env:GW}', 'x-price': '5$ "a" `id`', 'x-token': 'in-the-settings' },
      });
      assert.doesNotMatch(command, /key-of-env|gw-secret|in-the-settings/);
      assert.equal(await run(command), '{"ok":true}');
      const request = server.requests[0] ?? assert.fail();
      assert.equal(request.body.trimEnd(), BODY);
      assert.deepEqual([request.method, request.url], ['POST', '/v1/messages']);
      assert.equal(request.headers.authorization, 'Bearer key-of-env');
      assert.equal(request.headers['x-gw'], 'v1 gw-secret');
      assert.equal(request.headers['x-price'], '5$ "a" `id`');
      assert.equal(request.headers['anthropic-beta'], 'one-2026,two-2026');
      assert.equal(request.headers['anthropic-version'], '2026-10-21');
    });

    test('with exactly one credential, whichever the settings want [C5]', async () => {
      const base = { baseUrl: server.url, body: BODY, betas: [] } as const;
      await run(curlOf({ ...base, keyHeader: 'x-api-key', headers: {} }));
      await run(curlOf({ ...base, keyHeader: 'authorization', headers: { 'X-Api-Key': '${env:GW}' } }));
      assert.deepEqual(
        server.requests.map(({ headers }) => [headers.authorization, headers['x-api-key']]),
        [
          [undefined, 'key-of-env'],
          [undefined, 'gw-secret'],
        ],
      );
    });
  });
});
