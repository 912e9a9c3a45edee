import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A hash over the content of every file of the checkout that git does not ignore, and over what runs it. A check that
 * reads nothing else says the same again while this is the same. Undefined where git can't list the files.
 */
export function fingerprint(root: string): string | undefined {
  const hash = createHash('sha256').update(process.version);
  try {
    const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const file of list.split('\0').sort()) {
      if (file !== '' && existsSync(join(root, file)))
        hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
    }
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/** Which checks passed on which fingerprint, in a file. An unreadable file counts as empty. */
export function createMemory(file: string): {
  passed(check: string, fingerprint: string): boolean;
  remember(check: string, fingerprint: string): void;
} {
  let known: Record<string, string> = {};
  try {
    known = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  } catch {
    // The first run, or a file that a killed run left half written.
  }
  return {
    passed: (check, print) => known[check] === print,
    remember(check, print) {
      known[check] = print;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(known));
    },
  };
}
