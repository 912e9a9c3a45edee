import { installHost, whyNoHost } from '../vscode/hosts.ts';

/**
 * Installs both editors, once for all suites: unit tests look at them too, and two suites must not install one at a time.
 * Where none can be had the suites that need one say so themselves.
 */
function main(): void {
  const problem = whyNoHost();
  if (problem !== undefined) console.log(`No editor: ${problem}`);
  else for (const name of ['latest', 'min'] as const) console.log(`VS Code ${installHost(name).version} (${name})`);
}

main();
