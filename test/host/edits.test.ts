import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../src/core/errors.ts';
import { createEditPort } from '../../src/host/edits/editPort.ts';
import { editPortContract } from '../unit/edit/editPortContract.ts';
import {
  cleanUps,
  configure,
  edit,
  given,
  hex,
  hooks,
  invoke,
  never,
  onDisk,
  port,
  put,
  replace,
  uri,
  world,
} from './editsHarness.ts';

suite('edits: the real port does what every port does', () => {
  hooks();
  editPortContract(() => {
    const own = createEditPort({
      shouldSave: () => true,
      roots: () => [{ name: world.folder, path: join(world.root, world.folder) }],
    });
    mkdirSync(join(world.root, world.folder), { recursive: true });
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
    test(`are kept but for the edit: ${name} [XD13]`, async () => {
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
    test(`that the editor would not keep are not touched: ${name} [XD13]`, async () => {
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

  test('a file of 9 MB can be viewed and not edited, and a view over its limit is refused', async () => {
    put('big.txt', 'line\n'.repeat(1_800_000));
    const path = await port.resolve(given('big.txt'));
    const snapshot = await port.readText(path, 10_000_000);
    assert.equal(snapshot.text.length, 9_000_000);
    assert.match(snapshot.unfaithful ?? '', /too large/);
    await assert.rejects(port.readText(path, 1000), /has 9 MB; the limit is 1 KB/);
  });
});
