import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/extension.ts';

suite('The command that summarizes', () => {
  test('does nothing for an empty session, and says why where there is nothing to summarize', async () => {
    const extension = vscode.extensions.getExtension<TestApi>('loopdock.loopdock');
    assert.ok(extension);
    const { services } = await extension.activate();
    await services.agent().started;
    const { controller } = services.agent();
    await vscode.commands.executeCommand('loopdock.newSession');
    await vscode.commands.executeCommand('loopdock.compact');
    assert.deepEqual(controller.snapshot().rows, []);
    await vscode.commands.executeCommand('loopdock.sendPrompt', 'Hello');
    for (let i = 0; i < 200 && controller.snapshot().state.busy; i++) await new Promise((go) => setTimeout(go, 50));
    await vscode.commands.executeCommand('loopdock.compact');
    const last = controller.snapshot().rows.at(-1);
    assert.match(
      last?.kind === 'notice' ? `${last.title} ${last.detail ?? ''}` : '',
      /not summarized.*nothing to summarize/,
    );
    assert.equal(controller.snapshot().state.busy, false);
    await vscode.commands.executeCommand('loopdock.newSession');
  });
});
