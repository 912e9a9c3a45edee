import { statSync } from 'node:fs';
import yauzl from 'yauzl';
import { buildVsix } from '../vscode/build.ts';

/** Where a .vsix keeps the extension. */
const PREFIX = 'extension/';
const MAX_BYTES = 5 * 1024 * 1024;

/** What the package may hold. Whatever else gets in is a mistake. */
const ALLOWED = [
  /^(package\.json|package\.nls(\.[\w-]+)?\.json|readme\.md|changelog\.md|license(\.txt|\.md)?)$/i,
  /^dist\/(extension|agent|api|simulator|webview|preview)\.js$/,
  /^dist\/(webview\.css|preview\.css|codicon\.ttf)$/,
  /^media\/[\w-]+\.(svg|png)$/,
  /^media\/demo\//,
  /^l10n\/bundle\.l10n(\.[\w-]+)?\.json$/,
];

/** What it must hold to run. */
const NEEDED = [
  'package.json',
  ...['extension', 'agent', 'api', 'simulator', 'webview', 'preview'].map((name) => `dist/${name}.js`),
];

/** Packages the extension and checks size and content of what would be published. */
async function main(): Promise<void> {
  const vsix = buildVsix();
  const files = await listFiles(vsix);
  const problems = [
    ...files
      .filter((file) => !ALLOWED.some((allowed) => allowed.test(file)))
      .map((file) => `${file} does not belong there`),
    ...NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
  ];
  const { size } = statSync(vsix);
  if (size > MAX_BYTES) problems.push(`it has ${size} bytes; at most ${MAX_BYTES} are allowed`);
  console.log(`${vsix}: ${files.length} files, ${Math.round(size / 1024)} KB`);
  for (const problem of problems) console.error(`  ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

/** The extension's files in the package, without those that only describe it. */
async function listFiles(vsix: string): Promise<readonly string[]> {
  const zip = await yauzl.openPromise(vsix);
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
}

void main();
