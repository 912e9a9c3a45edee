import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The oldest VS Code that `engines.vscode` admits. */
const MINIMUM = [1, 106] as const;
const CLI_TIMEOUT_MS = 120_000;
const isWindows = process.platform === 'win32';

export interface Desktop {
  /** The `code` command. */
  readonly command: string;
  readonly version: string;
}

/** A desktop VS Code of this machine, or why none can be used. */
export function findDesktop(): Desktop | { readonly problem: string } {
  const noScreen = process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'];
  if (noScreen) return { problem: 'there is no screen' };
  // In the terminal of a remote window `code` talks to that window, and takes no folders of its own.
  if (process.env['VSCODE_IPC_HOOK_CLI']) return { problem: 'this terminal belongs to a remote window' };
  const command = onPath(isWindows ? 'code.cmd' : 'code');
  if (command === undefined) return { problem: 'there is no `code` command on the PATH' };
  const version = versionOf(command);
  if (version === undefined) return { problem: `${command} is not VS Code` };
  if (isTooOld(version)) return { problem: `VS Code ${version} is older than ${MINIMUM.join('.')}` };
  return { command, version };
}

/** `code --version` prints version, commit and architecture; other programs of this name say something else. */
function versionOf(command: string): string | undefined {
  const [program, args] = commandLine(command, ['--version']);
  const { stdout, status } = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000, shell: isWindows });
  const [version = '', commit = ''] = status === 0 ? stdout.trim().split(/\r?\n/) : [];
  return /^\d+\.\d+\.\d+/.test(version) && /^[0-9a-f]{40}$/.test(commit) ? version : undefined;
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1]);
}

/** Runs a `code` command to its end. Throws when it fails. */
export function runDesktop({ command }: Desktop, args: readonly string[]): void {
  const { status, stderr } = spawnSync(...commandLine(command, args), {
    encoding: 'utf8',
    timeout: CLI_TIMEOUT_MS,
    shell: isWindows,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`);
}

/** Opens a window; the process ends when that is closed (`--wait`). */
export function openDesktop(
  { command }: Desktop,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ChildProcess {
  // Root has no sandbox to give.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const line = commandLine(command, ['--new-window', '--wait', ...root, ...args]);
  return spawn(...line, { stdio: 'inherit', env: { ...process.env, ...env }, shell: isWindows });
}

/** On Windows `code` is a batch file: only a shell starts it, and a shell wants quotes. */
function commandLine(command: string, args: readonly string[]): [string, string[]] {
  const quote = (text: string): string => (isWindows ? `"${text}"` : text);
  return [quote(command), args.map(quote)];
}

function onPath(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
