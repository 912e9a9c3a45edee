import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { RESULTS_VARIABLE } from '../runner/record.ts';
import { countResults, printResult, ResultsTail } from '../runner/results.ts';
import { bundle } from '../vscode/build.ts';
import { ROOT } from '../vscode/bootstrap.mjs';
import { cleanEnvironment } from '../vscode/environment.ts';
import { SETTINGS } from '../vscode/server.ts';

/**
 * `npm run test:desktop`: the host suite in a desktop VS Code. `LOOPDOCK_DESKTOP` is the path of its program, or the
 * version to download (default `stable`). On Linux it needs a screen, such as `xvfb-run` gives.
 */
async function main(): Promise<void> {
  const wanted = process.env['LOOPDOCK_DESKTOP'] ?? 'stable';
  bundle('hostTests', 'extension', 'agent', 'api');
  const folder = mkdtempSync(join(tmpdir(), 'loopdock-desktop-'));
  const workspace = join(folder, 'workspace');
  const userData = join(folder, 'data');
  mkdirSync(workspace);
  mkdirSync(join(userData, 'User'), { recursive: true });
  writeFileSync(join(userData, 'User', 'settings.json'), JSON.stringify(SETTINGS));
  const results = process.env[RESULTS_VARIABLE] ?? join(folder, 'results.jsonl');
  const tail = new ResultsTail(results, printResult);
  const polling = setInterval(() => tail.poll(), 200);
  try {
    // Its exit code says nothing about a host that died: what was recorded counts.
    await runTests({
      ...(existsSync(wanted) ? { vscodeExecutablePath: wanted } : { version: wanted }),
      extensionDevelopmentPath: ROOT,
      extensionTestsPath: join(ROOT, 'out', 'test', 'host', 'index.js'),
      launchArgs: [workspace, '--disable-extensions', '--user-data-dir', userData],
      extensionTestsEnv: { ...withoutOurs(), [RESULTS_VARIABLE]: results },
    }).catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  } finally {
    clearInterval(polling);
    tail.poll();
  }
  const { passed, failed, problem } = countResults(results);
  console.log(`  ${passed} passed, ${failed} failed${problem ? `: ${problem}` : ''}`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.exit(failed > 0 ? 1 : 0);
}

/** test-electron adds to our environment; to take a name away it must be set to undefined. */
function withoutOurs(): Record<string, string | undefined> {
  const kept = cleanEnvironment();
  const names = Object.keys(process.env).filter(
    (name) => /^(ANTHROPIC_|npm_|LOOPDOCK_)/i.test(name) && !(name in kept),
  );
  return {
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    LOOPDOCK_GREP: process.env['LOOPDOCK_GREP'],
  };
}

void main();
