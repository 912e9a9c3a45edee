import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from '../vscode/bootstrap.mjs';

const WAIVER = /(?:eslint-disable(?:-next-line|-line)?|@ts-expect-error|@ts-ignore)\b(.*)/;
const OWN_FILE = /waivers\.ts$/;

/** Prints every place where a rule is switched off: the list shall only shrink. Fails where one has no reason. */
function main(): void {
  const waivers = ['src', 'media', 'test'].flatMap((folder) => sources(join(ROOT, folder)).flatMap(waiversIn));
  console.log(`${waivers.length} waivers`);
  for (const { place, text } of waivers) console.log(`  ${place}: ${text}`);
  const silent = waivers.filter(({ text }) => !/(--|:) .{8,}/.test(text));
  for (const { place } of silent) console.error(`${place}: a waiver needs a reason, after " -- "`);
  process.exitCode = silent.length > 0 ? 1 : 0;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name) && !name.includes('node_modules') && !OWN_FILE.test(name))
    .map((name) => join(folder, name));
}

function waiversIn(file: string): { place: string; text: string }[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const match = WAIVER.exec(line);
      if (!match) return [];
      return [{ place: `${relative(ROOT, file)}:${index + 1}`, text: match[0].replace(/\s*\*\/.*$/, '').trim() }];
    });
}

main();
