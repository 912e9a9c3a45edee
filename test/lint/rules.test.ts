import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ESLint, Linter } from 'eslint';

const ROOT = join(__dirname, '..', '..');
const FIXTURES = join(ROOT, 'test', 'lint', 'fixtures');
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

suite('The import rules', function () {
  this.timeout(60_000);

  let fired: Record<string, string[]>;

  suiteSetup(() => {
    const program = join(ROOT, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
    const args = [program, '--config', CONFIG, '--output-type', 'json', 'src', 'media'];
    const output = execFileSync(process.execPath, args, { cwd: FIXTURES, encoding: 'utf8', maxBuffer: 1e8 });
    const { summary } = JSON.parse(output) as { summary: { violations: Violation[] } };
    fired = {};
    for (const { rule, from } of summary.violations) (fired[rule.name] ??= []).push(from);
  });

  test('each fire on a file that breaks them', () => {
    const { forbidden } = createRequire(CONFIG)(CONFIG) as { forbidden: { name: string }[] };
    assert.deepEqual(
      forbidden.map(({ name }) => name).filter((name) => !fired[name]),
      [],
    );
  });

  test('leave alone what keeps them', () => {
    const wronged = Object.values(fired).flat();
    assert.deepEqual(
      wronged.filter((file) => file.includes('good') || file === 'src/extension.ts'),
      [],
    );
  });

  test('see an import of vscode, by type too', () => {
    assert.deepEqual(fired['only-the-host-imports-vscode'], ['src/node/badVscode.ts']);
  });
});

suite('The lint rules of the pure core', function () {
  this.timeout(60_000);

  let rules: Linter.RulesRecord;

  suiteSetup(async () => {
    const eslint = new ESLint({ cwd: ROOT });
    const config = (await eslint.calculateConfigForFile(join(ROOT, 'src/core/agent/x.ts'))) as Linter.Config;
    const own = /^(no-restricted-|max-|complexity|no-console)/;
    const all = Object.entries(config.rules ?? {});
    rules = Object.fromEntries(all.filter(([name]) => own.test(name))) as Linter.RulesRecord;
  });

  const cases: readonly (readonly [why: string, code: string, rule: string])[] = [
    ['a Node module', `import fs from 'node:fs'; fs();`, 'no-restricted-imports'],
    ['a Node module without its scheme', `import fs from 'fs'; fs();`, 'no-restricted-imports'],
    ['vscode', `import vscode from 'vscode'; vscode();`, 'no-restricted-imports'],
    ['the clock', `export const now = Date.now();`, 'no-restricted-properties'],
    ['the clock by a date', `export const now = new Date();`, 'no-restricted-syntax'],
    ['randomness', `export const random = Math.random();`, 'no-restricted-properties'],
    ['a timer', `setTimeout(() => 1, 1);`, 'no-restricted-globals'],
    ['the network', `export const answer = fetch('x');`, 'no-restricted-globals'],
    ['the environment', `export const key = process.env;`, 'no-restricted-globals'],
    ['the DOM', `export const title = document.title;`, 'no-restricted-globals'],
    ['the console', `console.log(1);`, 'no-console'],
    ['a long file', '\n'.repeat(401), 'max-lines'],
    ['a long function', `export function long() {${'\n'.repeat(61)}}`, 'max-lines-per-function'],
    ['many parameters', `export function many(a, b, c, d, e) { return [a, b, c, d, e]; }`, 'max-params'],
    ['deep nesting', `if (a) { if (a) { if (a) { if (a) { if (a) { a(); } } } } }`, 'max-depth'],
    ['many branches', `export const f = (a) => ${'a ? 1 : '.repeat(12)} 2;`, 'complexity'],
  ];

  for (const [why, code, rule] of cases) {
    test(`refuse ${why}`, () => {
      // In the browser's and Node's world these names are globals, which is what the rule is about.
      const names = ['setTimeout', 'fetch', 'process', 'document', 'console'];
      const globals = Object.fromEntries(names.map((name) => [name, 'readonly' as const]));
      const found = new Linter().verify(code, [{ rules, languageOptions: { globals } }]);
      assert.deepEqual([...new Set(found.map(({ ruleId }) => ruleId))], [rule]);
    });
  }

  test('allow a date of a given time', () => {
    const code = `export const at = (time) => new Date(time).toISOString();`;
    assert.deepEqual(new Linter().verify(code, [{ rules }]), []);
  });
});
