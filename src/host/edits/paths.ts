import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';
import type { PathFacts } from '../../core/approval/effects.ts';
import { ToolError } from '../../core/errors.ts';
import type { PathKind } from '../../core/ports.ts';

/** A workspace folder on disk. `path` is absolute, as the editor has it: it may lead through links. */
export interface Root {
  readonly name: string;
  readonly path: string;
}

export type ResolvedPath = PathFacts & { readonly type: PathKind; readonly size: number };

const MAX_PATH = 4096;
const MAX_NAME = 255;
const MAX_LINKS = 40;
const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Where a path of the model leads, by the rules of the kernel and not of the text: links are followed segment by
 * segment (a dangling one to the place where a write would land), `..` is the parent of what it stands in. Nothing in
 * it is expanded: `~`, `$HOME`, `%2e` and `file:` are names like others. Relative paths start at the first root, or,
 * with several roots, at the one that they name first. Throws `ToolError` for what is no usable path.
 */
export async function resolvePath(given: string, roots: readonly Root[]): Promise<ResolvedPath> {
  checkText(given);
  const found = await follow(await absolute(given, roots));
  if (found.type !== 'directory' && found.type !== 'missing' && /[/\\]$/.test(given)) throw notDirectory();
  const place = await locate(found.canonical, roots);
  return {
    given,
    ...place,
    canonical: found.canonical,
    exists: found.type !== 'missing',
    type: found.type,
    size: found.size,
  };
}

/** The canonical form of an absolute path, to see whether a link on its way was swapped. */
export async function canonicalPath(absolutePath: string): Promise<string> {
  return (await follow(absolutePath)).canonical;
}

function checkText(given: string): void {
  if (given === '') throw new ToolError('Error: The path is empty.');
  if (given.startsWith('untitled:')) {
    throw new ToolError('Error: Untitled documents have no file and are not edited. Ask the user to save it first.');
  }
  if (given.length > MAX_PATH) throw new ToolError(`Error: The path has more than ${String(MAX_PATH)} characters.`);
  if (/\p{Cc}|\p{Cs}|[\u200E\u200F\u202A-\u202E\u2066-\u2069]/u.test(given)) {
    throw new ToolError('Error: The path has control or text direction characters in it.');
  }
  const segments = given.split(process.platform === 'win32' ? /[/\\]/ : '/');
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_NAME)) {
    throw new ToolError(`Error: A name in the path has more than ${String(MAX_NAME)} bytes.`);
  }
  if (process.platform === 'win32') checkWindows(given, segments);
}

/** What Windows reads differently from how it looks. None of it is touched to find out. */
function checkWindows(given: string, segments: readonly string[]): void {
  const device = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
  const names = /^[a-z]:$/i.test(segments[0] ?? '') ? segments.slice(1) : segments;
  const odd = names.some(
    (name) => device.test(name) || name.includes(':') || /[. ]$/.test(name.replace(/^\.{1,2}$/, '')),
  );
  if (/^[/\\]{2}/.test(given) || odd) {
    throw new ToolError(
      'Error: Network and device paths, streams and names with a trailing dot or space are not allowed.',
    );
  }
}

async function absolute(given: string, roots: readonly Root[]): Promise<string> {
  if (isAbsolute(given)) return given;
  const [first] = roots;
  if (!first) throw new ToolError('Error: No folder is open, so a relative path leads nowhere. Use an absolute path.');
  if (roots.length === 1) return `${first.path}${sep}${given}`;
  const [name = '', ...rest] = given.split(/[/\\]/);
  const named = roots.find((root) => root.name === name);
  if (!named) return `${first.path}${sep}${given}`;
  const inNamed = [named.path, ...rest].join(sep);
  const inFirst = `${first.path}${sep}${given}`;
  return !(await present(inNamed)) && (await present(inFirst)) ? inFirst : inNamed;
}

