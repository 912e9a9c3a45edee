import assert from 'node:assert/strict';
import { toModelInfo } from '../../../src/api/models.ts';
import { ApiError, CancelledError, type ApiFailure } from '../../../src/core/errors.ts';
import { fakeClock } from '../../support/fakes.ts';
import { replies, startRawServer, type RawServer } from '../../support/sseServer.ts';
import { apiAt, KEY } from './support.ts';

const signal = new AbortController().signal;

async function failureOf(promise: Promise<unknown>): Promise<ApiFailure> {
  const error: unknown = await promise.then(
    () => assert.fail('it should have failed'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError);
  return error.failure;
}

suite('the list of models', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  const page = (ids: readonly string[], more = false): object => ({
    data: ids.map((id) => ({ id, type: 'model', display_name: id.toUpperCase() })),
    has_more: more,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
  });

  test('is read page by page, in the server’s order', async () => {
    server.answer((request, response) => {
      const after = new URL(request.url, server.url).searchParams.get('after_id');
      return replies(200, after === null ? page(['c', 'b'], true) : page(['a']))(request, response);
    });
    const models = await apiAt(server.url).model.models(signal);
    assert.deepStrictEqual(
      models.map((model) => model.label),
      ['C', 'B', 'A'],
    );
    assert.deepStrictEqual(
      server.requests.map((request) => [request.method, request.url]),
      [
        ['GET', '/v1/models?limit=1000'],
        ['GET', '/v1/models?limit=1000&after_id=b'],
      ],
    );
  });

  test('ends where a server keeps saying that there is more', async () => {
    server.answer(replies(200, page(['a'], true)));
    assert.equal((await apiAt(server.url).model.models(signal)).length, 1);
    assert.equal(server.requests.length, 2);
    let count = 0;
    server.answer((request, response) => void replies(200, page([`m${count++}`], true))(request, response));
    assert.equal((await apiAt(server.url).model.models(signal)).length, 20);
  });

  test('is kept until it is asked for anew or the connection changes', async () => {
    server.answer(replies(200, page(['a'])));
    let apiKey = KEY;
    const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url, apiKey }) });
    await api.model.models(signal);
    await api.model.models(signal);
    assert.equal(server.requests.length, 1);
    await api.model.models(signal, true);
    assert.equal(server.requests.length, 2);
    apiKey = 'sk-ant-other';
    await api.model.models(signal);
    assert.equal(server.requests.length, 3);
  });

  test('is not kept when it failed', async () => {
    server.answer(replies(500, ''));
    const api = apiAt(server.url);
    await failureOf(api.model.models(signal));
    server.answer(replies(200, page(['a'])));
    assert.equal((await api.model.models(signal)).length, 1);
  });

  test('is asked for without the name of a beta where an address refuses it', async () => {
    server.answer((request, response) => {
      const named = request.headers['anthropic-beta'] !== undefined;
      return replies(
        named ? 400 : 200,
        named ? '{"type":"error","error":{"type":"invalid_request_error"}}' : page(['a']),
      )(request, response);
    });
    assert.equal((await apiAt(server.url).model.models(signal)).length, 1);
    assert.equal(server.requests[0]?.headers['anthropic-beta'], 'compact-2026-09-04');
    assert.equal(server.requests.length, 2);
  });

  test('says not-found where a gateway has no Models API', async () => {
    for (const status of [404, 405, 501]) {
      server.answer(replies(status, '<h1>no</h1>'));
      assert.equal((await failureOf(apiAt(server.url).model.models(signal))).kind, 'not-found');
    }
  });

  test('says protocol for a web page, authentication for a wrong key, no-key without one', async () => {
    server.answer(replies(200, '<html>', { 'content-type': 'text/html', 'request-id': 'req_7' }));
    const page200 = await failureOf(apiAt(server.url).model.models(signal));
    assert.deepStrictEqual([page200.kind, page200.requestId], ['protocol', 'req_7']);
    server.answer(replies(401, { error: { type: 'authentication_error', message: `bad ${KEY}` } }));
    const wrong = await failureOf(apiAt(server.url).model.models(signal));
    assert.deepStrictEqual([wrong.kind, wrong.message], ['authentication', 'bad [redacted]']);
    const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url }) });
    assert.equal((await failureOf(api.model.models(signal))).kind, 'no-key');
  });

  test('can be cancelled while the server keeps silent', async () => {
    server.answer(() => undefined);
    const controller = new AbortController();
    const promise = apiAt(server.url).model.models(controller.signal);
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(promise, CancelledError);
  });

  test('fails with a timeout where the server keeps silent for half a minute', async () => {
    const clock = fakeClock();
    let arrived: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    server.answer(() => {
      arrived();
    });
    const failure = failureOf(apiAt(server.url, { clock }).model.models(signal));
    await asked;
    await clock.advance(30_000);
    assert.equal((await failure).kind, 'timeout');
    assert.equal(clock.waiting, 0);
  });

  test('is empty where data is missing', async () => {
    server.answer(replies(200, {}));
    assert.deepStrictEqual(await apiAt(server.url).model.models(signal), []);
  });
});

suite('what is known of a model', () => {
  test('is read from the capabilities [C10]', () => {
    const model = {
      id: 'claude-x',
      display_name: 'Claude X',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: {
        code_execution: { supported: true },
        server_tools: { supported: true, code_execution: { supported: false }, web_search: { supported: true } },
        thinking: { supported: true, types: { adaptive: { supported: true }, enabled: { supported: false } } },
        effort: { supported: true, low: { supported: true }, max: { supported: false }, xhigh: null },
        context_management: { supported: true, clear_tool_uses_20250919: { supported: true }, compact_20260112: null },
        compaction: { supported: true, summarize: { supported: true } },
      },
    };
    assert.deepStrictEqual(toModelInfo(model), {
      id: 'claude-x',
      label: 'Claude X',
      maxInputTokens: 200_000,
      maxTokens: 64_000,
      serverTools: { code_execution: false, web_search: true },
      thinkingTypes: { adaptive: true, enabled: false },
      effort: { low: true, max: false },
      contextEdits: { clear_tool_uses_20250919: true },
      compaction: { summarize: true },
      programmatic: true,
    });
  });

  const unknown: readonly (readonly [string, object])[] = [
    ['nothing but an id', { id: 'm' }],
    ['null capabilities', { id: 'm', display_name: '', capabilities: null, max_tokens: null }],
    ['null inside', { id: 'm', capabilities: { server_tools: null, thinking: { types: null } } }],
    [
      'other types',
      { id: 'm', max_tokens: 'many', max_input_tokens: 0, capabilities: { server_tools: [], thinking: 1 } },
    ],
    [
      'unstated support',
      { id: 'm', capabilities: { server_tools: { web_search: {}, x: { supported: 'yes' }, y: null } } },
    ],
  ];
  for (const [name, model] of unknown) {
    test(`is unknown with ${name}`, () => {
      assert.deepStrictEqual(toModelInfo(model), {
        id: 'm',
        label: 'm',
        maxInputTokens: null,
        maxTokens: null,
        serverTools: {},
        thinkingTypes: {},
        effort: {},
        contextEdits: {},
        compaction: {},
      });
    });
  }

  test('is nothing without an id', () => {
    for (const value of [null, 'm', [], {}, { id: 7 }, { id: '' }]) assert.equal(toModelInfo(value), undefined);
  });
});
