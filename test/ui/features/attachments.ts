import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { png } from '../../support/png.ts';
import { workbookOf } from '../../support/zip.ts';
import { EditorPage } from '../support/editorPage.ts';
import type { Workbench } from '../support/workbench.ts';
import { newSession, type Opened } from './window.ts';

const ROWS = Array.from({ length: 3000 }, (_, i) => `${i + 1},Region ${(i * 7) % 11},${(i * 37) % 1000}.50`);
const CSV = `id,region,revenue\n${ROWS.join('\n')}\n`;

/** The tree of attachments, their previews, and what can be done with them. */
export function attachments(opened: Opened): void {
  let folder = '';
  let workbench: Workbench;
  let preview: EditorPage;
  let first = '';
  let second = '';

  suiteSetup(async () => {
    folder = mkdtempSync(join(tmpdir(), 'loopdock-attach-'));
    const sheet = '<row r="1"><c r="A1" t="str"><v>Quarter</v></c><c r="B1"><v>42</v></c></row>';
    const files = { 'table.csv': CSV, 'chart.png': png(320, 200), 'report.md': '# Report\n\nNew text\n' };
    first = leave('first', { ...files, 'book.xlsx': workbookOf({ One: sheet, Two: sheet }) });
    second = leave('second', { 'table.csv': CSV.replace('Region 0', 'Region X') });
    workbench = opened().workbench;
    preview = new EditorPage(workbench.page);
    await newSession(workbench);
  });

  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));

  const run = (prompt: string, command: string): string =>
    scriptPrompt(prompt, [{ steps: [{ type: 'bash_code_execution', command }] }]);

  /** A command that leaves files of these contents in the container's output directory. */
  function leave(name: string, files: Readonly<Record<string, string | Buffer>>): string {
    mkdirSync(join(folder, name));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, name, file), content);
    return `cp ${join(folder, name)}/* $OUTPUT_DIR`;
  }

  const item = (name: string): Locator =>
    workbench.page.locator('.sidebar .pane-body [role=treeitem]', { hasText: name }).first();

  async function menu(name: string, action: string): Promise<void> {
    const entry = await workbench.contextMenu(item(name), action);
    // A menu takes no click of the moment in which it opened.
    await workbench.page.waitForTimeout(300);
    await entry.click();
  }

  test('are in the tree with the session that made them', async () => {
    const chat = await workbench.openChat();
    await chat.type(run('Make the files', first));
    await chat.row('book.xlsx').first().waitFor();
    await chat.idle();
    await workbench.palette('Loopdock: Show Attachments');
    for (const name of ['Make the files', 'table.csv', 'chart.png', 'report.md']) await item(name).waitFor();
    await workbench.screenshot('attachments-tree');
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`show a table, by keys and without an accessibility problem, in the ${theme} theme`, async () => {
      await workbench.setTheme(theme);
      await item('table.csv').click();
      const grid = preview.root.getByRole('grid');
      await grid.waitFor();
      assert.equal(await grid.getAttribute('aria-rowcount'), '3001');
      await grid.focus();
      await workbench.page.keyboard.press('Control+End');
      await preview.root.locator('.table-value', { hasText: /revenue, row 3,000: 963.50/ }).waitFor();
      assert.deepEqual(await preview.accessibilityProblems(), []);
      await workbench.screenshot(`attachments-table-${theme}`);
    });
  }

  test('show a picture', async () => {
    await item('chart.png').click();
    const picture = preview.root.getByRole('img');
    await picture.waitFor();
    assert.equal(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth), 320);
    await preview.root.getByText('signed by Loopdock Simulator').waitFor();
    assert.deepEqual(await preview.accessibilityProblems(), []);
    await workbench.screenshot('attachments-image');
  });

  test('show a workbook, one sheet at a time', async () => {
    await item('book.xlsx').click();
    await preview.root.getByRole('gridcell', { name: 'Quarter' }).waitFor();
    await preview.root.getByLabel('Sheet').selectOption({ label: 'Two' });
    await preview.root.getByRole('gridcell', { name: '42' }).waitFor();
  });

  test('become an edit of the file that is there, once the difference is accepted', async () => {
    const text = (): string => readFileSync(join(workbench.workspace, 'report.md'), 'utf8');
    await menu('report.md', 'Add Attachment to Workspace');
    await workbench.quickPick('Change report.md').click();
    await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await workbench.screenshot('attachments-diff');
    assert.match(text(), /Old text/);
    await workbench.toast('Change report.md').getByRole('button', { name: 'Accept' }).click();
    await workbench.toast('Changed').first().waitFor();
    assert.match(text(), /New text/);
  });

  test('are compared with the version before', async () => {
    await workbench.openChat();
    await workbench.chat.type(run('Do it again', second));
    await workbench.chat.idle();
    await workbench.page.locator('.sidebar [role=treeitem]', { hasText: /Make the files[^]*\D5\s*$/ }).waitFor();
    await workbench.palette('Loopdock: Compare Attachment with Previous Version');
    await workbench.quickPick('table.csv').first().waitFor();
    await workbench.answerInput('table.csv');
    await workbench.tab('previous version').waitFor();
    await workbench.page.locator('.monaco-diff-editor .view-line', { hasText: 'Region X' }).first().waitFor();
    await workbench.screenshot('attachments-compare');
  });

  test('are deleted here, and say so in the chat', async () => {
    await menu('chart.png', 'Delete Attachment');
    await workbench.page
      .locator('.monaco-dialog-box')
      .getByRole('button', { name: 'Delete Here', exact: true })
      .click();
    await item('chart.png').waitFor({ state: 'detached' });
    await workbench.openChat();
    await workbench.chat.row('chart.png').getByText('You deleted this file').waitFor();
  });

  test('are summed up on the storage page, and freed there', async () => {
    await workbench.execute('workbench.action.closeAllEditors');
    await workbench.palette('Loopdock: Attachment Storage');
    const row = preview.root.getByRole('row', { name: /Make the files/ });
    await row.waitFor();
    assert.deepEqual(await preview.accessibilityProblems(), []);
    await workbench.screenshot('attachments-storage');
    await row.getByRole('button', { name: /Delete Files/ }).click();
    await workbench.dialogButton('Delete Here');
    await item('table.csv').waitFor({ state: 'detached' });
  });

  test('cause no error and no violation of a content policy', () => {
    assert.deepEqual(workbench.problems(), []);
  });
}
