import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { countResults, printResult, ResultsTail } from '../runner/results.ts';
import { RESULTS_VARIABLE } from '../runner/record.ts';
import { createAuthority } from '../support/certificates.ts';
import { bundle } from '../vscode/build.ts';
import { ROOT } from '../vscode/bootstrap.mjs';
import { findChromium } from '../vscode/chromium.ts';
import { installHost } from '../vscode/hosts.ts';
import type { HostName } from '../vscode/hosts.ts';
import { startServer } from '../vscode/server.ts';
import type { Server } from '../vscode/server.ts';

const TIMEOUT_MS = Number(process.env['LOOPDOCK_HOST_TIMEOUT'] ?? 300_000);
const SUITE = join(ROOT, 'out', 'test', 'host', 'index.js');

/**
 * `tsx test/host/run.ts [latest|min …]`: runs the host suite in the extension host of a real VS Code server, one host
 * after the other. `LOOPDOCK_GREP` chooses tests; `LOOPDOCK_RESULTS` names a file for the results.
 */
async function main(): Promise<void> {
  const names = process.argv.slice(2).filter((name): name is HostName => name === 'latest' || name === 'min');
  bundle('hostTests', 'extension', 'agent', 'api');
  let failed = 0;
  for (const name of names.length > 0 ? names : (['latest', 'min'] as const)) failed += await runOn(name);
  process.exit(failed > 0 ? 1 : 0);
}

async function runOn(name: HostName): Promise<number> {
  const host = installHost(name);
  console.log(`\nHost suite in VS Code ${host.version} (${name})`);
  const folder = mkdtempSync(join(tmpdir(), 'loopdock-host-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const results = process.env[RESULTS_VARIABLE] ?? join(folder, 'results.jsonl');
  mkdirSync(dirname(results), { recursive: true });
  writeFileSync(results, '');
  const server = await startServer({
    host,
    mode: 'host-suite',
    workspace,
    env: { [RESULTS_VARIABLE]: results, LOOPDOCK_GREP: process.env['LOOPDOCK_GREP'], ...privateNetwork(folder) },
  });
  try {
    await drive(server, results);
    const { passed, failed, problem } = countResults(results);
    if (problem) console.log(`  ✘ ${problem}; last output of the server:\n${server.tail()}`);
    console.log(`  ${passed} passed, ${failed} failed`);
    return failed;
  } finally {
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A root that only this host knows, and a certificate of it, for `wayThroughProxy.test.ts`. Node reads the root at its start. */
function privateNetwork(folder: string): Readonly<Record<string, string>> {
  const authority = createAuthority('Contoso Inspection');
  const [root, leaf] = [join(folder, 'root.pem'), join(folder, 'leaf.json')];
  writeFileSync(root, authority.cert);
  writeFileSync(leaf, JSON.stringify(authority.issue('api.loopdock-test.invalid')), { mode: 0o600 });
  return { NODE_EXTRA_CA_CERTS: root, LOOPDOCK_TEST_TLS: leaf };
}

/** Opens the page that starts the suite, and waits until mocha has ended or its host is gone. */
async function drive(server: Server, results: string): Promise<void> {
  const tail = new ResultsTail(results, printResult);
  const browser = await chromium.launch({ executablePath: findChromium() });
  try {
    const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 800, height: 600 } });
    const host = { exited: false };
    await page.exposeFunction('codeAutomationLog', () => undefined);
    await page.exposeFunction('codeAutomationExit', () => (host.exited = true));
    await page.goto(suiteUrl(server));
    const deadline = Date.now() + TIMEOUT_MS;
    while (!tail.ended && !host.exited && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      tail.poll();
    }
    // An exit can overtake the last lines.
    tail.poll();
    if (!tail.ended && !host.exited) console.log(`  ✘ no end within ${TIMEOUT_MS / 1000} s`);
  } finally {
    await browser.close();
  }
}

function suiteUrl(server: Server): string {
  const url = new URL(server.url);
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${server.port}${path}`;
  const payload = [
    ['skipWelcome', 'true'],
    ['extensionDevelopmentPath', remote(ROOT)],
    ['extensionTestsPath', remote(SUITE.replace(/\.js$/, ''))],
  ];
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}

void main();
