import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { AttachmentPort } from '../../src/core/ports.ts';
import type { AttachmentStored } from '../../src/core/session/entries.ts';
import { createAttachmentActions, type AttachmentActions } from '../../src/host/attachments/attachmentActions.ts';
import type { Guard } from '../../src/host/guard.ts';

const HASH = 'c'.repeat(64);
const guard: Guard = async (_name, run) => {
  await run();
};

suite('Attachments of the view', () => {
  let folder = '';
  let before: readonly string[] = [];

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'loopdock-attachments-'));
    before = filesOfWorkspace();
  });

  teardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(folder, { recursive: true, force: true });
    for (const name of added()) rmSync(join(root(), name));
  });

  /** A session with one file, `file_1`, of that name and content; null: it is not stored. */
  function actions(name: string, content: string | null = 'content'): AttachmentActions {
    const path = join(folder, 'blob');
    writeFileSync(path, content ?? '');
    const size = content?.length ?? 0;
    const entry: AttachmentStored = {
      ...{ type: 'attachmentStored', id: 'e', parentId: null, at: '', callId: 'c', fileId: 'file_1' },
      ...{ name, mimeType: 'text/plain', size, hash: HASH },
    };
    const store: AttachmentPort = {
      store: () => Promise.reject(new Error('not used')),
      find: async () => (content === null ? undefined : { hash: HASH, size, imageType: null, path }),
    };
    const find = (fileId: string) => (fileId === 'file_1' ? entry : undefined);
    return createAttachmentActions({ find, store, openFolder: join(folder, 'open'), guard });
  }

  function added(): string[] {
    return filesOfWorkspace().filter((name) => !before.includes(name));
  }

  test('are added to the workspace under names that are free', async () => {
    const files = actions('table.csv', 'a,b\n');
    await files.addToWorkspace('file_1');
    await files.addToWorkspace('file_1');
    assert.deepEqual(added().sort(), ['table (2).csv', 'table.csv']);
    for (const name of added()) assert.equal(readFileSync(join(root(), name), 'utf8'), 'a,b\n');
  });

  for (const [name, safe] of [
    ['../../x', 'x'],
    ['CON', '_CON'],
    ['', 'file'],
  ] as const) {
    test(`named ${JSON.stringify(name)} stay in the folder, as ${safe}`, async () => {
      await actions(name).addToWorkspace('file_1');
      assert.deepEqual(added(), [safe]);
    });
  }

  test('are opened as a read-only copy with their own name', async () => {
    const files = actions('../notes.txt', 'notes\n');
    await files.open('file_1');
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(basename(document?.fileName ?? ''), 'notes.txt');
    assert.equal(document?.getText(), 'notes\n');
    assert.ok(document.fileName.startsWith(join(folder, 'open')));
    assert.equal(statSync(document.fileName).mode & 0o222, 0, 'the copy can be written');
    await files.open('file_1');
    assert.deepEqual(added(), []);
  });

  test('of another session are refused', async () => {
    await assert.rejects(actions('x').open('file_2'), /does not belong to the session/);
    await assert.rejects(actions('x').addToWorkspace('file_2'), /does not belong to the session/);
    await assert.rejects(actions('x').saveAs('file_2'), /does not belong to the session/);
  });

  test('that are not stored say what to do', async () => {
    await assert.rejects(actions('x', null).open('file_1'), /Retry/);
  });
});

function root(): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the host suite opens a folder');
  return folder.uri.fsPath;
}

function filesOfWorkspace(): readonly string[] {
  return readdirSync(root());
}
