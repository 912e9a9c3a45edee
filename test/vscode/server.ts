import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment } from './environment.ts';
import type { Host } from './hosts.ts';
import { atExit, descendants, killTree } from './processes.ts';
import type { ProcessInfo } from './processes.ts';

const READY = /Extension host agent listening on (\d+)/;
const START_TIMEOUT_MS = 60_000;

/** What an editor under test or in the demo is like, whatever the user's own editor is like. */
export const SETTINGS: Readonly<Record<string, unknown>> = {
  // What is seen is ours; and VS Code's agent host would be started only to fail for lack of its SDK.
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  // The editor asks its user about U+2028 in a file that it shows, and takes the question as answered where no dialog
  // can be shown: on a slow machine that removed it from under a test.
  'editor.unusualLineTerminators': 'off',
  'security.workspace.trust.untrustedFiles': 'open',
  'telemetry.telemetryLevel': 'off',
  'workbench.editor.useModal': 'off',
  'workbench.enableExperiments': false,
  'terminal.integrated.gpuAcceleration': 'off',
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  // A starting workbench moves the focus about, which would close the palette.
  'workbench.quickOpen.closeOnFocusLost': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  // It would fetch packages from the network for every project that is opened.
  'typescript.disableAutomaticTypeAcquisition': true,
  'update.showReleaseNotes': false,
};

export interface ServerOptions {
  readonly host: Host;
  /**
   * `host-suite`: development mode, started by the page's payload, no toasts and no modal dialogs.
   * `ui`: as for a user, without a connection token. `demo`: as for a user, behind a random token.
   */
  readonly mode: 'host-suite' | 'ui' | 'demo';
  /** Absolute path of the folder to open; an empty window when absent. */
  readonly workspace?: string;
  /** False starts in Restricted Mode. Default: trusted. */
  readonly trusted?: boolean;
  /** Added to the user settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Added to the clean environment of the server and thereby of the extension host. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where installed extensions are; see `installVsix`. Default: an empty folder of its own. */
  readonly extensionsDir?: string;
  /** Profile and logs; default: a temporary folder that goes away with the server. */
  readonly dataDir?: string;
  /** Default: a free one. */
  readonly port?: number;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  /** Address of the workbench with the folder opened, token included. */
  readonly url: string;
  readonly dataDir: string;
  readonly token: string | undefined;
  /** The extension hosts that run now. */
  extensionHosts(): ProcessInfo[];
  /** The last output of the server process, for a failure's message. */
  tail(): string;
  /** Ends the server with everything it started, and removes its temporary folder. */
  stop(): void;
}

/** Starts the bare VS Code server. It is ended with this process, whatever happens. Throws when it does not start. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'loopdock-editor-'));
  writeSettings(dataDir, options);
  const token = options.mode === 'demo' ? randomBytes(16).toString('hex') : undefined;
  const child = spawn(options.host.node, serverArguments(options, dataDir, token), {
    env: serverEnvironment(options, dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logFile = join(dataDir, 'server.log');
  const log = createWriteStream(logFile);
  // The last output can come after the file is closed and removed.
  log.on('error', () => undefined);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const end = (): void => {
    if (child.pid !== undefined) killTree(child.pid);
    log.destroy();
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  };
  const forget = atExit(end);
  const port = await listening(child, logFile);
  const pid = child.pid ?? 0;
  return {
    pid,
    port,
    url: workbenchUrl(port, token, options.workspace),
    dataDir,
    token,
    tail: () => readFileSync(logFile, 'utf8').slice(-3000),
    extensionHosts: () => descendants(pid).filter((each) => each.command.includes('--type=extensionHost')),
    stop: () => {
      forget();
      end();
    },
  };
}

/** Installs a packaged extension into `extensionsDir`, as a user would from a file. Takes one or two seconds. */
export function installVsix(host: Host, vsix: string, extensionsDir: string, dataDir: string): void {
  const { status, stdout, stderr } = spawnSync(
    host.node,
    [
      host.serverMain,
      ...['--server-data-dir', dataDir, '--extensions-dir', extensionsDir],
      ...['--accept-server-license-terms', '--install-extension', vsix, '--force'],
    ],
    { env: cleanEnvironment({ EXTENSIONS_GALLERY: '{}' }), encoding: 'utf8', timeout: START_TIMEOUT_MS },
  );
  if (status !== 0 || !stdout.includes('successfully installed')) {
    throw new Error(`The extension could not be installed:\n${stdout}${stderr}`);
  }
}

function serverArguments(options: ServerOptions, dataDir: string, token: string | undefined): string[] {
  return [
    options.host.serverMain,
    ...['--host', '127.0.0.1', '--port', String(options.port ?? 0)],
    ...(token === undefined ? ['--without-connection-token'] : ['--connection-token-file', tokenFile(dataDir, token)]),
    ...['--server-data-dir', dataDir, '--extensions-dir', options.extensionsDir ?? join(dataDir, 'extensions')],
    '--accept-server-license-terms',
    ...['--telemetry-level', 'off'],
    '--disable-update-check',
    ...((options.trusted ?? true) ? ['--disable-workspace-trust'] : []),
    ...(options.mode !== 'demo' ? ['--builtin-extensions-dir', options.host.fewBuiltins] : []),
    // Without it newer servers ignore the page's payload without a word.
    ...(options.mode === 'host-suite' ? ['--enable-smoke-test-driver'] : []),
  ];
}

/** In a file, since every user of the machine can read a command line. */
function tokenFile(dataDir: string, token: string): string {
  const file = join(dataDir, 'connection-token');
  rmSync(file, { force: true });
  writeFileSync(file, token, { mode: 0o600 });
  return file;
}

function serverEnvironment(options: ServerOptions, dataDir: string): Record<string, string> {
  const isolated = options.mode === 'demo' ? {} : { HOME: isolatedHome(dataDir) };
  // Without the gallery's address nothing looks up extensions on the network.
  return cleanEnvironment({ ...isolated, ...options.env, EXTENSIONS_GALLERY: '{}' });
}

/** A home folder of its own keeps a developer's .bashrc and .gitconfig out of the tests. */
function isolatedHome(dataDir: string): string {
  const home = join(dataDir, 'home');
  mkdirSync(home, { recursive: true });
  return home;
}

function writeSettings(dataDir: string, options: ServerOptions): void {
  const user = join(dataDir, 'data', 'User');
  mkdirSync(user, { recursive: true });
  const file = join(user, 'settings.json');
  // In the demo they are the user's from then on.
  if (options.mode === 'demo' && existsSync(file)) return;
  writeFileSync(file, JSON.stringify({ ...SETTINGS, ...options.settings }, null, 2));
}

function listening(child: ChildProcess, logFile: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => reject(new Error(`The VS Code server ${why} (${logFile})\n${output}`));
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
    child.stdout?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
      const port = READY.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

function workbenchUrl(port: number, token: string | undefined, workspace: string | undefined): string {
  const url = new URL(`http://127.0.0.1:${port}/`);
  if (token !== undefined) url.searchParams.set('tkn', token);
  if (workspace !== undefined) url.searchParams.set('folder', workspace);
  return url.href;
}
