import assert from 'node:assert/strict';
import type { MessageParam, TextBlockParam, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages';
import { buildBody, MAX_BODY_BYTES } from '../../../src/api/request.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { replies, sse, startRawServer, streams, type RawServer } from '../../support/sseServer.ts';
import { answer, apiAt, failureOf, KEY, REQUEST, streamOnce, withEnvironment } from './support.ts';

type Fields = Readonly<Record<string, unknown>>;

function bodyOf(request: ModelRequest): Fields {
  const body = buildBody(request);
  assert.ok(body.ok);
  return JSON.parse(body.json) as Fields;
}

const MARK = { type: 'ephemeral' } as const;
const TOOLS: readonly ToolUnion[] = [
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
];
const text = (value: string, extra: Partial<TextBlockParam> = {}): TextBlockParam => ({
  type: 'text',
  text: value,
  ...extra,
});
const user = (...content: TextBlockParam[]): MessageParam => ({ role: 'user', content });

function marksIn(value: unknown): number {
  return JSON.stringify(value).split('"cache_control"').length - 1;
}

suite('the request body', () => {
  test('has its fields in one order, what changes last', () => {
    const body = buildBody({
      ...REQUEST,
      tools: TOOLS,
      container: 'container_1',
      thinking: { type: 'adaptive' },
      messages: [user(text('Hi'))],
    });
    assert.equal(
      body.ok && body.json,
      '{"model":"claude-test","max_tokens":1024,"stream":true,"thinking":{"type":"adaptive"},"cache_control":{"type":"ephemeral"},' +
        '"tools":[{"type":"bash_20250124","name":"bash"},{"type":"text_editor_20250728","name":"str_replace_based_edit_tool"}],' +
        '"system":[{"type":"text","text":"You are a test.","cache_control":{"type":"ephemeral"}}],' +
        '"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}],"container":"container_1"}',
    );
  });

  test('leaves out what there is not: no system, tools, thinking, container', () => {
    assert.deepStrictEqual(Object.keys(bodyOf({ ...REQUEST, system: [] })), [
      'model',
      'max_tokens',
      'stream',
      'cache_control',
      'messages',
    ]);
  });

  test('carries the effort where one was chosen', () => {
    assert.deepStrictEqual(bodyOf({ ...REQUEST, effort: 'low' })['output_config'], { effort: 'low' });
    assert.ok(!('output_config' in bodyOf(REQUEST)));
  });

  test('carries no sampling parameters [C2]', () => {
    for (const name of ['temperature', 'top_p', 'top_k']) assert.ok(!(name in bodyOf(REQUEST)));
  });

  test('of a longer conversation begins with the bytes of the shorter one [C64]', () => {
    const first = [user(text('one'))];
    const second: MessageParam[] = [...first, { role: 'assistant', content: 'two' }, user(text('three'))];
    const [a, b] = [first, second].map((messages) => buildBody({ ...REQUEST, tools: TOOLS, messages }));
    assert.ok(a?.ok && b?.ok);
    assert.ok(b.json.startsWith(a.json.slice(0, a.json.lastIndexOf(']'))));
  });

  suite('cache breakpoints', () => {
    test('mark the last system block that has text, and do not touch the request', () => {
      const system = [text('a'), text('b'), text('')];
      const sent = bodyOf({ ...REQUEST, system });
      assert.deepStrictEqual(sent['system'], [text('a'), text('b', { cache_control: MARK }), text('')]);
      assert.deepStrictEqual(system, [text('a'), text('b'), text('')]);
    });

    test('mark the last tool that is not deferred where there is no system prompt', () => {
      const deferred: ToolUnion = { name: 'late', input_schema: { type: 'object' }, defer_loading: true };
      const sent = bodyOf({ ...REQUEST, system: [], tools: [...TOOLS, deferred] });
      assert.deepStrictEqual(sent['tools'], [TOOLS[0], { ...TOOLS[1], cache_control: MARK }, deferred]);
    });

    for (let own = 0; own <= 6; own++) {
      test(`are four at most with ${own} of the request’s own [C95]`, () => {
        const messages = Array.from({ length: 6 }, (_, index) =>
          user(text(`${index}`, index < own ? { cache_control: MARK } : {})),
        );
        const sent = bodyOf({ ...REQUEST, messages });
        const total = marksIn(sent);
        assert.ok(total <= Math.max(4, own), `${total} marks`);
        assert.equal(marksIn(sent['messages']), own);
        assert.equal('cache_control' in sent, own < 4);
      });
    }

    test('count those inside tool results, and not what a tool input happens to hold', () => {
      const messages: MessageParam[] = [
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'bash',
              input: { cache_control: { a: 1 }, content: [{ cache_control: {} }] },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [1, 2, 3, 4].map((n) => text(`${n}`, { cache_control: MARK })),
            },
          ],
        },
      ];
      assert.ok(!('cache_control' in bodyOf({ ...REQUEST, messages })));
      assert.ok('cache_control' in bodyOf({ ...REQUEST, messages: messages.slice(0, 1) }));
    });

    test('leave the automatic one out where the last block has another lifetime [C96]', () => {
      const hour = user(text('x', { cache_control: { type: 'ephemeral', ttl: '1h' } }));
      const five = user(text('x', { cache_control: { type: 'ephemeral', ttl: '5m' } }));
      assert.ok(!('cache_control' in bodyOf({ ...REQUEST, messages: [hour] })));
      assert.ok('cache_control' in bodyOf({ ...REQUEST, messages: [five] }));
    });

    test('keep a mark that the system block already has', () => {
      const system = [text('a', { cache_control: { type: 'ephemeral', ttl: '1h' } })];
      assert.deepStrictEqual(bodyOf({ ...REQUEST, system })['system'], system);
    });
  });

  suite('text', () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['a lone high surrogate', 'a\ud83db', 'a\ufffdb'],
      ['a lone low surrogate', 'a\ude00b', 'a\ufffdb'],
      ['a pair', 'a😀b', 'a😀b'],
      ['a pair the wrong way round', '\ude00\ud83d', '\ufffd\ufffd'],
      ['what looks like an escape', 'a\\ud83d\\\\ud83d', 'a\\ud83d\\\\ud83d'],
      ['a backslash before a lone surrogate', '\\\ud83d\\\\\ud83d', '\\\ufffd\\\\\ufffd'],
      ['quotes and control characters beside one', '"\u0000\n\ud800"', '"\u0000\n\ufffd"'],
    ];
    for (const [name, value, expected] of cases) {
      test(`with ${name} goes out well-formed [C14,XA30]`, () => {
        const messages: MessageParam[] = [
          user(text(value)),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: { [value]: [value] } }] },
        ];
        assert.deepStrictEqual(bodyOf({ ...REQUEST, messages })['messages'], [
          user(text(expected)),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'n', input: { [expected]: [expected] } }] },
        ]);
      });
    }
  });

  test('above 32 MB is refused before it is sent, and says how large it is [C6]', () => {
    const body = buildBody({ ...REQUEST, messages: [user(text('ä'.repeat(MAX_BODY_BYTES / 2)))] });
    assert.ok(!body.ok);
    assert.equal(body.failure.kind, 'too-large');
    assert.match(body.failure.message, /32\.0 MB/);
  });

  test('that can’t be written is a failure and no exception', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
    const body = buildBody({ ...REQUEST, thinking: deep });
    assert.equal(!body.ok && body.failure.kind, 'invalid-request');
  });
});

