import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';
import { recordResults } from '../runner/record.ts';
import { ROOT } from '../vscode/bootstrap.mjs';
import { closeEditor, sharedEditor } from './support/editor.ts';
import { openWorkbenches } from './support/workbench.ts';

/**
 * `tsx test/ui/run.ts [file …]`: drives the packaged extension in a real workbench. `LOOPDOCK_HOST=min` takes the
 * minimum version of VS Code; `LOOPDOCK_GREP` chooses tests; `LOOPDOCK_VSIX` names the package to test;
 * `LOOPDOCK_RESULTS` a file for the results.
 */
async function main(): Promise<void> {
  const { host } = await sharedEditor();
  console.log(`UI suite in VS Code ${host.version} (${host.name})`);
  const mocha = new Mocha({ ui: 'tdd', timeout: 120_000, slow: 20_000, reporter: 'spec', ...filter() });
  mocha.rootHooks({
    async afterEach(this: Mocha.Context) {
      const test = this.currentTest;
      if (test?.state !== 'failed') return;
      this.timeout(60_000);
      for (const workbench of openWorkbenches()) await workbench.saveEvidence(test.fullTitle());
    },
  });
  const chosen = process.argv.slice(2);
  for (const file of chosen.length > 0 ? chosen : testFiles()) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const failures = await new Promise<number>((resolve) => {
    recordResults(mocha.run(resolve));
  });
  for (const workbench of openWorkbenches()) await workbench.close();
  await closeEditor();
  process.exit(failures > 0 ? 1 : 0);
}

function testFiles(): string[] {
  const folder = join(ROOT, 'test', 'ui');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => join(folder, file));
}

function filter(): Mocha.MochaOptions {
  const wanted = process.env['LOOPDOCK_GREP'];
  return wanted ? { grep: new RegExp(wanted) } : {};
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
