import { realpath } from 'node:fs/promises';
import { relative, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { cutText } from '../../core/base/text.ts';
import type { RulesFile } from '../../core/ports.ts';

/** In this order where a directory has both. */
const NAMES = ['CLAUDE.md', 'AGENTS.md'];
/** UTF-16 units of one file that are sent, and of all. */
const LONGEST_FILE = 32_000;
const LONGEST_ALL = 96_000;
const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 20;
const MAX_DIRECTORIES = 60;

export interface RulesQuery {
  readonly folders: readonly vscode.WorkspaceFolder[];
  /** Files in whose directories rules may be. */
  readonly near: readonly vscode.Uri[];
  /** URIs of files that were read before. */
  readonly known: readonly string[];
}

/**
 * The rules files of the workspace folders and of the directories between them and the files that are worked on, nearest
 * first. A file that leads out of its folder through a link is not read; the same text is read once.
 */
export async function readRules({ folders, near, known }: RulesQuery): Promise<readonly RulesFile[]> {
  const places = directories(folders, near).flatMap((directory) =>
    NAMES.map((name) => vscode.Uri.joinPath(directory, name)),
  );
  const wanted = new Map(places.map((uri) => [uri.toString(), uri]));
  for (const uri of known) if (!wanted.has(uri)) wanted.set(uri, vscode.Uri.parse(uri));
  const read = await Promise.all([...wanted.values()].map((uri) => readText(uri)));
  const texts = new Set<string>();
  let room = LONGEST_ALL;
  return [...wanted.entries()].flatMap(([key, uri], index): RulesFile[] => {
    const text = read[index];
    const wasKnown = known.includes(key);
    const same = text !== undefined && texts.has(text);
    if (text === undefined || text.trim() === '' || (same && !wasKnown))
      return wasKnown ? [{ path: pathOf(uri), uri: key, text: '', truncated: false }] : [];
    texts.add(text);
    const cut = cutText(text, Math.min(LONGEST_FILE, room));
    room -= cut.length;
    return cut === '' ? [] : [{ path: pathOf(uri), uri: key, text: cut, truncated: cut.length < text.length }];
  });
}

/** Deepest first, and so nearest first; without doubles. */
function directories(folders: readonly vscode.WorkspaceFolder[], near: readonly vscode.Uri[]): readonly vscode.Uri[] {
  const found = new Map<string, vscode.Uri>();
  for (const uri of near) {
    const root = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    if (root === undefined) continue;
    let directory = vscode.Uri.joinPath(uri, '..');
    for (let depth = 0; depth < MAX_DEPTH && directory.path.startsWith(`${root.path}/`); depth++) {
      found.set(directory.toString(), directory);
      directory = vscode.Uri.joinPath(directory, '..');
    }
  }
  const deep = [...found.values()].sort((a, b) => b.path.split('/').length - a.path.split('/').length);
  return [...deep.slice(0, MAX_DIRECTORIES), ...folders.map(({ uri }) => uri)];
}

/** Undefined for what is no such file, is too large, or leads out of its workspace folder. */
async function readText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.File) === 0 || size > MAX_BYTES || !(await staysInside(uri))) return undefined;
    const text = new TextDecoder('utf-8').decode(await vscode.workspace.fs.readFile(uri));
    return text.replaceAll('\0', '');
  } catch {
    return undefined;
  }
}

async function staysInside(uri: vscode.Uri): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  if (folder === undefined) return false;
  if (uri.scheme !== 'file') return true;
  const [root, real] = await Promise.all([realpath(folder.uri.fsPath), realpath(uri.fsPath)]);
  const path = relative(root, real);
  return path !== '' && !isAbsolute(path) && path.split(/[/\\]/)[0] !== '..';
}

function pathOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}
