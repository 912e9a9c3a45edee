import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Path of a Chromium: `CHROME_PATH`, else the system's. On Debian and its kin, as root, the package is installed when
 * there is none. Throws with what to install everywhere else.
 */
export function findChromium(): string {
  const wanted = process.env['CHROME_PATH'];
  if (wanted) {
    if (!existsSync(wanted)) throw new Error(`CHROME_PATH is set to ${wanted}, and there is no such file`);
    return wanted;
  }
  const found = search();
  if (found) return found;
  if (canInstall()) {
    console.log('Installing the Debian package chromium (once)');
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
    const installed = search();
    if (installed) return installed;
  }
  throw new Error('No Chromium found: install Chromium or Google Chrome, or set CHROME_PATH to its program');
}

function search(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, ...PLACES].find((path) => existsSync(path));
}

function canInstall(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  // Ubuntu's package of this name only installs a snap, which can't run in a container.
  return /^ID=debian$/m.test(existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '');
}

function run(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}
