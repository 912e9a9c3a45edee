import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../src/core/errors.ts';
import { textEditorTool } from '../../src/core/tools/textEditor.ts';
import type { PreparedCall } from '../../src/core/tools/tool.ts';
import { createEditPort } from '../../src/host/edits/editPort.ts';
import { editPortContract } from '../unit/edit/editPortContract.ts';

const never = new AbortController().signal;
let root: string;
let folder: string;
let count = 0;
let save = true;
const cleanUps: (() => unknown)[] = [];

const port = createEditPort({ shouldSave: () => save });
const tool = textEditorTool(port);

/** A path in this test's own folder, as the model would write it. */
const given = (name: string) => `${folder}/${name}`;
const onDisk = (name: string) => join(root, folder, name);
const uri = (name: string) => vscode.Uri.file(onDisk(name));

function put(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(onDisk(name)), { recursive: true });
  writeFileSync(onDisk(name), content);
}

const hex = (name: string) => readFileSync(onDisk(name)).toString('hex');

function replace(name: string, oldText: string, newText: string): Promise<PreparedCall> {
  const input = { command: 'str_replace', path: given(name), old_str: oldText, new_str: newText };
  return tool.prepare(tool.input.parse(input), never);
}

async function invoke(call: PreparedCall): Promise<string> {
  const outcome = await call.invoke({ signal: never, progress: () => undefined });
  if (outcome === 'stale') return outcome;
  assert.ok(typeof outcome.content === 'string');
  return outcome.content;
}

async function edit(name: string, oldText: string, newText: string): Promise<string> {
  return invoke(await replace(name, oldText, newText));
}

/** Types as the user would: into the document, unsaved. */
async function type(name: string, offset: number, text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri(name));
  const change = new vscode.WorkspaceEdit();
  change.insert(document.uri, document.positionAt(offset), text);
  assert.ok(await vscode.workspace.applyEdit(change));
  return document;
}

