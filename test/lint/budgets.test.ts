import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BuildOptions, Metafile } from 'esbuild';

const ROOT = join(__dirname, '..', '..');
const KB = 1024;

/** The budgets of ARCHITECTURE.md, in bytes of the production build. */
const BUDGETS = { extension: 150 * KB, agent: 450 * KB, webview: 260 * KB } as const;

suite('The bundles', function () {
  this.timeout(60_000);

  const { bundles } = createRequire(__filename)(join(ROOT, 'esbuild.js')) as { bundles: Record<string, BuildOptions> };
  const built = new Map<string, Promise<Metafile>>();

  /** Built here, in memory: what lies in `dist` may be a development build, or an old one. */
  function metafile(name: string): Promise<Metafile> {
    const options = { ...bundles[name], minify: true, sourcemap: false, write: false, absWorkingDir: ROOT } as const;
    const result = built.get(name) ?? build({ ...options, metafile: true }).then((done) => done.metafile);
    built.set(name, result);
    return result;
  }

  for (const [name, budget] of Object.entries(BUDGETS)) {
    test(`${name}.js is at most ${budget / KB} KB`, async () => {
      const output = script(await metafile(name));
      assert.ok(output.bytes <= budget, `${name}.js has ${output.bytes} bytes. The biggest parts:\n${biggest(output)}`);
    });
  }

  test('extension.js leaves the agent and its schemas, and the SDK, to bundles that are loaded later', async () => {
    const inputs = async (name: string) => Object.keys(script(await metafile(name)).inputs);
    const of = (paths: readonly string[], pattern: RegExp) => paths.filter((path) => pattern.test(path));
    assert.deepEqual(
      of(await inputs('extension'), /@anthropic-ai\/|\/zod\/|^src\/core\/(agent\/controller|tools\/index)/),
      [],
    );
    assert.deepEqual(of(await inputs('agent'), /@anthropic-ai\/|\/zod\/v4\/locales\/(?!en\.)/), []);
  });

  test('extension.ts has at most 120 lines', () => {
    const lines = readFileSync(join(ROOT, 'src', 'extension.ts'), 'utf8').split('\n').length;
    assert.ok(lines <= 121, `${lines} lines`);
  });
});

type Output = Metafile['outputs'][string];

function script(metafile: Metafile): Output {
  const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith('.js'))?.[1];
  assert.ok(output, 'the bundle has no script');
  return output;
}

function biggest(output: Output): string {
  return Object.entries(output.inputs)
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 5)
    .map(([path, { bytesInOutput }]) => `  ${bytesInOutput}  ${path}`)
    .join('\n');
}
