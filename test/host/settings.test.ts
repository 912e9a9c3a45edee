import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { readSettings } from '../../src/host/settings.ts';

const { Global, Workspace } = vscode.ConfigurationTarget;

suite('Settings that money depends on', () => {
  const changed: [string, vscode.ConfigurationTarget][] = [];
  teardown(async () => {
    for (const [key, target] of changed.splice(0)) await configuration().update(key, undefined, target);
  });

  function configuration(): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration('loopdock');
  }

  async function set(key: string, value: unknown, target: vscode.ConfigurationTarget): Promise<void> {
    changed.push([key, target]);
    await configuration().update(key, value, target);
  }

  test('can be lowered by a workspace, and never raised or taken away', async () => {
    for (const [user, workspace, expected] of [
      [10, 3, 3],
      [10, 30, 10],
      [10, 0, 10],
      [10, -5, 10],
      [0, 4, 4],
    ] as const) {
      await set('budget.requests', user, Global);
      await set('budget.requests', workspace, Workspace);
      assert.equal(readSettings().budget.requests, expected, `${user} of the user, ${workspace} of the workspace`);
    }
  });

  test('keep the user’s cap where the workspace has none, for cost and tokens, too', async () => {
    await set('budget.cost', 2.5, Global);
    await set('budget.tokens', 1_000, Global);
    const { cost, tokens } = readSettings().budget;
    assert.deepEqual([cost, tokens], [2.5, 1_000]);
  });

  test('take whole prices only, and those of the user', async () => {
    const good = { input: 1, output: 2 };
    await set(
      'prices',
      { good, half: { input: 1 }, text: { input: '1', output: 2 }, dear: { input: 1e9, output: 2 } },
      Global,
    );
    assert.deepEqual(readSettings().prices, { good });
  });
});
