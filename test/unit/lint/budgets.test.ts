import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BuildOptions, Metafile } from 'esbuild';

const ROOT = join(__dirname, '..', '..', '..');
const KB = 1024;

/** The budgets of ARCHITECTURE.md, in bytes of the production build. */
const BUDGETS = { extension: 1600 * KB, webview: 260 * KB } as const;

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

  test('extension.js leaves the SDK to the second bundle', async () => {
    const { inputs } = script(await metafile('extension'));
    assert.deepEqual(
      Object.keys(inputs).filter((path) => path.includes('node_modules/@anthropic-ai/')),
      [],
    );
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
