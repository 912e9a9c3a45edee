// One build script, one context per bundle. `node esbuild.js [--watch] [--production]`.
const esbuild = require('esbuild');
const { writeFileSync, mkdirSync, existsSync, readdirSync } = require('node:fs');

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
};
/** @type {import('esbuild').BuildOptions} */
const node = {
  ...common,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Its other half reads files and addresses, which nobody asks for here: translations come from VS Code.
  alias: { '@vscode/l10n': '@vscode/l10n/dist/browser.js' },
};

/** `./agent.js` and `./api.js` are bundles of their own. A plain `external` would take such a file inside zod out as well. */
const ownBundles = {
  name: 'own-bundles',
  setup(build) {
    build.onResolve({ filter: /^\.\/(agent|api)\.js$/ }, ({ path, importer }) =>
      importer.includes('node_modules') ? undefined : { path, external: true },
    );
  },
};

/** `import 'loopdock:host-suites'` imports every test file under test/host: they share one bundle, and one list less. */
const hostSuites = {
  name: 'host-suites',
  setup(build) {
    build.onResolve({ filter: /^loopdock:host-suites$/ }, ({ path }) => ({ path, namespace: 'host-suites' }));
    build.onLoad({ filter: /.*/, namespace: 'host-suites' }, () => {
      const files = readdirSync('test/host', { recursive: true }).filter((file) => file.endsWith('.test.ts'));
      const lines = files.sort().map((file) => `import ${JSON.stringify(`./${file.replaceAll('\\', '/')}`)};`);
      return { contents: lines.join('\n'), resolveDir: 'test/host', watchDirs: ['test/host'] };
    });
  },
};

/** @type {import('esbuild').BuildOptions} */
const page = {
  ...common,
  platform: 'browser',
  format: 'iife',
  target: 'chrome120',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
};

/** @type {Record<string, import('esbuild').BuildOptions>} */
const bundles = {
  extension: {
    ...node,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    plugins: [ownBundles],
  },
  agent: {
    ...node,
    entryPoints: ['src/host/agent.ts'],
    outfile: 'dist/agent.js',
    external: ['vscode'],
    plugins: [ownBundles],
  },
  api: { ...node, entryPoints: ['src/api/index.ts'], outfile: 'dist/api.js' },
  simulator: { ...node, entryPoints: ['src/simulator/main.ts'], outfile: 'dist/simulator.js' },
  webview: {
    ...page,
    entryPoints: ['media/main.tsx'],
    outfile: 'dist/webview.js',
    // The codicon font is the one asset that the style sheet loads; it is written beside it.
    loader: { '.ttf': 'file' },
    assetNames: '[name]',
  },
  preview: { ...page, entryPoints: ['media/preview/main.tsx'], outfile: 'dist/preview.js' },
  hostTests: {
    ...node,
    entryPoints: ['test/host/index.ts'],
    outfile: 'out/test/host/index.js',
    external: ['vscode', 'mocha'],
    plugins: [hostSuites, ownBundles],
  },
};

/** Prints the start and end marks that the problem matcher of .vscode/tasks.json waits for. */
const marks = (name) => ({
  name: 'marks',
  setup(build) {
    build.onStart(() => console.log(`[watch] build started: ${name}`));
    build.onEnd((result) => {
      for (const { text, location } of result.errors) {
        console.error(`✘ [ERROR] ${text}`);
        if (location) console.error(`    ${location.file}:${location.line}:${location.column}:`);
      }
      console.log(`[watch] build finished: ${name}`);
    });
  },
});

async function main() {
  mkdirSync('dist', { recursive: true });
  const only = process.argv
    .find((argument) => argument.startsWith('--only='))
    ?.slice('--only='.length)
    .split(',');
  const chosen = Object.entries(bundles).filter(([name, options]) =>
    only ? only.includes(name) : existsSync(options.entryPoints[0]),
  );
  if (watch) {
    await Promise.all(
      chosen.map(async ([name, options]) =>
        (await esbuild.context({ ...options, plugins: [...(options.plugins ?? []), marks(name)] })).watch(),
      ),
    );
    return;
  }
  const results = await Promise.all(chosen.map(async ([name, options]) => [name, await esbuild.build(options)]));
  // The size test reads these to name what grew.
  for (const [name, result] of results) writeFileSync(`dist/${name}.meta.json`, JSON.stringify(result.metafile));
}

module.exports = { bundles };

if (require.main === module) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
