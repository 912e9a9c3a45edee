import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './bootstrap.mjs';
import { withoutCredentials } from './environment.ts';

/** Builds the named bundles of esbuild.js; all of them when none is named. Throws when the build fails. */
export function bundle(...names: readonly string[]): void {
  run([join(ROOT, 'esbuild.js'), ...(names.length > 0 ? [`--only=${names.join(',')}`] : [])]);
}

/** Packages the extension (production build) and returns the path of the .vsix. Throws when that fails. */
export function buildVsix(): string {
  const vsix = join(ROOT, 'out', 'loopdock.vsix');
  mkdirSync(join(ROOT, 'out'), { recursive: true });
  run([join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce'), 'package', '--no-dependencies', '-o', vsix]);
  return vsix;
}

/** True when the .vsix is newer than everything that goes into it. */
export function isFresh(vsix: string): boolean {
  if (!existsSync(vsix)) return false;
  const built = statSync(vsix).mtimeMs;
  const files = ['package.json', 'package.nls.json', 'package-lock.json', 'esbuild.js', '.vscodeignore', 'README.md'];
  return [...files, 'src', 'media', 'l10n'].every((path) => newest(join(ROOT, path)) <= built);
}

function newest(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** Runs a Node program; what it prints is shown only when it fails. */
function run(args: readonly string[]): void {
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env: withoutCredentials(),
    timeout: 180_000,
  });
  if (status === 0) return;
  throw new Error(`${args.join(' ')} failed:\n${stdout}`);
}
