import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/extension.ts';
import { sse } from '../support/sseServer.ts';

/** Nothing on this machine has this name: only the proxy knows the way. */
const HOST = 'api.loopdock-test.invalid';
const KEY = 'key-for-the-private-network';
const DEADLINE_MS = 20_000;

/**
 * As behind a company's proxy: `http.proxy` is the only way out, and what answers there has a certificate of a root of
 * their own. The runner has given that root to this host as `NODE_EXTRA_CA_CERTS` and the certificate as a file.
 */
suite('In a network with a proxy and a root certificate of its own', function () {
  const certificate = process.env['LOOPDOCK_TEST_TLS'];
  let api: TestApi;
  let servers: readonly Server[];
  /** What the proxy was asked to connect to. */
  const asked: string[] = [];
  /** Paths and keys that arrived behind it. */
  const arrived: string[] = [];

  suiteSetup(async function () {
    // In a desktop editor nobody can give the host a certificate at its start.
    if (certificate === undefined) return this.skip();
    api = (await vscode.extensions.getExtension('loopdock.loopdock')?.activate()) as TestApi;
    const server = createTlsServer(
      JSON.parse(readFileSync(certificate, 'utf8')) as ServerOptions,
      (request, response) => {
        arrived.push(`${request.url ?? ''} ${request.headers.authorization ?? ''}`);
        const models = request.url?.startsWith('/v1/models') ?? false;
        response.writeHead(200, { 'content-type': models ? 'application/json' : 'text/event-stream' });
        response.end(models ? JSON.stringify(MODELS) : sse(ANSWER));
      },
    );
    const port = await listen(server);
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      for (const each of [upstream, socket]) each.on('error', () => undefined);
    });
    servers = [server, proxy];
    await set('http.proxy', `http://127.0.0.1:${String(await listen(proxy))}`);
    await set('loopdock.baseUrl', `https://${HOST}`);
    await api.services.credentials.store(KEY);
    await until(
      () => vscode.workspace.getConfiguration('http').get<string>('proxy')?.startsWith('http:') === true,
      'the proxy setting',
    );
  });

  suiteTeardown(async () => {
    if (certificate === undefined) return;
    await api.services.credentials.clear();
    for (const name of ['http.proxy', 'http.systemCertificates', 'loopdock.baseUrl']) await set(name, undefined);
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  setup(() => {
    asked.length = 0;
    arrived.length = 0;
  });

  test('a root that the system does not have is refused, and who issued the certificate is named [M1]', async () => {
    await set('http.systemCertificates', true);
    const report = await api.services.agent().testConnection(new AbortController().signal, '');
    assert.equal(!report.ok && report.leg, 'tls', JSON.stringify(report));
    assert.deepEqual(asked.slice(0, 1), [`${HOST}:443`], 'it went through the proxy');
    assert.deepEqual(arrived, [], 'nothing was sent');
    const { peerCertificate } = await import('../../src/node/peerCertificate.ts');
    assert.equal((await peerCertificate(`https://${HOST}`))?.issuer, 'Contoso Inspection');
  });

  test('with that root the connection is tested and a prompt is answered, through the proxy [M1, M2]', async () => {
    await set('http.systemCertificates', false);
    const report = await api.services.agent().testConnection(new AbortController().signal, '');
    assert.equal(report.ok, true, JSON.stringify(report));
    await vscode.commands.executeCommand('loopdock.newSession');
    await vscode.commands.executeCommand('loopdock.sendPrompt', 'Hello');
    const { controller } = api.services.agent();
    const answered = () =>
      controller.snapshot().rows.some((row) => row.kind === 'text' && row.text === 'From behind the proxy');
    await until(() => answered() && !controller.snapshot().state.busy, 'the answer');
    assert.ok(asked.length > 0 && asked.every((target) => target === `${HOST}:443`), asked.join());
    assert.ok(
      arrived.some((line) => line === `/v1/messages Bearer ${KEY}`),
      arrived.join(),
    );
    await vscode.commands.executeCommand('loopdock.newSession');
  });
});

const MODELS = {
  data: [{ type: 'model', id: 'claude-behind', display_name: 'Behind', created_at: '2026-01-01T00:00:00Z' }],
  ...{ has_more: false, first_id: 'claude-behind', last_id: 'claude-behind' },
};
const USAGE = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-behind', content: [] };
const ANSWER = [
  { type: 'message_start', message: { ...MESSAGE, stop_reason: null, stop_sequence: null, usage: USAGE } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'From behind the proxy' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: USAGE },
  { type: 'message_stop' },
];

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function set(name: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `${what} did not appear`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
