// Plain Node without dependencies: it is what runs before `node_modules` exists.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MINIMUM_NODE = 20;

/**
 * Installs the project's own dependencies when `node_modules` is missing or differs from the lockfile, and then makes
 * `import('./x.ts')` work in this process. Exits the process when either is impossible.
 */
export async function bootstrap() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < MINIMUM_NODE) fail(`Node ${MINIMUM_NODE} or newer is needed; this is ${process.version}.`);
  const reason = whyInstall();
  if (reason) {
    console.log(`Installing dependencies (npm ci): ${reason}`);
    npm(['ci', '--ignore-scripts', '--loglevel=error'], ROOT);
  }
  await import('tsx');
}

/**
 * Runs npm in a folder with its output on ours; exits the process when it fails.
 * @param {string[]} args
 * @param {string} cwd
 */
export function npm(args, cwd) {
  const cli = process.env.npm_execpath;
  const [program, first] = cli?.endsWith('.js') ? [process.execPath, [cli]] : ['npm', []];
  // npm is a .cmd file on Windows, which only a shell can start.
  const result = spawnSync(program, [...first, ...args], {
    cwd,
    stdio: 'inherit',
    shell: program === 'npm' && process.platform === 'win32',
  });
  if (result.status !== 0) fail(`npm ${args.join(' ')} failed in ${cwd}`);
}

/**
 * Compares what is installed with the lockfile, by content: file times say nothing after a `git checkout`.
 * @returns {string | undefined} why an install is needed
 */
function whyInstall() {
  const installed = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return 'node_modules is missing';
  const have = packages(installed);
  for (const [path, wanted] of Object.entries(packages(join(ROOT, 'package-lock.json')))) {
    if (path === '') continue;
    const found = have[path];
    // Optional packages of other systems are rightly absent.
    if (!found && wanted.optional) continue;
    if (found?.version !== wanted.version) return `${path} is not the version of package-lock.json`;
  }
  return undefined;
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }>}
 */
function packages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
