import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { png } from '../../support/png.ts';
import { EditorPage } from '../support/editorPage.ts';
import type { ThemeKind, Workbench } from '../support/workbench.ts';
import { newSession, startBatch, type Opened } from './window.ts';

const THEMES: readonly ThemeKind[] = ['dark', 'light', 'highContrast', 'highContrastLight'];
const PAGE = 'https://docs.example.com/csv';

/** The sandbox in its kinds of cards, then the web. */
const first = (folder: string): Reply => ({
  steps: [
    { type: 'bash_code_execution', command: `ls; cp ${folder}/table.csv ${folder}/chart.png $OUTPUT_DIR` },
    { type: 'text_editor_code_execution', input: { command: 'create', path: 'mean.py', file_text: 'print(1)\n' } },
    {
      type: 'text_editor_code_execution',
      input: { command: 'str_replace', path: 'mean.py', old_str: 'print(1)', new_str: 'print(2)' },
    },
    { type: 'bash_code_execution', command: 'cat gone.txt' },
    { type: 'bash_code_execution', command: 'sleep 5', timeoutMs: 20 },
    { type: 'text', text: '**The table is ready.** Next I look at what others say.' },
  ],
});

/**
 * Pictures of what comes from Anthropic, in every theme, for people to look at: `LOOPDOCK_PICTURES=1 LOOPDOCK_GREP=pictures tsx
 * test/ui/run.ts test/ui/features.test.ts` leaves them in out/screenshots.
 */
export function pictures(opened: Opened): void {
  let wb: Workbench;

  suiteSetup(async () => {
    wb = opened().workbench;
    await newSession(wb);
    const folder = wb.workspace;
    const rows = Array.from({ length: 400 }, (_, i) => `${i + 1},Region ${(i * 7) % 11},${(i * 37) % 1000}.50`);
    const table = `id,region,revenue\n${rows.join('\n')}\n`;
    writeFileSync(join(folder, 'table.csv'), table);
    writeFileSync(join(folder, 'chart.png'), png(320, 200));
    await ask('Clean up the sales', first(folder));
    writeFileSync(join(folder, 'table.csv'), table.replaceAll('Region 4', 'Region North'));
    await ask('Once more', {
      steps: [
        { type: 'bash_code_execution', command: `cp ${folder}/table.csv $OUTPUT_DIR` },
        { type: 'web_search', query: 'csv charts' },
        { type: 'web_fetch', url: PAGE },
        { type: 'text', text: 'Fields with a comma stand in quotes.', cites: [PAGE] },
      ],
    });
    await startBatch(wb, ['a.md', 'b.md'], 'Answers only');
    await wb.answerInput('Sum it up in one sentence');
    await wb.dialogButton('Submit');
    const row = wb.page.locator('.pane-body .monaco-list-row');
    await row.filter({ hasText: '2 of 2 succeeded' }).first().waitFor({ timeout: 30_000 });
    await row.filter({ hasText: 'Sum it up' }).first().click();
  });

  async function ask(prompt: string, reply: Reply): Promise<void> {
    await wb.chat.type(scriptPrompt(prompt, [reply]));
    await wb.chat.row(prompt).first().waitFor();
    await wb.page.waitForTimeout(300);
    await wb.chat.idle();
  }

  /** The same in each theme. */
  async function shoot(name: string): Promise<void> {
    for (const theme of THEMES) {
      await wb.setTheme(theme);
      await wb.page.waitForTimeout(400);
      await wb.screenshot(`look-${name}-${theme}`);
    }
  }

  async function openFile(name: string): Promise<void> {
    await wb.execute('loopdock.attachments.focus');
    await wb.page.locator('.sidebar .pane-body [role=treeitem]', { hasText: name }).first().click();
  }

  test('of the trees and of a table', async () => {
    await openFile('table.csv');
    await new EditorPage(wb.page).root.getByRole('grid').waitFor();
    await shoot('table');
  });

  test('of an image, with the containers', async () => {
    await openFile('chart.png');
    await new EditorPage(wb.page).root.getByRole('img').waitFor();
    await wb.execute('loopdock.containers.focus');
    const container = wb.page.locator('.pane-body .monaco-list-row', { hasText: 'in use' }).first();
    await container.waitFor();
    if ((await container.getAttribute('aria-expanded')) !== 'true') await container.click();
    await shoot('image');
  });

  test('of two versions, with the batches', async () => {
    await wb.palette('Loopdock: Compare Attachment with Previous Version');
    await wb.quickPick('table.csv').first().waitFor();
    await wb.answerInput('table.csv');
    await wb.tab('previous version').waitFor();
    await shoot('compare');
  });

  test('of the cards of the sandbox and of the web', async () => {
    for (const view of ['attachments', 'containers', 'batches']) {
      const head = wb.page.locator('.pane-header', { hasText: new RegExp(`^${view}`, 'i') }).first();
      if ((await head.getAttribute('aria-expanded')) === 'true') await head.click();
    }
    const heads = wb.chat.root.locator('.tool-head[aria-expanded=false]');
    for (let left = 12; left > 0 && (await heads.count()) > 0; left--) await heads.first().click();
    const card = (title: string): Promise<void> =>
      wb.chat.root
        .locator('.tool-head', { hasText: title })
        .first()
        .evaluate((head) => head.scrollIntoView({ block: 'start' }));
    await card('Sandbox · ls');
    await shoot('sandbox');
    await card('edit mean.py');
    await shoot('errors');
    // Only the conversation scrolls: the page around it stays.
    const scrolled = await wb.chat.root.locator('html').evaluate((html) => html.scrollTop + document.body.scrollTop);
    assert.equal(scrolled, 0);
    await wb.chat.rows().last().scrollIntoViewIfNeeded();
    await shoot('web');
  });

  test('of an edit that waits for a yes', async () => {
    await wb.chat.type(
      scriptPrompt('Change the notes', [
        {
          steps: [
            {
              type: 'tool_use',
              name: 'str_replace_based_edit_tool',
              input: { command: 'str_replace', path: 'notes.md', old_str: '# Notes', new_str: '# Notes\n\nOf today' },
            },
          ],
        },
      ]),
    );
    await wb.chat.approval().waitFor();
    await shoot('approval');
    await wb.chat.deny();
    await wb.chat.idle();
  });
}
