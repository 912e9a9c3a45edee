import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './bootstrap.mjs';
import { buildVsix, bundle, isFresh } from './build.ts';
import { findDesktop, openDesktop, runDesktop } from './desktop.ts';
import type { Desktop } from './desktop.ts';
import { openFrontDoor } from './frontDoor.ts';
import { installHost, whyNoHost } from './hosts.ts';
import { atExit, killTree } from './processes.ts';
import { installVsix, SETTINGS, startServer } from './server.ts';
import { startSimulator } from './simulator.ts';

/** Everything that the demo keeps; a test keeps it elsewhere. */
const DEMO = process.env['LOOPDOCK_DEMO_FOLDER'] ?? join(ROOT, '.demo');
const WORKSPACE = join(DEMO, 'workspace');
const USAGE = `npm start [-- options]: opens VS Code with the extension and a small project in it.
  --port N   the port of the editor in the browser (default: a free one)
  --server   use the editor in the browser even where a desktop VS Code is installed
  --fresh    forget what earlier runs changed in the project and in the editor`;

type Environment = Readonly<Record<string, string | undefined>>;

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  // Asked first: nothing is built on a machine that can't show it.
  const desktop = options.server ? { problem: '--server was given' } : findDesktop();
  if ('problem' in desktop && whyNoHost() !== undefined) throw new Error(whatToInstall(desktop.problem));
  prepareWorkspace(options.fresh);
  const vsix = join(ROOT, 'out', 'loopdock.vsix');
  if (!isFresh(vsix)) buildVsix();
  const env = await connection();
  if ('problem' in desktop) await openServer(vsix, env, options.port);
  else openOnDesktop(desktop, vsix, env);
}

interface Options {
  readonly port: number;
  readonly server: boolean;
  readonly fresh: boolean;
}

function readOptions(args: readonly string[]): Options {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArgs({
      args: [...args],
      options: { port: { type: 'string', default: '0' }, server: flag, fresh: flag, help: flag },
    });
    const port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`${values.port} is no port`);
    if (!values.help) return { port, server: values.server, fresh: values.fresh };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(USAGE);
    process.exit(2);
  }
  console.log(USAGE);
  process.exit(0);
}

/** The project that the demo is about. What the user did to it in an earlier run is kept. */
function prepareWorkspace(fresh: boolean): void {
  if (fresh) rmSync(DEMO, { recursive: true, force: true });
  if (!existsSync(WORKSPACE)) cpSync(join(ROOT, 'media', 'demo', 'workspace'), WORKSPACE, { recursive: true });
}

/** With a key the extension talks to the API. Without one a simulator stands in, and the extension says so. */
async function connection(): Promise<Environment> {
  if (process.env['ANTHROPIC_API_KEY'] || process.env['ANTHROPIC_AUTH_TOKEN']) {
    console.log('With the key of your environment.');
    return {};
  }
  bundle('simulator');
  const simulator = await startSimulator({ scenario: 'demo' });
  console.log('Without a key: simulated answers, no model. Set ANTHROPIC_API_KEY for the real one.');
  return simulator.env;
}

async function openServer(vsix: string, env: Environment, port: number): Promise<void> {
  const host = installHost('latest');
  const dataDir = join(DEMO, 'server');
  const extensionsDir = join(DEMO, 'server-extensions');
  mkdirSync(extensionsDir, { recursive: true });
  installVsix(host, vsix, extensionsDir, dataDir);
  // As a terminal of the user has it; what npm added for its script is not part of that.
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const server = await startServer({
    host,
    mode: 'demo',
    workspace: WORKSPACE,
    dataDir,
    extensionsDir,
    env: { ...own, ...env },
  });
  console.log(`Open ${await openFrontDoor(server, port, join(DEMO, 'secrets-key'))}`);
  console.log('Loopdock is the last icon of the activity bar. Ctrl-C ends everything.');
}

function openOnDesktop(desktop: Desktop, vsix: string, env: Environment): void {
  const data = join(DEMO, 'desktop');
  const folders = ['--user-data-dir', data, '--extensions-dir', join(DEMO, 'desktop-extensions')];
  const settings = join(data, 'User', 'settings.json');
  mkdirSync(join(data, 'User'), { recursive: true });
  if (!existsSync(settings)) writeFileSync(settings, JSON.stringify(SETTINGS, null, 2));
  runDesktop(desktop, [...folders, '--install-extension', vsix, '--force']);
  const child = openDesktop(desktop, [...folders, '--disable-workspace-trust', WORKSPACE], env);
  console.log(
    `VS Code ${desktop.version} opens. Loopdock is the last icon of the activity bar. Ctrl-C ends everything.`,
  );
  const forget = atExit(() => {
    if (child.pid !== undefined) killTree(child.pid);
  });
  child.once('close', () => {
    forget();
    process.exit(0);
  });
}

function whatToInstall(desktopProblem: string): string {
  return `No VS Code can be started here: ${desktopProblem}, and ${whyNoHost() ?? ''}.
Install VS Code 1.106 or newer and its \`code\` command (Command Palette: "Shell Command: Install 'code' command in PATH").`;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