async function until(what: string, done: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !done();) {
    if (Date.now() > deadline) throw new Error(`Timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function configure(section: string, key: string, value: unknown): Promise<void> {
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

function hooks(): void {
  suiteSetup(() => {
    root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    assert.ok(root);
  });
  setup(() => {
    folder = `edits-${String(++count)}`;
    save = true;
  });
  teardown(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    await discardAll();
    rmSync(join(root, folder), { recursive: true, force: true });
  });
}

suite('edits: the real port does what every port does', () => {
  hooks();
  editPortContract(() => {
    const own = createEditPort({ shouldSave: () => true, roots: () => [{ name: folder, path: join(root, folder) }] });
    mkdirSync(join(root, folder), { recursive: true });
    return Promise.resolve({
      port: own,
      put: (name, text) => Promise.resolve(put(name, text)),
      remove: (name) => Promise.resolve(rmSync(onDisk(name))),
      saved: (name) => Promise.resolve(existsSync(onDisk(name)) ? readFileSync(onDisk(name), 'utf8') : undefined),
    });
  });
});

suite('edits: bytes', () => {
  hooks();

  const utf16 = (text: string) => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')]);
  const kept: [string, Buffer, Buffer][] = [
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFséc one\n'), Buffer.from('\uFEFFséc two\n')],
    ['two byte order marks', Buffer.from('\uFEFF\uFEFFone\n'), Buffer.from('\uFEFF\uFEFFtwo\n')],
    ['UTF-16 LE', utf16('é one\r\n'), utf16('é two\r\n')],
    ['UTF-16 BE', utf16('é one\n').swap16(), utf16('é two\n').swap16()],
    ['CRLF', Buffer.from('a\r\none\r\nb\r\n'), Buffer.from('a\r\ntwo\r\nb\r\n')],
    ['no final line end', Buffer.from('a\none'), Buffer.from('a\ntwo')],
    ['many final line ends', Buffer.from('one\n\n\n'), Buffer.from('two\n\n\n')],
    [
      'odd characters',
      Buffer.from('\u2028\u0085\f\u200Bone e\u0301\n'),
      Buffer.from('\u2028\u0085\f\u200Btwo e\u0301\n'),
    ],
  ];
  for (const [name, before, after] of kept) {
    test(`are kept but for the edit: ${name}`, async () => {
      put('a.txt', before);
      await edit('a.txt', 'one', 'two');
      assert.equal(hex('a.txt'), after.toString('hex'));
    });
  }

  test('are kept but for the edit: Shift-JIS, where the editor has it open as that', async () => {
    const japanese = [0x93, 0xfa, 0x96, 0x7b];
    put('a.txt', Buffer.from([...japanese, ...Buffer.from(' one\n')]));
    await configure('files', 'encoding', 'shiftjis');
    await edit('a.txt', 'one', 'two');
    assert.equal(hex('a.txt'), Buffer.from([...japanese, ...Buffer.from(' two\n')]).toString('hex'));
  });

  test('text that the encoding can not hold is refused, and the document is not touched', async () => {
    const bytes = Buffer.from([0xe9, ...Buffer.from(' one\n')]);
    put('a.txt', bytes);
    await configure('files', 'encoding', 'iso88591');
    await assert.rejects(edit('a.txt', 'one', '日本'), /iso88591, which can't hold the new text \(first at U\+65E5\)/);
    assert.equal(hex('a.txt'), bytes.toString('hex'));
    assert.equal((await vscode.workspace.openTextDocument(uri('a.txt'))).isDirty, false);
  });

  test('half a surrogate pair is refused', async () => {
    put('a.txt', 'one\n');
    await assert.rejects(edit('a.txt', 'one', '\uD83D'), /can't hold the new text/);
    assert.equal(hex('a.txt'), Buffer.from('one\n').toString('hex'));
  });

  const refused: [string, Buffer, RegExp][] = [
    ['mixed line ends, LF in the majority', Buffer.from('1\n2\n3\r\none\n'), /mixed line ends \(1 CRLF, 3 LF\)/],
    ['mixed line ends, CRLF in the majority', Buffer.from('1\r\n2\none\r\n'), /mixed line ends/],
    ['a lone carriage return', Buffer.from('1\rone\n'), /carriage returns without a line feed/],
    ['Shift-JIS that is taken for UTF-8', Buffer.from([0x93, 0xfa, ...Buffer.from(' one\n')]), /would not write back/],
    ['UTF-16 without a byte order mark', Buffer.from('one two three\n', 'utf16le'), /would not write back/],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x6f, 0, 0, 0, 0x6e, 0, 0, 0, 0x65, 0, 0, 0]), /UTF-32|binary/],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0x6f, 0x6e, 0x65]), /binary/],
    ['more than 5 MB', Buffer.from(`one\n${'x'.repeat(5_000_001)}`), /limit is 5 MB/],
  ];
  for (const [name, bytes, message] of refused) {
    test(`that the editor would not keep are not touched: ${name}`, async () => {
      put('a.txt', bytes);
      await assert.rejects(edit('a.txt', 'one', 'two'), (error: Error) => {
        assert.ok(error instanceof ToolError);
        assert.match(error.message, message);
        return true;
      });
      assert.ok(readFileSync(onDisk('a.txt')).equals(bytes));
      assert.deepEqual(
        vscode.workspace.textDocuments.filter((document) => document.isDirty),
        [],
      );
    });
  }

  test('new files take the line end of the settings', async () => {
    await configure('files', 'eol', '\r\n');
    const path = await port.resolve(given('new.txt'));
    await port.create(path, 'a\nb\n', never);
    assert.equal(readFileSync(onDisk('new.txt'), 'utf8'), 'a\r\nb\r\n');
  });

  test('new files take the encoding of the settings, with one byte order mark', async () => {
    await configure('files', 'encoding', 'utf8bom');
    await port.create(await port.resolve(given('a.txt')), '\uFEFFx', never);
    await port.create(await port.resolve(given('b.txt')), 'x', never);
    assert.deepEqual([hex('a.txt'), hex('b.txt')], ['efbbbf78', 'efbbbf78']);
  });
});

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
    save = false;
    put('a.txt', 'one\n');
    assert.match(await edit('a.txt', 'one', '1'), /not saved to disk yet/);
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    assert.deepEqual([document.getText(), document.isDirty], ['1\n', true]);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'one\n');
  });

  test('an edit is one undo step', async () => {
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

  test('typing between preview and accept makes the edit stale and is not lost', async () => {
    put('a.txt', 'one\ntwo\n');
    const call = await replace('a.txt', 'two', '2');
    const document = await type('a.txt', 0, 'typed\n');
    assert.equal(await invoke(call), 'stale');
    assert.deepEqual([document.getText(), document.isDirty], ['typed\none\ntwo\n', true]);
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'one\ntwo\n');
  });

  test('deleting the file between preview and accept makes the edit stale and it stays deleted', async () => {
    put('a.txt', 'one\n');
    const call = await replace('a.txt', 'one', '1');
    rmSync(onDisk('a.txt'));
    assert.equal(await invoke(call), 'stale');
    assert.equal(existsSync(onDisk('a.txt')), false);
    await assert.rejects(replace('a.txt', 'one', '1'), /File not found/);
  });

  test('a change on disk of the same size between preview and accept is not overwritten', async () => {
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

  test('after a change on disk the next edit is made on the new text', async () => {
    put('a.txt', 'one\n');
    await vscode.window.showTextDocument(uri('a.txt'));
    writeFileSync(onDisk('a.txt'), 'zero\none\n');
    await edit('a.txt', 'one', '1');
    assert.equal(readFileSync(onDisk('a.txt'), 'utf8'), 'zero\n1\n');
  });

  test('a document that is read-only in the editor is refused and shows its old text', async () => {
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

  test('an open notebook is refused', async () => {
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

suite('edits: paths', () => {
  hooks();

  test('a link that leads out of the workspace is outside, on reading and on creating', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'loopdock-outside-'));
    cleanUps.push(() => rmSync(outside, { recursive: true, force: true }));
    writeFileSync(join(outside, 'secret'), 'x');
    put('keep', '');
    symlinkSync(outside, onDisk('out'));
    for (const name of ['out/secret', 'out/new.txt']) assert.equal((await port.resolve(given(name))).inside, false);
  });

  test('a directory that is swapped for a link between check and write is not followed', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'loopdock-outside-'));
    cleanUps.push(() => rmSync(outside, { recursive: true, force: true }));
    writeFileSync(join(outside, 'a.txt'), 'one\n');
    put('dir/a.txt', 'one\n');
    const call = await replace('dir/a.txt', 'one', '1');
    const path = await port.resolve(given('dir/new.txt'));
    rmSync(onDisk('dir'), { recursive: true });
    symlinkSync(outside, onDisk('dir'));
    assert.equal(await invoke(call), 'stale');
    assert.equal(await port.create(path, 'x', never), 'stale');
    assert.equal(readFileSync(join(outside, 'a.txt'), 'utf8'), 'one\n');
    assert.equal(existsSync(join(outside, 'new.txt')), false);
  });

  test('a file of 9 MB can be viewed and not edited, one of 60 MB neither', async () => {
    put('big.txt', 'line\n'.repeat(1_800_000));
    const path = await port.resolve(given('big.txt'));
    const snapshot = await port.readText(path, 10_000_000);
    assert.equal(snapshot.text.length, 9_000_000);
    assert.match(snapshot.unfaithful ?? '', /too large/);
    await assert.rejects(port.readText({ ...path, ...(await port.resolve(given('big.txt'))) }, 1000), /limit is 1 KB/);
  });
});