async function present(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

interface Found {
  readonly canonical: string;
  readonly type: PathKind;
  readonly size: number;
}

/** Walks the path as the kernel would. Behind a missing segment names are only appended. */
async function follow(path: string): Promise<Found> {
  let { root: at } = parse(path);
  let rest = namesOf(path.slice(at.length));
  let links = 0;
  let state: Omit<Found, 'canonical'> = { type: 'directory', size: 0 };
  while (rest.length > 0) {
    const [name = '', ...others] = rest;
    rest = others;
    if (state.type === 'file' || state.type === 'other') throw notDirectory();
    if (name === '..') {
      if (state.type === 'missing')
        throw new ToolError('Error: The path goes up from a directory that does not exist.');
      at = dirname(at);
      continue;
    }
    at = join(at, name);
    const next = state.type === 'missing' ? state : await look(at);
    if (typeof next !== 'string') {
      state = next;
      continue;
    }
    if (++links > MAX_LINKS) throw new ToolError('Error: The path has a loop of symbolic links.');
    const base = isAbsolute(next) ? parse(next).root : dirname(at);
    rest = [...namesOf(isAbsolute(next) ? next.slice(base.length) : next), ...rest];
    at = base;
    state = { type: 'directory', size: 0 };
  }
  return { canonical: await trueCase(at), ...state };
}

function namesOf(path: string): string[] {
  return path.split(process.platform === 'win32' ? /[/\\]/ : '/').filter((name) => name !== '' && name !== '.');
}

/** What is there; the target when it is a link. */
async function look(path: string): Promise<Omit<Found, 'canonical'> | string> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return await readlink(path);
    if (stat.isDirectory()) return { type: 'directory', size: 0 };
    return { type: stat.isFile() ? 'file' : 'other', size: stat.size };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return { type: 'missing', size: 0 };
    if (code === 'ENOTDIR') throw notDirectory();
    if (code === 'ENAMETOOLONG') throw new ToolError('Error: The path is too long.');
    throw new ToolError('Error: Permission denied. Cannot read the path.');
  }
}

/** On systems that fold case, the names as they are on disk; what does not exist keeps its own. */
async function trueCase(path: string): Promise<string> {
  if (!FOLDS_CASE) return path;
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch {
      if (dirname(at) === at) return path;
      missing.unshift(at.slice(dirname(at).length).replace(/^[/\\]/, ''));
    }
  }
}

/** The root that holds a canonical path, segment by segment, and how the path is shown. The innermost root wins. */
async function locate(
  canonical: string,
  roots: readonly Root[],
): Promise<Pick<PathFacts, 'inside' | 'segments' | 'display'>> {
  const found = await rootOf(canonical, roots);
  if (!found) return { inside: false, segments: segmentsOf(canonical), display: canonical };
  const { root, segments } = found;
  const unique = roots.filter(({ name }) => name === root.name).length === 1;
  const shown = roots.length === 1 ? segments : [root.name, ...segments];
  return { inside: true, segments, display: roots.length > 1 && !unique ? canonical : shown.join('/') || '.' };
}

/** The innermost root that holds a canonical path, and the segments below it. */
export async function rootOf(
  canonical: string,
  roots: readonly Root[],
): Promise<{ readonly root: Root; readonly segments: readonly string[] } | undefined> {
  const target = segmentsOf(canonical);
  let best: { root: Root; segments: string[]; depth: number } | undefined;
  for (const root of roots) {
    const base = segmentsOf(await canonicalPath(root.path).catch(() => root.path));
    const holds = base.length <= target.length && base.every((name, index) => fold(name) === fold(target[index] ?? ''));
    if (holds && (!best || base.length > best.depth))
      best = { root, segments: target.slice(base.length), depth: base.length };
  }
  return best && { root: best.root, segments: best.segments };
}

function segmentsOf(path: string): string[] {
  return path.split(sep).filter((name) => name !== '');
}

function fold(name: string): string {
  return FOLDS_CASE ? name.normalize('NFC').toLowerCase() : name;
}

function notDirectory(): ToolError {
  return new ToolError('Error: Not a directory: the path goes through a file.');
}
