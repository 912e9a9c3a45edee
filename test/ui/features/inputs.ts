import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { Workbench } from '../support/workbench.ts';
import { newSession, type Opened } from './window.ts';

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const CHART = `ls -la "\${INPUT_DIR:-.}"; echo ${PNG} | base64 -d > "$OUTPUT_DIR/chart.png"; cp sales.csv "$OUTPUT_DIR/chart.csv"`;
const analyse = (command: string, ...more: Reply['steps']): Reply => ({
  steps: [{ type: 'bash_code_execution', command }, { type: 'text', text: 'The chart is there.' }, ...more],
});

/** Files of the user, and the container they go to. */
export function inputs(opened: Opened): void {
  let wb: Workbench;

  suiteSetup(async () => {
    wb = opened().workbench;
    await newSession(wb);
  });

  const chips = () => wb.chat.root.locator('.composer .chip');
  const attach = (path: string) =>
    wb.bridge.evaluate((vscode, name) => {
      const folder = vscode.workspace.workspaceFolders?.[0];
      if (folder) void vscode.commands.executeCommand('loopdock.attachFiles', vscode.Uri.joinPath(folder.uri, name));
    }, path);
  const tree = (text: string) => wb.page.locator('.pane-body .monaco-list-row').filter({ hasText: text });

  test('a file is shown beside the prompt, with its size and where it goes, before anything leaves', async () => {
    await wb.setTheme('dark');
    await attach('data/sales.csv');
    await chips().first().waitFor();
    await attach('notes.md');
    await chips().nth(1).waitFor();
    const text = await chips().first().innerText();
    assert.match(text.replaceAll('\n', ' '), /sales\.csv 30 B .*in container/);
    await wb.screenshot('inputs-dark');
    assert.deepEqual(await wb.chat.accessibilityProblems(), []);
    await wb.setTheme('light');
    await wb.screenshot('inputs-light');
    assert.deepEqual(await wb.chat.accessibilityProblems(), []);
    await wb.setTheme('dark');
  });

  test('the keyboard changes where it goes, and takes it away', async () => {
    const select = wb.chat.root.getByLabel('How notes.md is sent');
    assert.equal(await select.inputValue(), 'text');
    await select.selectOption('container');
    await select.and(wb.chat.root.locator(':has(option:checked[value=container])')).waitFor();
    await wb.chat.button('Remove notes.md').press('Enter');
    await chips().nth(1).waitFor({ state: 'detached' });
  });

  test('what looks like a secret needs a yes, and a folder is refused in words', async () => {
    await attach('.env');
    await wb.page.locator('.monaco-dialog-box').filter({ hasText: 'looks like it holds secrets' }).waitFor();
    await wb.dialogButton('Cancel');
    await attach('data');
    await wb.toast('data is a folder').first().waitFor();
    assert.equal(await chips().count(), 1);
    await wb.execute('notifications.clearAll');
  });

  test('a file from outside of the editor that is dropped is taken itself, and needs no dialog', async () => {
    await wb.chat.root.locator('.composer').evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['month,sum\n', 'x'.repeat(1_500_000)], 'dropped.csv'));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    });
    const dropped = chips().filter({ hasText: 'dropped.csv' });
    await dropped.filter({ hasText: '1.4 MB' }).filter({ hasText: 'in container' }).waitFor();
    await wb.chat.button('Remove dropped.csv').click();
    await dropped.waitFor({ state: 'detached' });
  });

  test('an @ offers the files of the workspace, and the chosen one is named and attached', async () => {
    await wb.chat.composer().click();
    await wb.page.keyboard.type('Look at @');
    await wb.quickInput().locator('input.input').waitFor();
    await wb.page.keyboard.type('run.p');
    await wb.quickPick('run.py').first().click();
    await chips().filter({ hasText: 'run.py' }).waitFor();
    // The name comes in a message of its own, behind the one with the chip.
    for (let left = 50; left > 0 && !(await wb.chat.composer().inputValue()).includes('run.py'); left--)
      await wb.page.waitForTimeout(100);
    assert.equal(await wb.chat.composer().inputValue(), 'Look at @run.py ');
    await wb.chat.button('Remove run.py').click();
    await wb.chat.composer().fill('');
  });

  test('a table is analysed in the container, and the chart comes back with its numbers', async () => {
    await wb.chat.type(scriptPrompt('Chart the sales', [analyse(CHART)]));
    await wb.chat.row('The chart is there.').first().waitFor();
    await wb.chat.idle();
    await wb.chat.row('chart.png').first().waitFor();
    await wb.chat.row('chart.csv').first().waitFor();
    await wb.chat.button('Open Data').first().waitFor();
    const sent = wb.chat.rows().first().locator('.chip');
    assert.match((await sent.allInnerTexts()).join(' '), /sales\.csv/);
    assert.equal(await chips().count(), 0);
    await wb.screenshot('inputs-sent');
  });

  test('the container is there to see, with what went in and what came out', async () => {
    await wb.execute('loopdock.containers.focus');
    await tree('in use').first().waitFor();
    await tree('sales.csv').filter({ hasText: 'from you' }).first().waitFor();
    await tree('chart.png').filter({ hasText: 'from Claude' }).first().waitFor();
    await wb.screenshot('containers-dark');
    await wb.setTheme('light');
    await wb.screenshot('containers-light');
  });

  test('a container that has expired costs one retry: what was lost is said, and the inputs are sent again', async () => {
    await wb.chat.type(scriptPrompt('Once more', [analyse('true', { type: 'expire_container', refusal: 'missing' })]));
    await wb.chat.row('The chart is there.').nth(1).waitFor();
    await wb.chat.idle();
    await wb.chat.type(scriptPrompt('And again', [analyse('ls "${INPUT_DIR:-.}"')]));
    await wb.chat.row('no longer has the container').first().waitFor();
    await wb.chat.row('Sent to the new container: sales.csv').first().waitFor();
    await wb.chat.row('The chart is there.').nth(2).waitFor();
    await wb.chat.idle();
    await wb.screenshot('containers-lost-light');
    await wb.setTheme('dark');
  });

  test('an id that no session of ours has is refused [C144]', async () => {
    await wb.execute('loopdock.containers.continue', { facts: { id: 'container_foreign' } });
    await wb.toast('No session of yours has this container').first().waitFor();
    await wb.execute('notifications.clearAll');
  });

  test('a file that changed is analysed again by one command, and only that file is sent', async () => {
    appendFileSync(join(wb.workspace, 'data', 'sales.csv'), 'Mar,90\n');
    await wb.palette('Loopdock: Re-Run Last Analysis with Changed Files');
    const again = wb.chat.row('sales.csv has changed. Do the same again');
    await again.first().waitFor();
    await again.first().locator('.chip').filter({ hasText: '37 B' }).waitFor();
    await wb.chat.idle();
  });

  test('a file that Claude made can be used as an input', async () => {
    await wb.execute('loopdock.attachments.useAsInput');
    await wb.quickPick('chart.csv').first().click();
    await chips().filter({ hasText: 'chart.csv' }).waitFor();
    await wb.chat.button('Remove chart.csv').click();
  });

  test('a new container can be asked for, and the old one taken up again', async () => {
    await wb.palette('Loopdock: Use a New Container');
    await wb.chat.row('From here on in a new container.').first().waitFor();
  });

  test('a file runs on the sandbox from its menu', async () => {
    await wb.bridge.evaluate(async (vscode) => {
      const folder = vscode.workspace.workspaceFolders?.[0];
      if (folder)
        await vscode.commands.executeCommand('loopdock.runOnSandbox', vscode.Uri.joinPath(folder.uri, 'run.py'));
    });
    await wb.chat.row('Run run.py in the container').first().waitFor();
    await wb.chat.idle();
  });

  test('causes no error and no violation of its content policy', () => {
    assert.deepEqual(wb.problems(), []);
  });
}
