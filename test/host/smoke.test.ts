import assert from 'node:assert/strict';
import * as vscode from 'vscode';

suite('The extension in a real VS Code', () => {
  test('is there under its id, and activates', async () => {
    const extension = vscode.extensions.getExtension('loopdock.loopdock');
    assert.ok(extension, 'the extension is not installed');
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  test('has registered every command that the manifest lists', async () => {
    const extension = vscode.extensions.getExtension<unknown>('loopdock.loopdock');
    await extension?.activate();
    const manifest = extension?.packageJSON as { contributes?: { commands?: { command: string }[] } };
    const listed = (manifest.contributes?.commands ?? []).map(({ command }) => command);
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      listed.filter((command) => !registered.has(command)),
      [],
    );
  });
});
