import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isObject } from './json.ts';
import type { Scenario } from './scenario.ts';
import { builtinScenario } from './scenarios/index.ts';
import { startSimulator } from './server.ts';

/**
 * `simulator --scenario <name|file> [--port 0] [--sandbox-root <dir>] [--delay <ms>]`. Prints one line
 * `{"url","key"}` when it listens. It ends, and removes its directories, when its stdin closes: with its parent.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', default: 'demo' },
      port: { type: 'string', default: '0' },
      'sandbox-root': { type: 'string' },
      delay: { type: 'string', default: '12' },
    },
  });
  const root = values['sandbox-root'];
  const simulator = await startSimulator({
    scenario: await loadScenario(values.scenario),
    port: Number(values.port),
    delayMs: Number(values.delay),
    record: 0,
    ...(root === undefined ? {} : { sandboxRoot: root }),
  });
  const stop = (): void => {
    void simulator.close().finally(() => process.exit(0));
  };
  process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
  process.once('SIGTERM', stop).once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ url: simulator.url, key: simulator.key })}\n`);
}

/** By name, or from a file: JSON `{name, rules}`, or a module that exports `scenario`. */
async function loadScenario(name: string): Promise<Scenario> {
  const known = builtinScenario(name);
  if (known) return known;
  const file = path.resolve(name);
  const loaded: unknown = file.endsWith('.json')
    ? JSON.parse(await readFile(file, 'utf8'))
    : ((await import(pathToFileURL(file).href)) as { scenario?: unknown }).scenario;
  if (!isObject(loaded) || !Array.isArray(loaded['rules'])) throw new Error(`Not a scenario: ${name}`);
  return loaded as unknown as Scenario;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
