import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Fetch } from '../../../src/api/fetch.ts';
import { createAuthority } from '../../support/certificates.ts';
import { sse } from '../../support/sseServer.ts';
import { answer, apiAt, blocksOf, failureOf, streamOnce, textBlock } from './support.ts';

/** What VS Code puts in the place of `fetch` in an extension host, with the parameters that matter here. */
interface ProxyAgent {
  createProxyResolver(params: object): { resolveProxyURL(url: string): Promise<string | undefined> };
  createFetchPatch(params: object, original: Fetch, resolve: (url: string) => Promise<string | undefined>): Fetch;
}

interface Network {
  /** Nothing on this machine has this name: only the proxy knows the way. */
  readonly url: string;
  readonly proxy: string;
  /** What the proxy was asked to connect to, with its authorization. */
  readonly asked: string[];
  readonly root: string;
  close(): void;
}

const HOST = 'api.loopdock-test.invalid';

async function openNetwork(password?: string): Promise<Network> {
  const authority = createAuthority('Contoso Inspection');
  const api = createTlsServer(authority.issue(HOST), (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(sse(answer(textBlock(0, 'through the proxy'))));
  });
  const port = await listen(api);
  const asked: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    if (password !== undefined && request.headers['proxy-authorization'] === undefined) {
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Digest\r\n\r\n');
    }
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
    for (const each of [upstream, socket]) each.on('error', () => undefined);
  });
  const proxyPort = await listen(proxy);
  return {
    ...{ url: `https://${HOST}`, proxy: `http://127.0.0.1:${proxyPort}`, asked, root: authority.cert },
    close() {
      for (const server of [api, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Editor {
  readonly proxySetting?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What `http.systemCertificates` finds in the store of the system; undefined while the setting is off. */
  readonly systemRoots?: readonly string[];
}

function editorFetch(agent: ProxyAgent, editor: Editor): Fetch {
  const log = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error'].map((level) => [level, () => undefined]));
  const params = {
    log,
    getProxyURL: () => editor.proxySetting,
    getProxySupport: () => 'override',
    getNoProxyConfig: () => [],
    isAdditionalFetchSupportEnabled: () => true,
    addCertificatesV1: () => editor.systemRoots !== undefined,
    addCertificatesV2: () => false,
    loadSystemCertificatesFromNode: () => false,
    loadAdditionalCertificates: () => Promise.resolve(editor.systemRoots ?? []),
    isUseHostProxyEnabled: () => false,
    resolveProxy: () => Promise.resolve(undefined),
    lookupProxyAuthorization: () => Promise.resolve(undefined),
    getLogLevel: () => 6,
    proxyResolveTelemetry: () => undefined,
    env: editor.environment ?? {},
  };
  const { resolveProxyURL } = agent.createProxyResolver(params);
  return agent.createFetchPatch(params, globalThis.fetch, resolveProxyURL);
}

/** Node reads that variable once, at its start. */
const CHILD = `
const agent = require(process.env.AGENT);
const nothing = () => undefined;
const log = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
async function status(addCertificates) {
  const params = {
    log, getProxyURL: () => process.env.PROXY, getProxySupport: () => 'override', getNoProxyConfig: () => [],
    isAdditionalFetchSupportEnabled: () => true, addCertificatesV1: () => addCertificates, addCertificatesV2: () => false,
    loadSystemCertificatesFromNode: () => false, loadAdditionalCertificates: async () => [],
    isUseHostProxyEnabled: () => false, getLogLevel: () => 6, proxyResolveTelemetry: nothing, env: {},
  };
  const fetch = agent.createFetchPatch(params, globalThis.fetch, agent.createProxyResolver(params).resolveProxyURL);
  return fetch(process.env.NETWORK).then(async (response) => (await response.text(), response.status), () => 'refused');
}
(async () => {
  console.log(JSON.stringify({ system: await status(true), own: await status(false) }));
  process.exit();
})();
`;

const require = createRequire(import.meta.url);

/** Each editor of the host suites has its own version of what it does to `fetch`. */
for (const name of ['latest', 'min']) {
  const folder = join('.vscode-test', name, 'node_modules', '@vscode', 'proxy-agent');
  if (!existsSync(folder)) continue;
  suite(`behind what VS Code (${name}) makes of fetch`, () => {
    let agent: ProxyAgent;
    let network: Network;
    setup(async () => {
      // It keeps connections and roots for as long as its host lives.
      const file = require.resolve(join(process.cwd(), folder));
      Reflect.deleteProperty(require.cache, file);
      agent = require(file) as ProxyAgent;
      network = await openNetwork();
    });
    teardown(() => network.close());

    const settings: readonly (readonly [string, () => Editor])[] = [
      ['the proxy of the settings', () => ({ proxySetting: network.proxy })],
      ['the proxy of the environment', () => ({ environment: { HTTPS_PROXY: network.proxy } })],
    ];
    for (const [what, editor] of settings) {
      test(`${what} is used, with the roots of the system [M1]`, async () => {
        const fetch = editorFetch(agent, { ...editor(), systemRoots: [network.root] });
        const { events, outcome } = await streamOnce(apiAt(network.url, { fetch }));
        assert.equal(outcome.kind, 'finished', JSON.stringify(outcome));
        assert.match(JSON.stringify(blocksOf(events)), /through the proxy/);
        assert.deepStrictEqual(network.asked, [`${HOST}:443`]);
      });
    }

    test('a root that the system does not have is a matter of certificates [M1]', async () => {
      const fetch = editorFetch(agent, { proxySetting: network.proxy, systemRoots: [] });
      const report = await apiAt(network.url, { fetch }).testConnection(new AbortController().signal);
      assert.equal(!report.ok && report.leg, 'tls', JSON.stringify(report));
    });

    test('a proxy that wants a password is a matter of the proxy', async () => {
      const closed = await openNetwork('secret');
      try {
        const fetch = editorFetch(agent, { proxySetting: closed.proxy, systemRoots: [closed.root] });
        const report = await apiAt(closed.url, { fetch }).testConnection(new AbortController().signal);
        assert.equal(!report.ok && report.leg, 'proxy', JSON.stringify(report));
      } finally {
        closed.close();
      }
    });

    test('NODE_EXTRA_CA_CERTS is not used with the roots of the system, and used without them [M2]', async () => {
      const folderOfRoot = await mkdtemp(join(tmpdir(), 'loopdock-root-'));
      try {
        const file = join(folderOfRoot, 'root.pem');
        await writeFile(file, network.root);
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', CHILD], {
          env: {
            ...process.env,
            NODE_EXTRA_CA_CERTS: file,
            AGENT: join(process.cwd(), folder),
            NETWORK: network.url,
            PROXY: network.proxy,
          },
        });
        assert.deepStrictEqual(JSON.parse(stdout), { system: 'refused', own: 200 });
      } finally {
        await rm(folderOfRoot, { recursive: true, force: true });
      }
    });

    test('a name that is not found is a matter of names', async () => {
      const fetch = editorFetch(agent, { systemRoots: [] });
      const failure = failureOf((await streamOnce(apiAt(network.url, { fetch }))).outcome);
      assert.match(failure.code ?? '', /ENOTFOUND|EAI_AGAIN/);
    });
  });
}
