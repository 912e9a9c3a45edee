import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { Emitter } from '../../src/core/base/event.ts';
import type { StoredFile } from '../../src/core/ports.ts';
import {
  createAddToWorkspace,
  type AddToWorkspaceDeps,
  type Place,
} from '../../src/host/attachments/addToWorkspace.ts';
import { createAttachmentActions, type AttachmentActions } from '../../src/host/attachments/attachmentActions.ts';
import { createLocalCopies } from '../../src/host/attachments/localCopies.ts';
import { createEditPort } from '../../src/host/edits/editPort.ts';
import type { Guard } from '../../src/host/guard.ts';
import type { LoggedFile } from '../../src/node/attachments/inventory.ts';

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
    for (const name of added()) rmSync(join(root(), name), { recursive: true });
  });

  function file(name: string, hash = 'c'.repeat(64)): LoggedFile {
    return {
      ...{ type: 'attachmentStored', id: 'e', parentId: null, at: '2026-01-01', callId: 'c', fileId: 'file_1' },
      ...{ name, mimeType: 'text/plain', size: 7, hash, sessionId: 's' },
    };
  }

  function blob(content: string | Uint8Array): StoredFile {
    const path = join(folder, 'blob');
    writeFileSync(path, content);
    return { hash: 'c'.repeat(64), size: statSync(path).size, imageType: null, path };
  }

  /** Every file has this content; null: it is not stored. */
  function actions(
    content: string | null = 'content',
    choose?: (places: readonly Place[]) => Place,
  ): AttachmentActions {
    const stored = content === null ? undefined : blob(content);
    return createAttachmentActions({
      library: {
        blob: () => Promise.resolve(stored),
        groups: () => Promise.resolve([]),
        forget: () => Promise.resolve(),
        retry: () => Promise.resolve(),
      },
      files: { remove: () => Promise.resolve() },
      storage: { clean: () => Promise.resolve({ removed: 0, freed: 0 }) },
      logger: { info: () => undefined },
      copies: createLocalCopies(join(folder, 'open')),
      addToWorkspace: createAddToWorkspace(adding(choose)),
      guard,
    });
  }

  function adding(choose?: (places: readonly Place[]) => Place, decide?: Decide): AddToWorkspaceDeps {
    return {
      edit: createEditPort({ shouldSave: () => true }),
      previews: {
        open(_id, diff) {
          const decision = new Emitter<'allow' | 'deny'>();
          const revised = decide?.(diff.before, diff.after);
          return {
            show: async () => void setTimeout(() => decision.fire(revised === undefined ? 'deny' : 'allow')),
            revised: () => revised,
            onDecision: decision.event,
            dispose: () => decision.dispose(),
          };
        },
      },
      guard,
      ...(choose ? { choosePlace: (places) => Promise.resolve(choose(places)) } : {}),
    };
  }

  type Decide = (before: string, after: string) => string | undefined;

  function added(): string[] {
    return filesOfWorkspace().filter((name) => !before.includes(name));
  }

  test('are added to the workspace under names that are free [H5]', async () => {
    const files = actions('a,b\n', (places) => places.at(-1) as Place);
    await files.addToWorkspace(file('table.csv'));
    await files.addToWorkspace(file('table.csv'));
    assert.deepEqual(added().sort(), ['table (2).csv', 'table.csv']);
    for (const name of added()) assert.equal(readFileSync(join(root(), name), 'utf8'), 'a,b\n');
  });

  for (const [name, safe] of [
    ['../../x', 'x'],
    ['CON', '_CON'],
    ['', 'file'],
    ['<img src=x>.txt', '_img src=x_.txt'],
  ] as const) {
    test(`named ${JSON.stringify(name)} stay in the folder, as ${safe} [XT1]`, async () => {
      await actions().addToWorkspace(file(name));
      assert.deepEqual(added(), [safe]);
    });
  }

  test('become an edit of the file that is there, once the difference was seen', async () => {
    writeFileSync(join(root(), 'report.md'), 'one\r\ntwo\r\n');
    const seen: string[] = [];
    const existing = (places: readonly Place[]): Place => places[0] as Place;
    const accept = (old: string, next: string): string => (seen.push(old, next), next);
    await createAddToWorkspace(adding(existing, accept))(blob('one\nTWO\n'), 'report.md');
    assert.deepEqual(seen, ['one\r\ntwo\r\n', 'one\r\nTWO\r\n']);
    assert.equal(readFileSync(join(root(), 'report.md'), 'utf8'), 'one\r\nTWO\r\n');
    assert.deepEqual(added(), ['report.md']);
  });

  test('change nothing when the user rejects the difference', async () => {
    mkdirSync(join(root(), 'below'));
    writeFileSync(join(root(), 'below', 'report.md'), 'mine\n');
    const existing = (places: readonly Place[]): Place => places[0] as Place;
    await createAddToWorkspace(adding(existing, () => undefined))(blob('theirs\n'), 'report.md');
    assert.equal(readFileSync(join(root(), 'below', 'report.md'), 'utf8'), 'mine\n');
    assert.deepEqual(added(), ['below']);
  });

  test('never overwrite what was typed while the difference was shown', async () => {
    const path = join(root(), 'typed.md');
    writeFileSync(path, 'one\n');
    const existing = (places: readonly Place[]): Place => places[0] as Place;
    const shown: string[] = [];
    const decide = (old: string, next: string): string | undefined => {
      shown.push(old);
      if (shown.length > 1) return undefined;
      writeFileSync(path, 'typed meanwhile\n');
      return next;
    };
    await createAddToWorkspace(adding(existing, decide))(blob('theirs\n'), 'typed.md');
    assert.equal(readFileSync(path, 'utf8'), 'typed meanwhile\n');
    assert.equal(shown.length, 2, 'it is asked again, with the new text');
  });

  test('are opened as a read-only copy with their own name', async () => {
    const files = actions('notes\n');
    await files.open(file('../notes.txt'));
    const document = vscode.window.activeTextEditor?.document;
    assert.equal(basename(document?.fileName ?? ''), 'notes.txt');
    assert.equal(document?.getText(), 'notes\n');
    assert.ok(document.fileName.startsWith(join(folder, 'open')));
    assert.equal(statSync(document.fileName).mode & 0o222, 0, 'the copy can be written');
    await files.open(file('../notes.txt'));
    assert.deepEqual(added(), []);
  });

  test('that are not stored say what to do', async () => {
    await assert.rejects(actions(null).open(file('x')), /Download Again/);
  });

  test('are copied as text, and refused where they are none', async () => {
    await actions('a,b\n').copyContent(file('a.csv'));
    assert.equal(await vscode.env.clipboard.readText(), 'a,b\n');
    await assert.rejects(actions('a\0b').copyContent(file('a.bin')), /no text/);
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
