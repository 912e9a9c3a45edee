import Mocha from 'mocha';
import { recordResults } from '../runner/record.ts';

/**
 * Entry of the host suite: VS Code calls it inside the extension host. Rejects when a test failed, which is what a
 * desktop VS Code turns into its exit code.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'tdd', timeout: 30_000, reporter: 'min', ...filter() });
  // What mocha does for a file that it loads itself: `suite` and `test` become globals.
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('loopdock:host-suites');
  const failures = await new Promise<number>((resolve) => {
    recordResults(mocha.run(resolve));
  });
  if (failures > 0) throw new Error(`${failures} host tests failed`);
}

function filter(): Mocha.MochaOptions {
  const grep = process.env['LOOPDOCK_GREP'];
  return grep ? { grep } : {};
}
