import assert from 'node:assert/strict';
import type { Connection } from '../../../src/api/connection.ts';
import { CancelledError, UserError } from '../../../src/core/errors.ts';
import { replies, startRawServer, type Answer, type RawServer } from '../../support/sseServer.ts';
import { apiAt, KEY } from './support.ts';

const signal = new AbortController().signal;

suite('testing the connection', () => {
  let server: RawServer;
  setup(async () => (server = await startRawServer()));
  teardown(() => server.close());

  test('succeeds with host, time and a model', async () => {
    server.answer(replies(200, { data: [{ id: 'claude-x' }], has_more: true }));
    const report = await apiAt(server.url).testConnection(signal);
    assert.ok(report.ok);
    assert.deepStrictEqual([report.host, report.modelsApi, report.model?.id], [server.host, true, 'claude-x']);
    assert.ok(report.durationMs >= 0);
    assert.deepStrictEqual(
      server.requests.map((request) => request.url),
      ['/v1/models?limit=1'],
    );
  });

  test('names the settings where they can not make a connection, in their own words', async () => {
    const connection = () => Promise.reject(new UserError('The header x-gw needs GW.'));
    const report = await apiAt('', { connection }).testConnection(signal);
    assert.deepStrictEqual(report.ok ? [] : [report.leg, report.failure.message], [
      'settings',
      'The header x-gw needs GW.',
    ]);
  });

  test('asks for the model of the settings, and names it where it is not known', async () => {
    server.answer((request, response) =>
      request.url.startsWith('/v1/models?')
        ? replies(200, { data: [{ id: 'claude-x' }] })(request, response)
        : replies(request.url === '/v1/models/claude-y' ? 200 : 404, { id: 'claude-y' })(request, response),
    );
    const api = apiAt(server.url);
    const good = await api.testConnection(signal, 'claude-y');
    assert.equal(good.ok && good.model?.id, 'claude-y');
    const bad = await api.testConnection(signal, 'claude-z');
    assert.equal(!bad.ok && bad.leg, 'model');
  });

  suite('at a gateway without a Models API', () => {
    const messages: readonly (readonly [string, Answer, string])[] = [
      ['succeeds by a message of one token', replies(200, { content: [{ type: 'text', text: 'H' }] }), 'ok'],
      ['names the key', replies(401, { error: { message: 'no' } }), 'authentication'],
      ['names the model', replies(404, { error: { type: 'not_found_error', message: 'model: x' } }), 'model'],
      ['names messages where there are none', replies(404, ''), 'messages'],
      ['names the account', replies(402, { error: { message: 'pay' } }), 'messages'],
      ['names an answer that is none', replies(200, { ok: true }), 'answer'],
    ];
    for (const [name, answer, expected] of messages) {
      test(name, async () => {
        server.answer((request, response) =>
          request.url.startsWith('/v1/models') ? replies(404, '')(request, response) : answer(request, response),
        );
        const report = await apiAt(server.url, { fallbackModel: 'claude-x' }).testConnection(signal);
        assert.equal(report.ok ? 'ok' : report.leg, expected);
        assert.equal(report.ok && report.modelsApi, false);
        const body = JSON.parse(server.requests.at(-1)?.body ?? '') as Record<string, unknown>;
        assert.deepStrictEqual([body['model'], body['max_tokens']], ['claude-x', 1]);
      });
    }
  });

  const settings: readonly (readonly [string, Connection, string])[] = [
    ['the key', {}, 'key'],
    ['the base URL', { apiKey: KEY, baseUrl: 'http://gw.example.com' }, 'baseUrl'],
    ['the headers', { apiKey: KEY, headers: { 'a b': 'c' } }, 'headers'],
  ];
  for (const [name, connection, leg] of settings) {
    test(`names ${name} as what is wrong`, async () => {
      const api = apiAt('', { connection: () => Promise.resolve({ baseUrl: server.url, ...connection }) });
      const report = await api.testConnection(signal);
      assert.ok(!report.ok);
      assert.equal(report.leg, leg);
      assert.equal(report.host, new URL(connection.baseUrl ?? server.url).host);
      assert.equal(server.requests.length, 0);
    });
  }

  const answers: readonly (readonly [string, Answer, string])[] = [
    ['a wrong key', replies(401, {}), 'authentication'],
    ['a key without access', replies(403, {}), 'authentication'],
    ['a web page', replies(200, '<html>', { 'content-type': 'text/html' }), 'answer'],
    ['a server error', replies(500, {}), 'answer'],
    ['a connection that drops', (_request, response) => void response.destroy(), 'lost'],
  ];
  for (const [name, answer, leg] of answers) {
    test(`names the leg of ${name}`, async () => {
      server.answer(answer);
      const report = await apiAt(server.url).testConnection(signal);
      assert.equal(!report.ok && report.leg, leg);
    });
  }

  test('names the address where it can’t be found', async () => {
    const cause = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    const fetch = (): Promise<never> => Promise.reject(new TypeError('fetch failed', { cause }));
    const report = await apiAt('https://gw.example.com', { fetch }).testConnection(signal);
    assert.deepStrictEqual([!report.ok && report.leg, report.host], ['dns', 'gw.example.com']);
  });

  test('names TLS where the server speaks none', async () => {
    const report = await apiAt(server.url.replace('http', 'https')).testConnection(signal);
    assert.equal(!report.ok && report.leg, 'tls');
  });

  test('can be cancelled', async () => {
    server.answer(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(apiAt(server.url).testConnection(controller.signal), CancelledError);
  });
});
