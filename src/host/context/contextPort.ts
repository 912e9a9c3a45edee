import * as vscode from 'vscode';
import type { ContextPort, EditorContext, Logger } from '../../core/ports.ts';
import { readSettings } from '../settings.ts';
import { readRules } from './rules.ts';

const LONGEST_WAIT_MS = 2_000;
const MAX_VISIBLE = 10;
const MAX_PROBLEMS = 20;

/** The editor as it is now. Whatever can't be read in time is left out: a message does not wait for a slow disk. */
export function createContextPort(log: Logger): ContextPort {
  return {
    async read({ touched, known }): Promise<EditorContext> {
      const { context } = readSettings();
      const rules = context.rules ? await readInTime(() => rulesNow(touched, known), log) : undefined;
      return {
        date: today(),
        ...(context.editor ? { editor: editorNow() } : {}),
        ...(context.problems ? { problems: problemsNow(touched) } : {}),
        ...(rules === undefined ? {} : { rules }),
      };
    },
  };
}

function rulesNow(touched: readonly string[], known: readonly string[]): Promise<EditorContext['rules']> {
  if (!vscode.workspace.isTrusted) return Promise.resolve('untrusted');
  const folders = vscode.workspace.workspaceFolders ?? [];
  const active = vscode.window.activeTextEditor?.document.uri;
  const worked = touched.flatMap((path) => toUri(path, folders) ?? []);
  return readRules({ folders, near: active === undefined ? worked : [active, ...worked], known });
}

async function readInTime<T>(read: () => Promise<T>, log: Logger): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      log.warn('The rules files could not be read in time; this message goes without them');
      resolve(undefined);
    }, LONGEST_WAIT_MS);
  });
  try {
    return await Promise.race([read(), late]);
  } catch (error) {
    log.warn(`The rules files could not be read: ${String(error)}`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function toUri(path: string, folders: readonly vscode.WorkspaceFolder[]): vscode.Uri | undefined {
  const [first] = folders;
  if (path.startsWith('/') || /^[a-z]:[/\\]/i.test(path)) return vscode.Uri.file(path);
  const named = folders.find(({ name }) => path.startsWith(`${name}/`));
  if (folders.length > 1 && named) return vscode.Uri.joinPath(named.uri, path.slice(named.name.length + 1));
  return first === undefined ? undefined : vscode.Uri.joinPath(first.uri, path);
}

/** Claude reads it: English, and the user's own day. */
function today(): string {
  const now = new Date();
  const day = now.toLocaleDateString('en-US', { weekday: 'long' });
  const [month, date] = [now.getMonth() + 1, now.getDate()].map((value) => String(value).padStart(2, '0'));
  return `${day}, ${String(now.getFullYear())}-${month ?? ''}-${date ?? ''}`;
}

function editorNow(): NonNullable<EditorContext['editor']> {
  const active = vscode.window.activeTextEditor;
  const shown = vscode.window.visibleTextEditors.filter((editor) => isFile(editor.document) && editor !== active);
  const visible = [...new Set(shown.map(({ document }) => pathOf(document.uri)))].slice(0, MAX_VISIBLE);
  if (active === undefined || !isFile(active.document)) return { visible };
  const { start, end, isEmpty } = active.selection;
  const selection = isEmpty ? {} : { selection: [start.line + 1, end.line + 1] as const };
  return { active: { path: pathOf(active.document.uri), ...selection }, visible };
}

/** Files of the workspace only: what else is open is none of Claude's business. */
function isFile({ uri }: vscode.TextDocument): boolean {
  return vscode.workspace.getWorkspaceFolder(uri) !== undefined;
}

function problemsNow(touched: readonly string[]): NonNullable<EditorContext['problems']> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const open = vscode.window.tabGroups.all.flatMap(({ tabs }) =>
    tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : [])),
  );
  const edited = touched.flatMap((path) => toUri(path, folders) ?? []);
  const files = new Map([...open, ...edited].map((uri) => [uri.toString(), uri]));
  const all = [...files.values()]
    .filter((uri) => vscode.workspace.getWorkspaceFolder(uri) !== undefined)
    .flatMap((uri) =>
      vscode.languages
        .getDiagnostics(uri)
        .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error)
        .map(({ range, message }) => ({ path: pathOf(uri), line: range.start.line + 1, message })),
    );
  return { list: all.slice(0, MAX_PROBLEMS), count: all.length };
}

function pathOf(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri);
}
