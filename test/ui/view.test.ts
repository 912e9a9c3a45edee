import assert from 'node:assert/strict';
import { openWorkbench } from './support/workbench.ts';
import type { Workbench } from './support/workbench.ts';

suite('The chat view in a real workbench', () => {
  let workbench: Workbench;

  suiteSetup(async () => {
    workbench = await openWorkbench({ workspace: { 'hello.txt': 'hello\n' } });
  });

  suiteTeardown(() => workbench.close());

  test('opens from its activity bar icon and takes text @min', async () => {
    await workbench.page.locator('.activitybar [aria-label^="Loopdock"]').first().click();
    await workbench.chat.ready();
    await workbench.chat.composer().fill('Hello');
    assert.equal(await workbench.chat.composer().inputValue(), 'Hello');
    await workbench.screenshot('view');
  });

  test('comes back after a reload of the window', async () => {
    await workbench.openChat();
    await workbench.reload();
    await workbench.openChat();
  });

  test('comes back after a kill of the extension host [I8]', async () => {
    const [before] = workbench.server.extensionHosts();
    await workbench.killExtensionHost();
    await workbench.openChat();
    assert.notEqual(workbench.server.extensionHosts()[0]?.pid, before?.pid);
  });

  for (const theme of ['dark', 'light', 'highContrast'] as const) {
    test(`has no accessibility problem in the ${theme} theme`, async () => {
      await workbench.openChat();
      await workbench.setTheme(theme);
      assert.deepEqual(await workbench.chat.accessibilityProblems(), []);
      await workbench.screenshot(`view-${theme}`);
    });
  }

  test('causes no error and no violation of its content policy @min', () => {
    assert.deepEqual(workbench.problems(), []);
  });
});
