/** Loading and activating the extension in a fresh process, against a module of the same size that does nothing. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { start, type Figure, type Options } from './harness.ts';
import { makeFolder } from './sessions.ts';

const ROOT = join(__dirname, '..', '..');
const RUNS = 15;

/** `vscode` as far as activation touches it: every call gives something to dispose of. */
const STUB = `
const nothing = new Proxy(function () {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => '' : key === 'then' ? undefined : nothing,
  apply: () => nothing,
  construct: () => nothing,
  // Bundles copy an import by its prototype.
  getPrototypeOf: () => nothing,
});
module.exports = nothing;
`;

const PROBE = `
const begun = process.hrtime.bigint();
const loaded = require(process.argv[2]);
if (process.argv[3] === 'activate') {
  const uri = { fsPath: __dirname, path: __dirname, toString: () => __dirname };
  const dispose = () => {};
  loaded.activate({ subscriptions: [], extensionUri: uri, globalStorageUri: uri, logUri: uri, extensionMode: 1, extension: { packageJSON: {}, id: 'x' }, secrets: { get: async () => undefined, onDidChange: () => ({ dispose }) }, globalState: { get: () => undefined, update: async () => {} }, workspaceState: { get: () => undefined, update: async () => {} }, asAbsolutePath: (path) => path });
}
const ms = Number(process.hrtime.bigint() - begun) / 1e6;
console.log(JSON.stringify({ ms, sdk: Object.keys(require.cache).some((path) => /(?:agent|api)\\.js$|anthropic/.test(path)) }));
process.exit(0);
`;

async function run({ rounds }: Options): Promise<readonly Figure[]> {
  const dir = makeFolder();
  const extension = join(dir, 'extension.js');
  // What lies in `dist` may be a development build.
  const { bundles } = createRequire(__filename)(join(ROOT, 'esbuild.js')) as { bundles: Record<string, BuildOptions> };
  await build({ ...bundles['extension'], minify: true, sourcemap: false, outfile: extension, absWorkingDir: ROOT });
  const { size } = statSync(extension);
  mkdirSync(join(dir, 'node_modules', 'vscode'), { recursive: true });
  writeFileSync(join(dir, 'node_modules', 'vscode', 'index.js'), STUB);
  writeFileSync(join(dir, 'empty.js'), '');
  writeFileSync(join(dir, 'idle.js'), idleModule(size));
  writeFileSync(join(dir, 'probe.js'), PROBE);
  const probe = (file: string, ...args: string[]): { ms: number; sdk: boolean } =>
    JSON.parse(
      execFileSync(process.execPath, [join(dir, 'probe.js'), file, ...args], {
        env: { ...process.env, NODE_PATH: join(dir, 'node_modules') },
        encoding: 'utf8',
      }),
    ) as { ms: number; sdk: boolean };
  const empty: number[] = [];
  const idle: number[] = [];
  const ours: number[] = [];
  let sdk = false;
  for (let i = 0; i < Math.max(rounds, RUNS); i++) {
    empty.push(probe(join(dir, 'empty.js')).ms);
    idle.push(probe(join(dir, 'idle.js')).ms);
    const result = probe(extension, 'activate');
    ours.push(result.ms);
    sdk ||= result.sdk;
  }
  rmSync(dir, { recursive: true, force: true });
  if (sdk) throw new Error('the agent or the SDK is loaded by activation');
  return [
    {
      workload: 'require and activate',
      ratio: Math.min(...ours) / Math.min(...idle),
      target: 10,
      note: `${Math.min(...ours).toFixed(1)} ms, a module of its size that does nothing ${Math.min(...idle).toFixed(2)} ms, an empty one ${Math.min(...empty).toFixed(2)} ms; ${(size / 1024).toFixed(0)} KiB on the path (target 150); neither the agent nor the SDK is loaded`,
    },
  ];
}

/** Functions that nobody calls, as most of a bundle's are while it is activated. */
function idleModule(size: number): string {
  const one = 'exports.f=function(a,b){const c=a.map((d)=>d*b);return c.filter((e)=>e>1).join(",")};\n';
  return one.repeat(Math.ceil(size / one.length));
}

if (require.main?.filename.endsWith('B10.js')) start('B10', [1], run);
