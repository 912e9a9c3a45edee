import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Workbench } from '../support/workbench.ts';
import { newSession, startBatch, type Opened } from './window.ts';

/** A prompt over many files, and skills. What a batch sends and brings is shown by the examples. */
export function batches(opened: Opened): void {
  let wb: Workbench;

  suiteSetup(async () => {
    wb = opened().workbench;
    await newSession(wb);
  });

  const row = (text: string): Locator => wb.page.locator('.pane-body .monaco-list-row').filter({ hasText: text });
  const dialog = (text: string): Locator => wb.page.locator('.monaco-dialog-box').filter({ hasText: text });

  /** The command on the row of the batch that is all of this text. */
  async function onRow(text: string, action: string): Promise<void> {
    const entry = await wb.contextMenu(row(text).first(), action);
    // A menu takes no click of the moment in which it opened.
    await wb.page.waitForTimeout(300);
    await entry.click();
  }

  test('is cancelled after a question, and keeps what was done', async () => {
    await startBatch(wb, ['a.md', 'b.md', 'notes.md', 'report.md', 'a.txt', 'run.py'], 'Answers only');
    await wb.answerInput('Cancel me');
    await wb.dialogButton('Submit');
    await onRow('requests running', 'Cancel Batch');
    await dialog('What was done already is kept, and paid').waitFor();
    await wb.screenshot('batch-cancel');
    await wb.dialogButton('Cancel Batch');
    await row('Cancel me')
      .filter({ hasText: /[0-5] of 6 succeeded/ })
      .waitFor({ timeout: 30_000 });
  });

  test('runs again what did not succeed, and only that', async () => {
    const before = /(\d) of 6/.exec(await row('of 6 succeeded').innerText())?.[1] ?? assert.fail('no count');
    await onRow('of 6 succeeded', 'Run What Failed Again');
    const rest = 6 - Number(before);
    await dialog(`Submit ${String(rest)} requests again?`).waitFor();
    await wb.screenshot('batch-retry');
    // Another batch may have as many requests: what is posted from here on tells.
    const posts = () =>
      opened().simulator.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/batches'));
    const earlier = posts().length;
    await wb.dialogButton('Submit');
    for (let left = 300; left > 0 && posts().at(earlier)?.body === undefined; left--) await wb.page.waitForTimeout(100);
    assert.equal((posts().at(earlier)?.body as { requests: unknown[] }).requests.length, rest);
    await row(`${String(rest)} of ${String(rest)} succeeded`)
      .first()
      .waitFor({ timeout: 30_000 });
  });

  test('a folder becomes a skill after a look at what is sent, and is chosen for the session', async () => {
    const folder = join(wb.workspace, 'greeting');
    mkdirSync(folder);
    writeFileSync(join(folder, 'SKILL.md'), '---\nname: greeting\ndescription: Says hello\n---\nSay hello.\n');
    await wb.bridge.evaluate((vscode) => {
      const root = vscode.workspace.workspaceFolders?.[0]?.uri;
      if (root) void vscode.commands.executeCommand('loopdock.uploadSkill', vscode.Uri.joinPath(root, 'greeting'));
    });
    await dialog('SKILL.md').filter({ hasText: 'as the skill greeting' }).waitFor();
    await wb.screenshot('skill-upload');
    await wb.dialogButton('Upload');
    await wb.toast('The skill greeting is uploaded.').getByRole('button', { name: 'Choose Skills' }).click();
    for (const name of ['xlsx', 'greeting']) await wb.quickPick(name).first().waitFor();
    await wb.screenshot('skills');
    await wb.page.keyboard.press('Escape');
  });
}
