import type { PathFacts } from '../../src/core/approval/effects.ts';
import { CancelledError, ToolError } from '../../src/core/errors.ts';
import { dominantEol, toEol } from '../../src/core/edit/lineEnds.ts';
import { applyEdits } from '../../src/core/edit/offsetEdit.ts';
import type { DirectoryEntry, EditPort, TextSnapshot } from '../../src/core/ports.ts';

export interface FakeFile {
  text: string;
  dirty?: boolean;
  unfaithful?: string;
  /** Makes it a file that is not text. */
  binary?: boolean;
  /** Pretended size in bytes. */
  size?: number;
}

export interface FakeEditPort extends EditPort {
  /** Path below the root → file; change it to play the user or another program. */
  readonly files: Map<string, FakeFile>;
  /** Paths that were written, in order. */
  readonly writes: string[];
  /** A formatter on save. */
  onSave: (path: string, text: string) => string;
  shouldSave: boolean;
  /** The text of a file; throws when there is none. */
  text(path: string): string;
}

const ROOT = '/workspace';

/** An editor with its documents in memory: one root, `/workspace`. Directories are what the paths imply. */
export function fakeEditPort(files: Readonly<Record<string, string | FakeFile>> = {}): FakeEditPort {
  const map = new Map<string, FakeFile>();
  for (const [path, file] of Object.entries(files)) map.set(path, typeof file === 'string' ? { text: file } : file);
  const find = (path: PathFacts) => map.get(keyOf(path));
  const port: FakeEditPort = {
    files: map,
    writes: [],
    onSave: (_path, text) => text,
    shouldSave: true,
    text(path) {
      const file = map.get(path);
      if (!file) throw new Error(`No such file: ${path}`);
      return file.text;
    },
    resolve: (given) => Promise.resolve().then(() => resolve(map, given)),
    list: (path) => Promise.resolve(list(map, keyOf(path))),
    readText: (path, maxBytes) => Promise.resolve().then(() => read(path, find(path), maxBytes)),
    apply: (snapshot, edits, signal) =>
      Promise.resolve().then(() => {
        if (signal.aborted) throw new CancelledError();
        if (snapshot.unfaithful !== undefined) throw new ToolError(snapshot.unfaithful);
        const file = find(snapshot.path);
        if (!file || file.text !== snapshot.text) return 'stale';
        return write(port, snapshot.path, applyEdits(file.text, edits));
      }),
    create: (path, text, signal) =>
      Promise.resolve().then(() => {
        if (signal.aborted) throw new CancelledError();
        if (!path.exists && find(path)) return 'stale';
        return write(port, path, text);
      }),
  };
  return port;
}

function write(port: FakeEditPort, path: PathFacts, text: string) {
  const key = keyOf(path);
  const saved = port.shouldSave ? port.onSave(key, text) : text;
  port.files.set(key, { text: saved, dirty: !port.shouldSave });
  port.writes.push(key);
  return { text: saved, saved: port.shouldSave, changedOnSave: saved !== text };
}

function read(path: PathFacts, file: FakeFile | undefined, maxBytes: number): TextSnapshot {
  if (file) checkReadable(path, file, maxBytes);
  const { text, dirty, unfaithful }: FakeFile = { text: '', ...file };
  const eol = dominantEol(text) ?? '\n';
  return {
    path,
    text: unfaithful === undefined ? toEol(text, eol) : text,
    eol,
    encoding: 'utf8',
    dirty: dirty === true,
    diskHash: file ? `hash of ${text}` : null,
    version: 1,
    ...(unfaithful === undefined ? {} : { unfaithful }),
  };
}

function checkReadable(path: PathFacts, file: FakeFile, maxBytes: number): void {
  if (file.binary) throw new ToolError(`Error: ${path.display} is a binary file.`);
  if (sizeOf(file) > maxBytes) throw new ToolError(`Error: ${path.display} is too large.`);
}

function resolve(map: ReadonlyMap<string, FakeFile>, given: string): Awaited<ReturnType<EditPort['resolve']>> {
  if (given === '' || given.includes('\0')) throw new ToolError('Error: The path is empty or not valid.');
  const segments = fold(given);
  const inside = segments[0] === ROOT.slice(1);
  const below = inside ? segments.slice(1) : segments;
  const canonical = `/${segments.join('/')}`;
  const key = inside ? below.join('/') : canonical;
  const file = map.get(key);
  const type = file ? 'file' : isDirectory(map, key) ? 'directory' : 'missing';
  return {
    given,
    display: key === '' ? '.' : key,
    canonical,
    inside,
    segments: below,
    exists: type !== 'missing',
    type,
    size: file ? sizeOf(file) : 0,
  };
}

function fold(given: string): string[] {
  const segments: string[] = [];
  for (const segment of (given.startsWith('/') ? given : `${ROOT}/${given}`).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

function isDirectory(map: ReadonlyMap<string, FakeFile>, key: string): boolean {
  return key === '' || [...map.keys()].some((path) => path.startsWith(`${key}/`));
}

function list(map: ReadonlyMap<string, FakeFile>, directory: string): DirectoryEntry[] {
  const prefix = directory === '' ? '' : `${directory}/`;
  const entries = new Map<string, DirectoryEntry>();
  for (const [path, file] of map) {
    if (!path.startsWith(prefix)) continue;
    const [name = '', ...rest] = path.slice(prefix.length).split('/');
    entries.set(
      name,
      rest.length > 0 ? { name, kind: 'directory', size: 0 } : { name, kind: 'file', size: sizeOf(file) },
    );
  }
  return [...entries.values()];
}

function keyOf(path: PathFacts): string {
  return path.inside ? path.segments.join('/') : path.canonical;
}

function sizeOf(file: FakeFile): number {
  return file.size ?? Buffer.byteLength(file.text);
}
