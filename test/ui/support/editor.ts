import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { buildVsix, isFresh } from '../../vscode/build.ts';
import { ROOT } from '../../vscode/bootstrap.mjs';
import { findChromium } from '../../vscode/chromium.ts';
import { installHost } from '../../vscode/hosts.ts';
import type { Host } from '../../vscode/hosts.ts';
import { atExit } from '../../vscode/processes.ts';
import { installVsix } from '../../vscode/server.ts';

/** What all workbenches of one run share: the host, the extensions that are installed, one browser. */
export interface Editor {
  readonly host: Host;
  readonly extensionsDir: string;
  readonly browser: Browser;
}

let shared: Promise<Editor> | undefined;

/** The editor of this run: `LOOPDOCK_HOST` (`latest` or `min`) with the packaged extension. Made on first use. */
export function sharedEditor(): Promise<Editor> {
  shared ??= prepare();
  return shared;
}

/** Closes the browser, if there is one. */
export async function closeEditor(): Promise<void> {
  const editor = await shared;
  shared = undefined;
  await editor?.browser.close();
}

/** Where this run's pictures go. */
export function screenshotsFolder(host: Host): string {
  return join(ROOT, 'out', 'screenshots', host.name);
}

async function prepare(): Promise<Editor> {
  const host = installHost(process.env['LOOPDOCK_HOST'] === 'min' ? 'min' : 'latest');
  forgetEvidence(screenshotsFolder(host));
  const folder = mkdtempSync(join(tmpdir(), 'loopdock-ui-'));
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  const extensionsDir = join(folder, 'extensions');
  mkdirSync(extensionsDir);
  // The link comes first: the installation makes the list of extensions, and takes in what is there.
  symlinkSync(join(ROOT, 'test', 'vscode', 'bridge'), join(extensionsDir, 'loopdock-test.bridge-0.0.1'));
  installVsix(host, packagedExtension(), extensionsDir, join(folder, 'data'));
  return { host, extensionsDir, browser: await chromium.launch({ executablePath: findChromium() }) };
}

/** Evidence of an earlier run would be taken for this one's. */
function forgetEvidence(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.startsWith('failed-')) rmSync(join(folder, name));
}

/** The .vsix under test: the one that `LOOPDOCK_VSIX` names, else one that is built when it is not up to date. */
function packagedExtension(): string {
  const given = process.env['LOOPDOCK_VSIX'];
  if (given) return given;
  const vsix = join(ROOT, 'out', 'loopdock.vsix');
  return isFresh(vsix) ? vsix : buildVsix();
}
