import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** UTF-8 bytes; every file system in use takes this, with room for a number. */
const longestName = 200;
const longestExtension = 20;

/**
 * A clean name for a file whose name came from elsewhere: one path segment that means the same on every system, without
 * hidden characters, never empty and never a device. The same name again when it already is clean.
 */
export function sanitizeFileName(name: string): string {
  const last = name
    .normalize('NFC')
    .split(/[/\\\u2044\u2215\u29F5\u29F8\uFE68\uFF0F\uFF3C]/)
    .findLast((segment) => clean(segment) !== '');
  const whole = clean(last ?? '');
  if (whole === '') return 'file';
  return shorten(isDevice(whole) ? `_${whole}` : whole);
}

/**
 * A name that nothing in the folder has yet: `chart.png`, `chart (2).png`, … `exists` gets absolute paths. Whoever writes
 * the file still opens it with `wx`: another one may be quicker.
 */
export async function uniqueName(
  dir: string,
  name: string,
  exists: (path: string) => Promise<boolean> = existsInAnyCase,
): Promise<string> {
  const { stem, extension } = split(name);
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${stem} (${i})${extension}`;
    if (!(await exists(join(dir, candidate)))) return candidate;
  }
}

/** Whether the folder has a file of that name in any case and Unicode form: those are one file on some systems. */
export async function existsInAnyCase(path: string): Promise<boolean> {
  const names = await readdir(dirname(path));
  const wanted = fold(basename(path));
  return names.some((name) => fold(name) === wanted);
}

function fold(name: string): string {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

function clean(segment: string): string {
  return (
    segment
      .replace(/\p{Surrogate}|[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu, '')
      // What some file system, shell or URI gives a meaning.
      .replace(/["*:<>?|%`$;&'!^{}~\u02D0\uA789\uFF1A]/g, '_')
      .replace(/\s+/gu, ' ')
      // A leading dot hides it, a leading hyphen makes it an option; Windows drops dots and spaces at the end.
      .replace(/^[-. ]+|[. ]+$/g, '')
      .normalize('NFC')
  );
}

/** Cuts the stem, by whole code points, so that the extension stays. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= longestName) return name;
  const { stem, extension } = split(name);
  let room = longestName - Buffer.byteLength(extension);
  let kept = '';
  for (const char of stem) {
    room -= Buffer.byteLength(char);
    if (room < 0) break;
    kept += char;
  }
  return kept.replace(/[. ]+$/, '') + extension;
}

function split(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= longestExtension;
  return isExtension ? { stem: name.slice(0, dot), extension: name.slice(dot) } : { stem: name, extension: '' };
}

/** `CON`, `aux.ts`, `COM1 .txt`, `LPT¹`: devices on Windows, whatever follows the first dot. */
function isDevice(name: string): boolean {
  const [stem = ''] = name.normalize('NFKC').split('.');
  return /^(con|prn|aux|nul|clock\$|conin\$|conout\$|(com|lpt)[0-9])$/i.test(stem.trim());
}
