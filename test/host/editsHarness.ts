import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { textEditorTool } from '../../src/core/tools/textEditor.ts';
import type { PreparedCall } from '../../src/core/tools/tool.ts';
import { createEditPort } from '../../src/host/edits/editPort.ts';

export const never = new AbortController().signal;
/** This test's own folder, its workspace root, and the setting for saving. */
export const world = { root: '', folder: '', save: true };
let count = 0;
/** Run after the test, last first. */
export const cleanUps: (() => unknown)[] = [];

export const port = createEditPort({ shouldSave: () => world.save });
const tool = textEditorTool(port);

/** A path in this test's own folder, as the model would write it. */
export const given = (name: string) => `${world.folder}/${name}`;
export const onDisk = (name: string) => join(world.root, world.folder, name);
export const uri = (name: string) => vscode.Uri.file(onDisk(name));

export function put(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(onDisk(name)), { recursive: true });
  writeFileSync(onDisk(name), content);
}

export const hex = (name: string) => readFileSync(onDisk(name)).toString('hex');

export function replace(name: string, oldText: string, newText: string): Promise<PreparedCall> {
  const input = { command: 'str_replace', path: given(name), old_str: oldText, new_str: newText };
  return tool.prepare(tool.input.parse(input), never);
}

export async function invoke(call: PreparedCall): Promise<string> {
  const outcome = await call.invoke({ signal: never, progress: () => undefined });
  if (outcome === 'stale') return outcome;
  assert.ok(typeof outcome.content === 'string');
  return outcome.content;
}

export async function edit(name: string, oldText: string, newText: string): Promise<string> {
  return invoke(await replace(name, oldText, newText));
}

/** Types as the user would: into the document, unsaved. */
export async function type(name: string, offset: number, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri(name));
  const change = new vscode.WorkspaceEdit();
  change.insert(document.uri, document.positionAt(offset), text);
  assert.ok(await vscode.workspace.applyEdit(change));
  return document;
}

export async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !done();) {
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export async function configure(section: string, key: string, value: unknown): Promise<void> {
  const update = (to: unknown) =>
    vscode.workspace.getConfiguration(section).update(key, to, vscode.ConfigurationTarget.Workspace);
  await update(value);
  cleanUps.push(() => update(undefined));
}

/** Leaves no unsaved document behind: it would ask when the window closes, and stay open for the next test. */
async function discardAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter((open) => open.isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
}

export function hooks(): void {
  suiteSetup(() => {
    world.root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert.ok(world.root);
  });
  setup(() => {
    world.folder = `edits-${String(++count)}`;
    world.save = true;
  });
  teardown(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    await discardAll();
    rmSync(join(world.root, world.folder), { recursive: true, force: true });
  });
}
