import assert from 'node:assert/strict';
import { openWorkbench } from './support/workbench.ts';
import type { Workbench } from './support/workbench.ts';

suite('The offline demo in a window without a folder and without a key', () => {
  let workbench: Workbench;

  suiteSetup(async () => {
    workbench = await openWorkbench({ workspace: null });
  });

  suiteTeardown(() => workbench.close());

  test('opens a copy of the sample project, and there talks to the simulator', async () => {
    const chat = await workbench.openChat();
    await chat.button('Start Offline Demo').click();
    const before = workbench.bridge.connections;
    await workbench.quickPick('Open the sample project').click();
    // The folder opens in this window, with a new extension host.
    await workbench.bridge.waitForConnection(before);
    await workbench.openChat();
    await chat.button(/Fix the failing test/).waitFor();
    assert.match(await chat.text(), /Simulated answers, no model/);
    const folder = await workbench.bridge.evaluate((vscode) => vscode.workspace.workspaceFolders?.[0]?.name);
    assert.match(folder ?? '', /^loopdock-demo/);
  });

  test('is told apart from the real thing by Test Connection', async () => {
    await workbench.palette('Loopdock: Test Connection');
    await workbench.toast('Its answers are scripted').waitFor();
  });

  test('can be ended, and then there is no key again', async () => {
    await workbench.palette('Loopdock: Start Offline Demo');
    await workbench.toast('The offline demo runs').getByText('End Demo').click();
    await workbench.chat.root.getByText('No API key is set.').waitFor();
    assert.doesNotMatch(await workbench.chat.text(), /Simulated answers/);
  });
});
