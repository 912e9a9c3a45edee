import type { Workbench } from '../support/workbench.ts';
import { newSession, type Opened } from './window.ts';

/** A prompt over many files, and skills. */
export function batches(opened: Opened): void {
  let wb: Workbench;

  suiteSetup(async () => {
    wb = opened().workbench;
    await newSession(wb);
  });

  const row = (text: string) => wb.page.locator('.pane-body .monaco-list-row').filter({ hasText: text });

  test('says what it sends and costs, runs it as a batch, and opens each result as a session', async () => {
    await wb.bridge.evaluate((vscode) => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      if (!folder) return;
      const files = ['a.md', 'b.md'].map((name) => vscode.Uri.joinPath(folder, name));
      void vscode.commands.executeCommand('loopdock.batch', files[0], files);
    });
    await wb.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'Answers only' }).click();
    await wb.answerInput('Sum it up');
    await wb.page.locator('.monaco-dialog-box').filter({ hasText: '2 requests' }).waitFor();
    await wb.screenshot('batch-question');
    await wb.dialogButton('Submit');
    await row('2 of 2 succeeded').waitFor({ timeout: 30_000 });
    await row('Sum it up').click();
    await row('a.md').first().waitFor();
    await wb.screenshot('batches');
    await row('a.md').first().click();
    await wb.chat.root.getByText('Simulated answer to: Sum it up').waitFor();
  });

  test('skills are chosen for the session', async () => {
    await wb.bridge.evaluate((vscode) => void vscode.commands.executeCommand('loopdock.chooseSkills'));
    const xlsx = wb.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: 'xlsx' });
    await xlsx.waitFor();
    await wb.screenshot('skills');
    await wb.page.keyboard.press('Escape');
  });
}
