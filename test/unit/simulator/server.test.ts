import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { MINI_MODEL, MODEL } from '../../../src/simulator/models.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { request, startHarness, tools } from './harness.ts';
import type { Body, Harness } from './harness.ts';

suite('the simulator as a server', () => {
  let harness: Harness;
  setup(async () => void (harness = await startHarness()));
  teardown(() => harness.simulator.close());

  /** A raw request: fetch lets nobody set these headers. */
  function raw(
    headers: Record<string, string>,
  ): Promise<{ readonly status: number; readonly body: Body; readonly headers: object }> {
    const { url, key } = harness.simulator;
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        `${url}/v1/models`,
        { headers: { authorization: `Bearer ${key}`, 'anthropic-version': '2026-10-21', ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Body, headers: response.headers }),
          );
        },
      );
      sent.on('error', reject).end();
    });
  }

  test('listens on loopback only, under a random port and key [XN16]', async () => {
    const other = await startHarness();
    try {
      assert.match(harness.simulator.url, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.notEqual(harness.simulator.key, other.simulator.key);
      assert.ok(harness.simulator.key.length > 30);
    } finally {
      await other.simulator.close();
    }
  });

  test('takes the key as bearer or as x-api-key, and no other', async () => {
    const { key } = harness.simulator;
    assert.equal((await raw({})).status, 200);
    assert.equal((await raw({ authorization: '', 'x-api-key': key })).status, 200);
    for (const wrong of [{ authorization: '' }, { authorization: `Bearer ${key}x` }, { 'x-api-key': 'wrong' }]) {
      const answer = await raw(wrong);
      assert.equal(answer.status, 401);
      assert.equal((answer.body['error'] as Body)['type'], 'authentication_error');
    }
  });

  test('refuses web pages and rebound names, and never allows a foreign origin [XN16]', async () => {
    const page = await raw({ origin: 'https://evil.example' });
    assert.equal(page.status, 403);
    assert.ok(!('access-control-allow-origin' in page.headers));
    assert.equal((await raw({ origin: 'null' })).status, 403);
    const { port } = new URL(harness.simulator.url);
    assert.equal((await raw({ host: `evil.example:${port}` })).status, 403);
    assert.equal((await raw({ host: `localhost:${port}` })).status, 403);
  });

  test('wants the version header', async () => {
    const answer = await harness.send('/v1/models', { headers: { 'anthropic-version': '' } });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /anthropic-version/);
  });

  test('says on every answer who it is, with a request id of its own', async () => {
    const answers = [await harness.send('/v1/models'), await harness.send('/v1/none'), await harness.post({})];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 404, 400],
    );
    assert.ok(answers.every((answer) => answer.headers.get('x-loopdock-simulator') === '1'));
    assert.equal(new Set(answers.map((answer) => answer.headers.get('request-id'))).size, 3);
  });

  test('has models whose names say that there is none, and their capabilities', async () => {
    const client = new Anthropic({ apiKey: harness.simulator.key, baseURL: harness.simulator.url, maxRetries: 0 });
    const models = [];
    for await (const model of client.models.list({ limit: 1 })) models.push(model);
    assert.deepEqual(
      models.map((model) => model.id),
      [MODEL, MINI_MODEL],
    );
    assert.ok(models.every((model) => model.display_name.includes('no model')));
    assert.deepEqual(
      models.map((model) => model.capabilities?.server_tools.code_execution.supported),
      [true, false],
    );
    assert.deepEqual(await client.models.retrieve(MODEL), models[0]);
    await assert.rejects(client.models.retrieve('claude-none'), Anthropic.NotFoundError);
  });

  test('counts tokens, with the rules of Messages but for the limits of an answer', async () => {
    const client = new Anthropic({ apiKey: harness.simulator.key, baseURL: harness.simulator.url, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'a'.repeat(4000) }];
    const { input_tokens } = await client.messages.countTokens({ model: MODEL, messages });
    assert.ok(input_tokens > 900 && input_tokens < 1200, String(input_tokens));
    await assert.rejects(
      client.messages.countTokens({ model: MODEL, messages: [{ role: 'user', content: '' }] }),
      Anthropic.BadRequestError,
    );
    const counted = await harness.send('/v1/messages/count_tokens', {
      method: 'POST',
      body: JSON.stringify(request()),
    });
    assert.match(counted.text, /max_tokens: Extra inputs/);
  });

  test('refuses a body beyond the limit as the edge does', async () => {
    const answer = await harness.post(`{"a":"${'x'.repeat(33 * 1024 * 1024)}"}`).catch(() => undefined);
    // The connection may break while the rest is still being sent.
    if (answer) assert.deepEqual([answer.status, answer.headers.get('content-type')], [413, 'text/html']);
    assert.equal((await harness.send('/v1/models')).status, 200);
  });

  test('records what it was asked', async () => {
    await harness.post(request(), { 'anthropic-beta': 'x-2026' });
    const [recorded] = harness.simulator.requests;
    assert.equal(recorded?.method, 'POST');
    assert.equal(recorded.path, '/v1/messages');
    assert.equal(recorded.headers['anthropic-beta'], 'x-2026');
    assert.deepEqual(recorded.body, request());
  });

  test('takes another scenario while it runs', async () => {
    harness.simulator.setScenario({
      name: 'own',
      rules: [
        { when: { prompt: /^b/ }, reply: { steps: [{ type: 'text', text: 'B' }] } },
        { when: { request: 1 }, reply: { steps: [{ type: 'text', text: 'second' }] } },
        { reply: ({ prompt }) => ({ steps: [{ type: 'text', text: `not ${prompt}` }] }) },
      ],
    });
    const texts = [];
    for (const content of ['a', 'a2', 'b', 'c']) {
      const answer = await harness.post(request({ messages: [{ role: 'user', content }] }));
      texts.push(((answer.body?.['content'] as Body[])[0] as Body)['text']);
    }
    assert.deepEqual(texts, ['not a', 'second', 'B', 'not c']);
  });

  test('leaves nothing behind: neither in its own directory nor in a given one', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'simulator-test-'));
    const [given, own] = [await startHarness({ sandboxRoot: root }), await startHarness()];
    const ownRoot = path.resolve(own.simulator.files.pathOf('x'), '../..');
    assert.ok(existsSync(ownRoot));
    const prompt = scriptPrompt('Go', [
      { steps: [{ type: 'bash_code_execution', command: 'echo x > $OUTPUT_DIR/x' }] },
    ]);
    for (const one of [given, own]) {
      const answer = await one.post(request({ tools, messages: [{ role: 'user', content: prompt }] }));
      assert.equal(answer.status, 200);
    }
    await given.simulator.close();
    await own.simulator.close();
    assert.ok(!existsSync(ownRoot));
    assert.ok(existsSync(root));
    assert.deepEqual(readdirSync(root), []);
    await rm(root, { recursive: true });
  });
});
