import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import {
  cleanUps,
  configure,
  edit,
  given,
  hooks,
  invoke,
  never,
  onDisk,
  port,
  put,
  replace,
  type,
  until,
  uri,
  world,
} from './editsHarness.ts';

suite('edits: documents', () => {
  hooks();

  test('unsaved text of the user is kept, and saved with the edit', async () => {
    put('a.txt', 'one\ntwo\n');
    const document = await type('a.txt', 0, 'typed\n');
    const call = await replace('a.txt', 'two', '2');
    assert.ok(call.preview.kind === 'diff' && call.preview.note?.includes('unsaved'));
    await invoke(call);
    assert.equal(document.getText(), 'typed\none\n2\n');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'typed\none\n2\n');
  });

  test('without the save setting the edit waits in the document', async () => {
    world.save = false;
    put('a.txt', 'one\n');
    assert.match(await edit('a.txt', 'one', '1'), /not saved to disk yet/);
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    assert.deepEqual([document.getText(), document.isDirty], ['1\n', true]);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'one\n');
  });

  test('an edit is one undo step [XD12]', async () => {
    put('a.txt', 'one\ntwo\nthree\n');
    const path = await port.resolve(given('a.txt'));
    const edits = [
      { start: 0, end: 3, text: '1' },
      { start: 8, end: 13, text: '3' },
    ];
    await port.apply(await port.readText(path, 1000), edits, never);
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('undo');
    assert.equal(document.getText(), 'one\ntwo\nthree\n');
  });

  test('the named file is edited, whatever editor is active', async () => {
    put('a.txt', 'one\n');
    put('b.txt', 'one\n');
    const call = await replace('a.txt', 'one', '1');
    await vscode.window.showTextDocument(uri('b.txt'));
    await invoke(call);
    assert.deepEqual([readFileSync(onDisk('a.txt'), 'utf8'), readFileSync(onDisk('b.txt'), 'utf8')], ['1\n', 'one\n']);
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri('b.txt').toString());
  });

  test('typing between preview and accept makes the edit stale and is not lost [XD10]', async () => {
    put('a.txt', 'one\ntwo\n');
    const call = await replace('a.txt', 'two', '2');
    const document = await type('a.txt', 0, 'typed\n');
    assert.equal(await invoke(call), 'stale');
    assert.deepEqual([document.getText(), document.isDirty], ['typed\none\ntwo\n', true]);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'one\ntwo\n');
  });

  test('deleting the file between preview and accept makes the edit stale and it stays deleted [XD10]', async () => {
    put('a.txt', 'one\n');
    const call = await replace('a.txt', 'one', '1');
    rmSync(onDisk('a.txt'));
    assert.equal(await invoke(call), 'stale');
    assert.equal(existsSync(onDisk('a.txt')), false);
    await assert.rejects(replace('a.txt', 'one', '1'), /File not found/);
  });

  test('a change on disk of the same size between preview and accept is not overwritten [XD10]', async () => {
    put('a.txt', 'one\n');
    const call = await replace('a.txt', 'one', '111');
    writeFileSync(onDisk('a.txt'), 'ONE\n');
    assert.equal(await invoke(call), 'stale');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'ONE\n');
  });

  test('a change on disk of the same size between edit and save is not overwritten, and the editor shows it', async () => {
    put('a.txt', 'one\n');
    const call = await replace('a.txt', 'one', '111');
    const listener = vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.getText() === '111\n') writeFileSync(onDisk('a.txt'), 'ONE\n');
    });
    cleanUps.push(() => listener.dispose());
    assert.equal(await invoke(call), 'stale');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'ONE\n');
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    await until('the document shows the disk', () => document.getText() === 'ONE\n');
    assert.equal(document.isDirty, false);
  });

  test('the unsaved text of the user survives a change on disk between edit and save', async () => {
    put('a.txt', 'one\n');
    const document = await type('a.txt', 0, 'typed\n');
    const call = await replace('a.txt', 'one', '111');
    const listener = vscode.workspace.onDidChangeTextDocument(() => {
      if (document.getText() === 'typed\n111\n') writeFileSync(onDisk('a.txt'), 'ONE\n');
    });
    cleanUps.push(() => listener.dispose());
    assert.equal(await invoke(call), 'stale');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'ONE\n');
    assert.deepEqual([document.getText(), document.isDirty], ['typed\none\n', true]);
  });

  test('a save that the editor refuses is an error, and the edit is taken back [XD11]', async () => {
    put('a.txt', 'one\n');
    const call = await replace('a.txt', 'one', '1');
    const listener = vscode.workspace.onWillSaveTextDocument(() =>
      writeFileSync(onDisk('a.txt'), 'something longer\n'),
    );
    cleanUps.push(() => listener.dispose());
    await assert.rejects(invoke(call), /could not be saved: it changed on disk.*The file was not changed/);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'something longer\n');
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    await until('the document shows the disk', () => document.getText() === 'something longer\n');
    assert.equal(document.isDirty, false);
  });

  test('auto-save of the user does not get in the way', async () => {
    await configure('files', 'autoSaveDelay', 1);
    await configure('files', 'autoSave', 'afterDelay');
    for (let n = 0; n < 5; n++) {
      put(`${String(n)}.txt`, 'one\n');
      assert.match(
        await edit(`${String(n)}.txt`, 'one', '1'),
        /^Successfully replaced text at exactly one location\.$/,
      );
      assert.equal(readFileSync(onDisk(`${String(n)}.txt`), 'utf8'), '1\n');
    }
  });

  test('after a change on disk the next edit is made on the new text', async () => {
    put('a.txt', 'one\n');
    await vscode.window.showTextDocument(uri('a.txt'));
    writeFileSync(onDisk('a.txt'), 'zero\none\n');
    await edit('a.txt', 'one', '1');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'zero\n1\n');
  });

  test('a document that is read-only in the editor is refused and shows its old text [XD14, XD11]', async () => {
    await configure('files', 'readonlyInclude', { '**/readonly.txt': true });
    put('readonly.txt', 'one\n');
    await assert.rejects(edit('readonly.txt', 'one', '1'), /Permission denied\. Cannot write to file\./);
    assert.equal(readFileSync(onDisk('readonly.txt'), 'utf8'), 'one\n');
    assert.equal((await vscode.workspace.openTextDocument(uri('readonly.txt'))).getText(), 'one\n');
  });

  test('what a formatter does on save is in the result', async () => {
    put('a.txt', "x = 'one'\n");
    const formatter = vscode.workspace.onWillSaveTextDocument((event) => {
      if (event.document.uri.toString() !== uri('a.txt').toString()) return;
      const whole = new vscode.Range(0, 0, event.document.lineCount, 0);
      const formatted = event.document.getText().replaceAll("'", '"');
      event.waitUntil(Promise.resolve([vscode.TextEdit.replace(whole, formatted)]));
    });
    cleanUps.push(() => formatter.dispose());
    assert.match(await edit('a.txt', 'one', 'two'), /Saving changed the file further.*\n1: x = "two"/);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'x = "two"\n');
  });

  test('a document that is open under a link is the one that is edited', async () => {
    put('real.txt', 'one\n');
    symlinkSync(onDisk('real.txt'), onDisk('link.txt'));
    const document = await type('link.txt', 0, 'typed\n');
    await edit('real.txt', 'one', '1');
    assert.equal(document.getText(), 'typed\n1\n');
    assert.equal(readFileSync(onDisk('real.txt'), 'utf8'), 'typed\n1\n');
  });

  test('an open notebook is refused [XD14]', async () => {
    const cells = { cells: [{ cell_type: 'code', metadata: {}, outputs: [], source: ['one'], execution_count: null }] };
    put('a.ipynb', JSON.stringify({ ...cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    try {
      await vscode.workspace.openNotebookDocument(uri('a.ipynb'));
    } catch {
      // No notebook support in this host: register the least that opens one.
      const serializer = vscode.workspace.registerNotebookSerializer('loopdock-test', {
        deserializeNotebook: () => new vscode.NotebookData([]),
        serializeNotebook: () => new Uint8Array(),
      });
      cleanUps.push(() => serializer.dispose());
      await vscode.workspace.openNotebookDocument(uri('a.ipynb'));
    }
    await assert.rejects(edit('a.ipynb', 'one', '1'), /open as a notebook/);
  });
});
