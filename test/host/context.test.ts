import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { createContextPort } from '../../src/host/context/contextPort.ts';
import { readRules } from '../../src/host/context/rules.ts';
import { fakeLogger } from '../support/fakes.ts';

suite('What Claude is told of the editor', () => {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const root = folders[0]?.uri.fsPath ?? '';
  const made: string[] = [];
  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
  });

  function put(name: string, text: string): vscode.Uri {
    const path = join(root, name);
    made.push(join(root, name.split('/')[0] ?? name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return vscode.Uri.file(path);
  }

  test('are the rules of the directories on the way to a file, nearest first, and the same text once', async () => {
    put('CLAUDE.md', 'Root rules.');
    put('AGENTS.md', 'Root rules.');
    put('ctx/CLAUDE.md', 'Near rules.');
    const near = [put('ctx/deep/a.ts', 'a')];
    const rules = await readRules({ folders, near, known: [] });
    assert.deepEqual(
      rules.map(({ path, text }) => [path, text]),
      [
        ['ctx/CLAUDE.md', 'Near rules.'],
        ['CLAUDE.md', 'Root rules.'],
      ],
    );
  });

  test('say of a file that was known and is gone that it is empty', async () => {
    const gone = vscode.Uri.file(join(root, 'CLAUDE.md')).toString();
    assert.deepEqual(await readRules({ folders, near: [], known: [gone] }), [
      { path: 'CLAUDE.md', uri: gone, text: '', truncated: false },
    ]);
  });

  test('are never rules from outside the folder, whatever a link says', async () => {
    const outside = join(dirname(root), 'outside-rules.md');
    writeFileSync(outside, 'Foreign rules.');
    const link = join(root, 'AGENTS.md');
    made.push(outside, link);
    symlinkSync(outside, link);
    assert.deepEqual(await readRules({ folders, near: [], known: [] }), []);
  });

  test('are cut where they are too long, and that is said', async () => {
    put('CLAUDE.md', 'x'.repeat(40_000));
    const [rules] = await readRules({ folders, near: [], known: [] });
    assert.deepEqual([rules?.text.length, rules?.truncated], [32_000, true]);
  });

  test('are the active file with the lines that are selected, the errors in open files, and the user’s day', async () => {
    const uri = put('ctx/active.ts', 'one\ntwo\nthree\n');
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(0, 0, 1, 2);
    const problems = vscode.languages.createDiagnosticCollection('context-test');
    problems.set(uri, [
      new vscode.Diagnostic(new vscode.Range(2, 0, 2, 3), 'Broken.', vscode.DiagnosticSeverity.Error),
    ]);
    const logger = fakeLogger();
    const now = await createContextPort(logger).read({ touched: [], known: [] });
    problems.dispose();
    assert.deepEqual(now.editor?.active, { path: 'ctx/active.ts', selection: [1, 2] });
    assert.deepEqual(now.problems, { list: [{ path: 'ctx/active.ts', line: 3, message: 'Broken.' }], count: 1 });
    assert.match(now.date ?? '', /^[A-Z][a-z]+day, \d{4}-\d\d-\d\d$/);
  });
});
