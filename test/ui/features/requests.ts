import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { Reply } from '../../../src/simulator/scenario.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import type { Workbench } from '../support/workbench.ts';
import { newSession, type Opened } from './window.ts';

const run = promisify(execFile);
const say = (text: string): Reply => ({ steps: [{ type: 'text', text }] });
/** The API finds fault with the message of the user, which the one with the facts of the editor comes before. */
const refusing: Reply = {
  ...say('never shown'),
  faults: [
    {
      ...{ kind: 'status', status: 400, type: 'invalid_request_error' },
      message: 'messages.1: this message can not be processed',
    },
  ],
};

/** The inspector of requests. */
export function requests(opened: Opened): void {
  let simulator: Simulator;
  let wb: Workbench;

  suiteSetup(() => {
    ({ simulator, workbench: wb } = opened());
  });

  const begin = (): Promise<void> => newSession(wb);

  /** Sends a prompt and waits for the whole answer. */
  async function ask(prompt: string, answer: string): Promise<void> {
    await wb.chat.type(prompt);
    await wb.chat.root.getByRole('article', { name: 'Claude' }).filter({ hasText: answer }).waitFor();
    await wb.chat.idle();
  }

  /** Opens the inspector from the heading of the newest answer. */
  async function inspect(action: string): Promise<void> {
    await wb.chat.button('Inspect the request of this answer').last().click();
    await wb.quickPick(action).first().click();
  }

  /** The text of the editor in front, once it is there. */
  async function editorText(tab: string): Promise<string> {
    await wb.tab(tab).waitFor();
    // The tab is there before its document is the active one.
    return wb.bridge.evaluate(async (vscode, name) => {
      const read = (): string => {
        const document = vscode.window.activeTextEditor?.document;
        return document?.uri.path.endsWith(name) ? document.getText() : '';
      };
      for (let left = 100; left > 0 && read() === ''; left--) await new Promise((resolve) => setTimeout(resolve, 50));
      return read();
    }, tab);
  }

  test('is shown from the answer itself, with the cache marked and without the key', async () => {
    await begin();
    await ask('First question', 'Simulated answer to: First question');
    await ask('Second question', 'Simulated answer to: Second question');
    await inspect('Show Request');
    const text = await editorText('request.jsonc');
    await wb.chat.button('Inspect the request of this answer').last().hover();
    await wb.screenshot('inspect-request');
    assert.match(text, /cache breakpoint/);
    assert.match(text, /read from the cache up to here, about/);
    const body = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, '')) as { messages: unknown[]; model: string };
    assert.match(JSON.stringify(body.messages), /First question.*Second question/);
    assert.equal(text.includes(simulator.key), false);
  });

  test('and what came back is there as it came', async () => {
    await inspect('Show Event Stream');
    const text = await editorText('stream.txt');
    assert.match(text, /^event: message_start$/m);
    assert.match(text, /^event: message_stop$/m);
    assert.match(text, /Simulated an[^]*ond question/);
  });

  test('runs again from a shell as it was copied, with the key in a variable', async () => {
    await inspect('Copy as curl');
    // The quick pick is gone before the clipboard is written.
    let command = '';
    for (let left = 50; left > 0 && !command.startsWith('curl'); left--) {
      await wb.page.waitForTimeout(100);
      command = await wb.bridge.evaluate((vscode) => vscode.env.clipboard.readText());
    }
    assert.match(command, /^curl .*\$ANTHROPIC_API_KEY/s);
    assert.equal(command.includes(simulator.key), false);
    const env = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: simulator.key };
    const { stdout } = await run('sh', ['-c', command], { env });
    assert.match(stdout, /"type":"message_start"/);
    assert.match(stdout, /Simulated an[^]*ond question/);
    const refused = await run('sh', ['-c', command], { env: { ...env, ANTHROPIC_API_KEY: 'sk-ant-wrong' } });
    assert.match(refused.stdout, /authentication_error/);
  });

  test('compares two answers side by side', async () => {
    await inspect('Compare with Another Answer');
    await wb.quickPick('tokens in').first().click();
    await wb.tab('Two answers').waitFor();
    for (const side of ['original', 'modified']) {
      await wb.page.locator(`.monaco-diff-editor .${side} .view-line`, { hasText: 'Simulated' }).first().waitFor();
    }
    await wb.screenshot('inspect-compare');
  });

  test('is sent again in a session of its own, and the first one stays', async () => {
    await inspect('Send Again in a New Session');
    await wb.chat.root.getByRole('article', { name: 'Claude' }).filter({ hasText: 'Second question' }).waitFor();
    await wb.chat.idle();
    assert.equal(await wb.chat.row('First question').count(), 2);
    assert.equal(await wb.chat.row('interrupted').count(), 0);
    await wb.chat.button('Sessions').click();
    const listed = wb.chat.root.locator('.sessions').getByText('First question');
    await listed.nth(1).waitFor();
    assert.equal(await listed.count(), 2);
    await wb.page.keyboard.press('Escape');
  });

  test('is offered by the context menu of every row of an answer', async () => {
    await wb.contextMenu(wb.chat.row('Second question').last(), 'Inspect Requests');
    await wb.screenshot('inspect-context-menu');
    await wb.page.keyboard.press('Escape');
  });

  test('has the thinking and the effort that were chosen among what the model can do', async () => {
    await begin();
    await wb.chat.button(/^Choose (the )?model/i).click();
    await wb.quickPick('Thinking and Effort').click();
    await wb.quickPick('Do not think first').waitFor();
    await wb.screenshot('choose-thinking');
    await wb.quickPick('Low').click();
    await wb.bridge.evaluate(async (vscode) => {
      const isSet = () => vscode.workspace.getConfiguration('loopdock').get('effort') === 'low';
      for (let left = 50; left > 0 && !isSet(); left--) await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await ask('With little effort', 'Simulated answer to: With little effort');
    await inspect('Show Request');
    assert.match(await editorText('request.jsonc'), /"effort": "low"/);
    await wb.bridge.evaluate((vscode) =>
      vscode.workspace.getConfiguration('loopdock').update('effort', undefined, vscode.ConfigurationTarget.Global),
    );
  });

  test('and was refused for one item can be looked at, and goes on without that item [C12]', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Poisoned words', [refusing]));
    const card = wb.chat.row('The API rejected the request');
    await card.waitFor();
    await wb.screenshot('doctor-card');
    await card.getByRole('button', { name: 'Inspect request' }).click();
    await wb.quickPick('Show Request').first().click();
    assert.match(await editorText('request.jsonc'), /Poisoned words/);
    await wb.openChat();
    await card.getByRole('button', { name: /^Remove th(is|ese)/ }).click();
    await wb.chat.row(/Removed from the conversation: the text in your message 1/).waitFor();
    await wb.chat.root.getByRole('article', { name: 'Claude' }).first().waitFor();
    await wb.chat.idle();
    await wb.screenshot('doctor-removed');
    await inspect('Show Request');
    await wb.page.waitForFunction(() => document.querySelectorAll('.tabs-container .tab').length > 0);
    const sent = await wb.bridge.evaluate(async (vscode) => {
      for (let left = 50; left > 0; left--) {
        const text = vscode.window.activeTextEditor?.document.getText() ?? '';
        if (text.includes('The user removed')) return text;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return '';
    });
    assert.match(sent, /The user removed/);
    assert.doesNotMatch(sent, /Poisoned words/);
  });

  test('leaves no error and no violation of the content policy behind', () => {
    assert.deepEqual(wb.problems(), []);
  });
}
