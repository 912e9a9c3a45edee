import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Logger, PreviewHandle } from '../../src/core/ports.ts';
import { createPreviews, type Previews } from '../../src/host/edits/preview.ts';

const logged: string[] = [];
const logger: Logger = {
  info: () => undefined,
  trace: () => undefined,
  warn: (message) => logged.push(message),
  error: (message, error) => logged.push(`${message}: ${String(error)}`),
};

const BEFORE = 'const a = 1;\r\nconst b = 2;\r\n';
const AFTER = 'const a = 1;\r\nconst b = "日本";\r\n';

async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !done();) {
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function diffTabs(): { tab: vscode.Tab; input: vscode.TabInputTextDiff }[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap((tab) =>
      tab.input instanceof vscode.TabInputTextDiff && tab.input.modified.scheme === 'loopdock-proposed'
        ? [{ tab, input: tab.input }]
        : [],
    );
}

function proposal(): vscode.TextDocument {
  const uri = diffTabs()[0]?.input.modified.toString();
  const found = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
  assert.ok(found);
  return found;
}

async function type(document: vscode.TextDocument, line: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(document.uri, new vscode.Position(line, 0), text);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

suite('edit previews', () => {
  let previews: Previews;
  const open: PreviewHandle[] = [];
  const show = async (path = 'src/a.ts'): Promise<PreviewHandle> => {
    const handle = previews.open('call', { path, before: BEFORE, after: AFTER, exists: true });
    open.push(handle);
    await handle.show();
    return handle;
  };

  setup(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    logged.length = 0;
    previews = createPreviews(logger);
  });

  teardown(async () => {
    for (const handle of open.splice(0)) handle.dispose();
    await until('the diffs are closed', () => diffTabs().length === 0);
    previews.dispose();
    assert.deepEqual(logged, []);
  });

  test('show a native diff of the two texts in the language of the file', async () => {
    await show();
    const [diff] = diffTabs();
    assert.equal(diff?.tab.label, 'Edit a.ts (Loopdock)');
    assert.deepEqual([proposal().getText(), proposal().languageId], [AFTER, 'typescript']);
    const before = await vscode.workspace.openTextDocument(diff.input.original);
    assert.equal(before.getText(), BEFORE);
  });

  test('open behind the editor that the user types in, and in front when they ask', async () => {
    const editor = await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ content: 'mine', language: 'plaintext' }),
    );
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'typing '));
    await show();
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), editor.document.uri.toString());
    assert.equal(diffTabs()[0]?.tab.isActive, false);
    await open.at(-1)?.show();
    assert.equal(diffTabs()[0]?.tab.isActive, true);
    await vscode.window.showTextDocument(editor.document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  test('as proposed there is nothing revised', async () => {
    const handle = await show();
    assert.equal(handle.revised(), undefined);
  });

  test('what the user types on the right side is the revised text, and closing the tab asks nothing', async () => {
    const handle = await show();
    const document = proposal();
    await type(document, 1, '// mine\n');
    const wanted = 'const a = 1;\r\n// mine\r\nconst b = "日本";\r\n';
    assert.equal(handle.revised(), wanted);
    await until('it is saved', () => !document.isDirty);
    await vscode.window.tabGroups.close(diffTabs().map(({ tab }) => tab));
    assert.equal(diffTabs().length, 0);
    assert.equal(handle.revised(), wanted);
  });

  test('show again what the user had typed', async () => {
    const handle = await show();
    await type(proposal(), 0, '// mine\n');
    await until('it is saved', () => !proposal().isDirty);
    await vscode.window.tabGroups.close(diffTabs().map(({ tab }) => tab));
    await handle.show();
    assert.ok(proposal().getText().startsWith('// mine\r\n'));
  });

  test('the encoding setting of the user does not garble them', async () => {
    const files = vscode.workspace.getConfiguration('files');
    await files.update('encoding', 'shiftjis', vscode.ConfigurationTarget.Workspace);
    try {
      const handle = await show();
      assert.equal(proposal().getText(), AFTER);
      await type(proposal(), 0, '// 한글\n');
      await until('it is saved', () => !proposal().isDirty);
      assert.equal(handle.revised(), `// 한글\r\n${AFTER}`);
    } finally {
      await files.update('encoding', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  test('a formatter does not run over what the user types', async () => {
    const editor = vscode.workspace.getConfiguration('editor');
    await editor.update('formatOnSave', true, vscode.ConfigurationTarget.Workspace);
    const formatter = vscode.languages.registerDocumentFormattingEditProvider('typescript', {
      provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), '/* formatted */')],
    });
    try {
      const handle = await show();
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      await until('the diff has the focus', () => vscode.window.activeTextEditor?.document === proposal());
      await vscode.commands.executeCommand('type', { text: 'x' });
      await until('it is saved', () => !proposal().isDirty);
      assert.ok(handle.revised()?.includes('x'));
      assert.ok(!handle.revised()?.includes('formatted'));
    } finally {
      formatter.dispose();
      await editor.update('formatOnSave', undefined, vscode.ConfigurationTarget.Workspace);
    }
  });

  test('the buttons of the diff editor decide, with and without its URI', async () => {
    const handle = await show();
    const decisions: string[] = [];
    handle.onDecision((decision) => decisions.push(decision));
    previews.decide(diffTabs()[0]?.input.modified, 'allow');
    previews.decide(undefined, 'deny');
    previews.decide(vscode.Uri.parse('loopdock-proposed:/99/a.ts'), 'allow');
    assert.deepEqual(decisions, ['allow', 'deny']);
  });

  test('close their tab when they are disposed, also with text that was typed', async () => {
    const handle = await show();
    await type(proposal(), 0, 'x');
    handle.dispose();
    await until('the tab is closed', () => diffTabs().length === 0);
  });

  test('open one after the other when many are asked for at once', async () => {
    const handles = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts'].map((path) =>
      previews.open('call', { path, before: BEFORE, after: AFTER, exists: true }),
    );
    open.push(...handles);
    await Promise.all(handles.map((handle) => handle.show()));
    assert.ok(diffTabs().some(({ tab }) => tab.label === 'Edit e.ts (Loopdock)'));
  });

  test('that are disposed before their turn never open', async () => {
    const handle = previews.open('call', { path: 'a.ts', before: '', after: 'x', exists: false });
    const shown = handle.show();
    handle.dispose();
    await shown;
    assert.equal(diffTabs().length, 0);
    assert.equal(handle.revised(), undefined);
  });

  test('any path makes a URI', async () => {
    for (const path of ['/abs/a?b#c.ts', 'C:\\x\\y.ts', 'ünï %2e/a b.ts', '//unc/x']) await show(path);
    assert.ok(diffTabs().length > 0);
    assert.ok(proposal().getText().length > 0);
  });
});
