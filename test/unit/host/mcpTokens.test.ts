import assert from 'node:assert/strict';
import { UserError } from '../../../src/core/errors.ts';
import { createMcpTokens } from '../../../src/host/mcp/mcpTokens.ts';
import { apiAt, KEY, REQUEST, streamOnce } from '../api/support.ts';
import { replies, startRawServer } from '../../support/sseServer.ts';

const TRACKER = { name: 'tracker', url: 'https://tracker.example/mcp', tools: [], deferred: false };
const TOKEN = 'tracker-token-0123456789';

function world(broken = false) {
  const stored = new Map<string, string>();
  const known: string[] = [];
  const secrets = {
    keys: async () => [...stored.keys()],
    get: async (key: string) => stored.get(key),
    store: async (key: string, value: string) => {
      if (broken) throw new Error('no keyring');
      stored.set(key, value);
    },
    delete: async (key: string) => void stored.delete(key),
  };
  const tokens = createMcpTokens(secrets, { remember: (secret) => void known.push(secret) }, { warn() {} });
  return { tokens, stored, known };
}

suite('tokens of MCP servers', () => {
  test('are kept, known to the redaction, and forgotten', async () => {
    const { tokens, stored, known } = world();
    await tokens.put(TRACKER, ` ${TOKEN}\n`);
    assert.deepEqual(await tokens.addresses([TRACKER]), { tracker: { url: TRACKER.url, token: TOKEN } });
    assert.ok(known.includes(TOKEN));
    await tokens.put(TRACKER, '');
    assert.equal(stored.size, 0);
    assert.deepEqual(await tokens.addresses([TRACKER]), { tracker: { url: TRACKER.url } });
  });

  test('go to no other host, and to no other server of the same host', async () => {
    const { tokens } = world();
    await tokens.put(TRACKER, TOKEN);
    const elsewhere = { ...TRACKER, url: 'https://evil.example/mcp' };
    assert.deepEqual(await tokens.addresses([elsewhere]), { tracker: { url: elsewhere.url } });
    assert.equal(await tokens.has({ ...TRACKER, name: 'other' }), false);
  });

  test('that can not be kept, or are none, are refused with words for the user', async () => {
    await assert.rejects(world(true).tokens.put(TRACKER, TOKEN), UserError);
    await assert.rejects(world().tokens.put(TRACKER, 'two words'), UserError);
  });

  test('are in the request and in no message about it', async () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: `no such token: ${TOKEN}` } };
    const server = await startRawServer(replies(400, error));
    try {
      const mcpServers = { tracker: { url: TRACKER.url, token: TOKEN } };
      const api = apiAt(server.url, { connection: async () => ({ baseUrl: server.url, apiKey: KEY, mcpServers }) });
      const tools = [{ type: 'mcp_toolset', mcp_server_name: 'tracker' }] as never;
      const { outcome } = await streamOnce(api, { ...REQUEST, tools });
      const sent = JSON.parse(server.requests[0]?.body ?? '{}') as { mcp_servers?: unknown };
      assert.deepEqual(sent.mcp_servers, [
        { type: 'url', url: TRACKER.url, name: 'tracker', authorization_token: TOKEN },
      ]);
      assert.ok(!JSON.stringify(outcome).includes(TOKEN));
      const missing = [{ type: 'mcp_toolset', mcp_server_name: 'gone' }] as never;
      const refused = await streamOnce(api, { ...REQUEST, tools: missing });
      assert.match(JSON.stringify(refused.outcome), /gone.*not in the settings any more/);
      // A name that every object has is not therefore a server of the settings.
      const inherited = [{ type: 'mcp_toolset', mcp_server_name: 'constructor' }] as never;
      const odd = await streamOnce(api, { ...REQUEST, tools: inherited });
      assert.match(JSON.stringify(odd.outcome), /constructor.*not in the settings any more/);
      assert.equal(server.requests.length, 1);
    } finally {
      await server.close();
    }
  });
});
