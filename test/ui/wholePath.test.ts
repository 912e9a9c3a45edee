import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../vscode/bootstrap.mjs';
import { startSimulator, type Simulator } from '../vscode/simulator.ts';
import { EditorPage } from './support/editorPage.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';

const DEMO = join(ROOT, 'media', 'demo', 'workspace');

suite('The whole path, from the demo prompt to its attachments', () => {
  let simulator: Simulator;
  let workbench: Workbench;

  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: 'demo' });
    workbench = await openWorkbench({ workspace: DEMO, env: simulator.env });
  });

  suiteTeardown(async () => {
    await workbench.close();
    simulator.stop();
  });

  const file = (path: string): string => readFileSync(join(workbench.workspace, path), 'utf8');

  test('opens from its activity bar icon and takes text', async () => {
    await workbench.page.locator('.activitybar [aria-label^="Loopdock"]').first().click();
    await workbench.chat.ready();
    await workbench.chat.composer().fill('Hello');
    assert.equal(await workbench.chat.composer().inputValue(), 'Hello');
    await workbench.chat.composer().fill('');
    await workbench.screenshot('view');
  });

  for (const theme of ['light', 'highContrast', 'dark'] as const) {
    test(`has no accessibility problem before the first prompt in the ${theme} theme`, async () => {
      await workbench.setTheme(theme);
      assert.deepEqual(await workbench.chat.accessibilityProblems(), []);
      await workbench.screenshot(`view-${theme}`);
    });
  }

  test('offers the demo prompt by one click and says that answers are simulated', async () => {
    const { chat } = workbench;
    await chat.root
      .getByText(/no model/i)
      .first()
      .waitFor();
    await workbench.screenshot('1-start');
    await chat.button(/Fix the failing test/).click();
    await chat.row('Fix the failing test').first().waitFor();
  });

  test('views the file, runs the test in the terminal after approval, and sees it fail', async () => {
    const { chat } = workbench;
    await chat.approval().waitFor();
    await workbench.screenshot('2-approve-command');
    await chat.approve('node test/sum.test.js');
    await chat.row('node test/sum.test.js').first().waitFor();
  });

  test('shows the edit as a native diff and changes the file only after Accept', async () => {
    const { chat } = workbench;
    await chat.approval().waitFor();
    await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    assert.match(file('src/sum.js'), /a - b/);
    const picture = await workbench.screenshot('3-approve-edit');
    // The README's picture is this one; it is replaced on demand only, because no two runs draw the same bytes.
    if (process.env['UPDATE_SCREENSHOT']) copyFileSync(picture, join(ROOT, 'media', 'screenshot.png'));
    await chat.approve('sum.js');
    await chat.approval().waitFor();
    assert.match(file('src/sum.js'), /a \+ b/);
    assert.deepEqual(
      await workbench.bridge.evaluate((vscode) =>
        vscode.workspace.textDocuments.filter((document) => document.isDirty).map(String),
      ),
      [],
    );
  });

  test('sees the test turn green in the integrated terminal', async () => {
    const { chat } = workbench;
    await chat.approve('node test/sum.test.js');
    await chat.approval().or(chat.row('chart.png')).first().waitFor();
    const terminal = await workbench.terminalText();
    assert.match(terminal, /node test\/sum\.test\.js/);
  });

  test('brings chart.png and cleaned.csv back as attachments', async () => {
    const { chat } = workbench;
    await chat.row('chart.png').first().waitFor();
    await chat.row('cleaned.csv').first().waitFor();
    await chat.idle();
    await workbench.screenshot('4-done');
    const thumbnail = chat.root.locator('img').first();
    await thumbnail.waitFor();
    const natural = await thumbnail.evaluate((image) => (image as HTMLImageElement).naturalWidth);
    assert.ok(natural > 100, `the chart is drawn: ${String(natural)} px wide`);
  });

  test('shows the table in its preview', async () => {
    await workbench.chat.row('cleaned.csv').getByRole('button', { name: /^Open/ }).click();
    const grid = new EditorPage(workbench.page).root.getByRole('grid');
    await grid.waitFor();
    assert.ok(Number(await grid.getAttribute('aria-rowcount')) > 5);
  });

  test('adds an attachment to the workspace', async () => {
    const { chat } = workbench;
    await chat
      .row('cleaned.csv')
      .getByRole('button', { name: /Add to Workspace/i })
      .click();
    await waitFor(() => file('cleaned.csv').length > 0);
    assert.match(file('cleaned.csv'), /,/);
  });

  test('comes back whole after a reload of the window, and takes the next prompt', async () => {
    const before = await workbench.chat.rows().count();
    await workbench.reload();
    const chat = await workbench.openChat();
    await chat.row('chart.png').first().waitFor();
    assert.equal(await chat.rows().count(), before);
    await chat.type('Thanks');
    await chat.row('no model behind this demo').first().waitFor();
    await workbench.screenshot('5-resumed');
  });

  test('begins a new session and goes back to this one from the list', async () => {
    const { chat } = workbench;
    await chat.button('New session').click();
    await chat.rows().first().waitFor({ state: 'detached' });
    await chat.button('Sessions').click();
    await chat.root.locator('.session').filter({ hasText: 'Fix the failing test' }).first().click();
    await chat.row('chart.png').first().waitFor();
  });

  for (const theme of ['dark', 'light', 'highContrast'] as const) {
    test(`has no accessibility problem after the demo in the ${theme} theme`, async () => {
      await workbench.setTheme(theme);
      assert.deepEqual(await workbench.chat.accessibilityProblems(), []);
      await workbench.screenshot(`6-${theme}`);
    });
  }

  test('causes no error and no violation of its content policy', () => {
    assert.deepEqual(workbench.problems(), []);
  });
});

async function waitFor(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200; i++) {
    try {
      if (condition()) return;
    } catch {
      // Not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('It did not happen in 10 s');
}