suite('what goes over the wire', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer(streams([sse(answer())]))));
  teardown(() => server.close());

  test('is one POST with version, JSON and the body as it was built [C1,C7,C148]', async () => {
    await streamOnce(apiAt(server.url));
    const [request] = server.requests;
    const body = buildBody(REQUEST);
    assert.deepStrictEqual(
      [
        request?.method,
        request?.url,
        request?.headers['content-type'],
        request?.headers['anthropic-version'],
        request?.body,
      ],
      ['POST', '/v1/messages', 'application/json', '2026-10-21', body.ok && body.json],
    );
    assert.equal(request?.headers['anthropic-beta'], undefined);
  });

  test('keeps the path of the base URL', async () => {
    for (const path of ['/gateway/anthropic', '/gateway/anthropic/']) await streamOnce(apiAt(server.url + path));
    assert.deepStrictEqual(
      server.requests.map((request) => request.url),
      ['/gateway/anthropic/v1/messages', '/gateway/anthropic/v1/messages'],
    );
  });

  test('names betas once each, the settings’ first [C18]', async () => {
    const connection = { baseUrl: server.url, apiKey: KEY, headers: { 'Anthropic-Beta': 'mine-1, shared-1' } };
    const api = apiAt('', { connection: () => Promise.resolve(connection) });
    await streamOnce(api, { ...REQUEST, betas: ['shared-1', 'ours-1'] });
    assert.equal(server.requests[0]?.headers['anthropic-beta'], 'mine-1,shared-1,ours-1');
  });

  const credentials: readonly (readonly [string, object, Fields])[] = [
    ['the key as bearer', { apiKey: KEY }, { authorization: `Bearer ${KEY}` }],
    ['the key without the blanks around it', { apiKey: ` ${KEY}\n` }, { authorization: `Bearer ${KEY}` }],
    ['the token as bearer', { authToken: 'token-1' }, { authorization: 'Bearer token-1' }],
    ['the key where there are both', { apiKey: KEY, authToken: 'token-1' }, { authorization: `Bearer ${KEY}` }],
    [
      'x-api-key instead of the bearer',
      { apiKey: KEY, headers: { 'X-Api-Key': 'gw-123456' } },
      { 'x-api-key': 'gw-123456' },
    ],
    ['the key as x-api-key', { apiKey: KEY, keyHeader: 'x-api-key' }, { 'x-api-key': KEY }],
    [
      'a token as bearer, whatever carries keys',
      { authToken: 'token-123456', keyHeader: 'x-api-key' },
      { authorization: 'Bearer token-123456' },
    ],
    ['x-api-key alone', { headers: { 'x-api-key': 'gw-123456' } }, { 'x-api-key': 'gw-123456' }],
    ['an Authorization of the settings', { headers: { Authorization: 'Basic abc' } }, { authorization: 'Basic abc' }],
    [
      'x-api-key where the settings have both',
      { headers: { 'x-api-key': 'gw-123456', authorization: 'Basic abc' } },
      { 'x-api-key': 'gw-123456' },
    ],
    [
      'other headers beside the key',
      { apiKey: KEY, headers: { 'X-Team': 'red' } },
      { authorization: `Bearer ${KEY}`, 'x-team': 'red' },
    ],
  ];
  for (const [name, connection, expected] of credentials) {
    test(`carries exactly one credential: ${name} [C5]`, async () => {
      const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url, ...connection }) });
      const { outcome } = await streamOnce(api);
      assert.equal(outcome.kind, 'finished');
      const headers = server.requests[0]?.headers ?? {};
      const sent = ['authorization', 'x-api-key', 'x-team'].filter((header) => header in headers);
      assert.deepStrictEqual(Object.fromEntries(sent.map((header) => [header, headers[header]])), expected);
    });
  }

  test('is nothing without a key, even where the environment has one', async () => {
    await withEnvironment({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_AUTH_TOKEN: KEY }, async () => {
      for (const connection of [
        {},
        { apiKey: '' },
        { apiKey: ' \n', authToken: ' ' },
        { headers: { 'x-team': 'red' } },
      ]) {
        const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url, ...connection }) });
        const { outcome } = await streamOnce(api);
        assert.equal(failureOf(outcome).kind, 'no-key');
      }
      assert.equal(server.requests.length, 0);
    });
  });

  test('does not depend on the base URL or log level of the environment', async () => {
    const written: string[] = [];
    const { log, debug, info } = console;
    console.log = console.debug = console.info = (...parts: unknown[]) => void written.push(parts.join(' '));
    try {
      await withEnvironment({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_LOG: 'debug' }, async () => {
        assert.equal((await streamOnce(apiAt(server.url))).outcome.kind, 'finished');
      });
    } finally {
      Object.assign(console, { log, debug, info });
    }
    assert.deepStrictEqual(written, []);
  });

  test('carries no header of the environment that the connection does not have [C5]', async () => {
    await withEnvironment({ ANTHROPIC_CUSTOM_HEADERS: 'x-api-key: from-environment\nx-team: red' }, async () => {
      await streamOnce(apiAt(server.url));
      assert.equal(process.env['ANTHROPIC_CUSTOM_HEADERS']?.length, 39);
    });
    const { authorization, 'x-api-key': key, 'x-team': team } = server.requests[0]?.headers ?? {};
    assert.deepStrictEqual([authorization, key, team], [`Bearer ${KEY}`, undefined, undefined]);
  });

  test('follows a change of key and address from one request to the next', async () => {
    const other = await startRawServer(streams([sse(answer())]));
    try {
      let connection: { baseUrl: string; apiKey: string } = { baseUrl: server.url, apiKey: KEY };
      const api = apiAt('', { connection: () => Promise.resolve(connection) });
      await streamOnce(api);
      connection = { baseUrl: server.url, apiKey: 'sk-ant-other' };
      await streamOnce(api);
      connection = { baseUrl: other.url, apiKey: 'sk-ant-third' };
      await streamOnce(api);
      assert.deepStrictEqual(
        [...server.requests, ...other.requests].map((request) => request.headers.authorization),
        [`Bearer ${KEY}`, 'Bearer sk-ant-other', 'Bearer sk-ant-third'],
      );
    } finally {
      await other.close();
    }
  });

  const unsendable: readonly (readonly [string, object, string, RegExp])[] = [
    ['a key with a line break inside', { apiKey: 'sk-ant-a\nb' }, 'authentication', /Paste it again/],
    ['a key in typographic quotes', { apiKey: '“sk-ant-abc”' }, 'authentication', /Paste it again/],
    ['a header with a line break', { apiKey: KEY, headers: { 'x-a': 'hidden\r\nx-b: 1' } }, 'invalid-request', /x-a/],
    ['a header name with a blank', { apiKey: KEY, headers: { 'x a': 'hidden1' } }, 'invalid-request', /x a/],
  ];
  for (const [name, connection, kind, message] of unsendable) {
    test(`is nothing with ${name}, and the value is not shown`, async () => {
      const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url, ...connection }) });
      const { outcome } = await streamOnce(api);
      assert.ok(outcome.kind === 'failed');
      assert.equal(outcome.failure.kind, kind);
      assert.match(outcome.failure.message, message);
      assert.ok(!/hidden|sk-ant-a/.test(outcome.failure.message));
      assert.equal(server.requests.length, 0);
    });
  }

  test('reaches a server that answers with a status only', async () => {
    server.answer(replies(503, ''));
    const { outcome } = await streamOnce(apiAt(server.url));
    assert.equal(outcome.kind === 'failed' && outcome.failure.status, 503);
  });
});
