import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { scriptPrompt } from '../../src/simulator/scenarios/scripted.ts';
import type { Reply } from '../../src/simulator/scenario.ts';
import { startSimulator, type Simulator } from '../vscode/simulator.ts';
import { fillWorkspace } from './support/workspace.ts';
import { openWorkbench, type Workbench } from './support/workbench.ts';

const EDITOR = 'str_replace_based_edit_tool';
const edit = (path: string, old_str: string, new_str: string): Reply => ({
  steps: [{ type: 'tool_use', name: EDITOR, input: { command: 'str_replace', path, old_str, new_str } }],
});
const bash = (command: string): Reply => ({ steps: [{ type: 'tool_use', name: 'bash', input: { command } }] });
const answer: Reply = { steps: [{ type: 'text', text: 'It said: {{result}}' }] };

const FILES = { 'a.txt': 'one\ntwo\nthree\n' };

/** One window for all, which gets what it lacks one by one: each window more costs eight seconds. */
suite('When a window has no key, no folder or no network', () => {
  let simulator: Simulator;
  let wb: Workbench;

  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: 'scripted' });
    wb = await openWorkbench({ workspace: null });
    // A setting of the machine, not of the window's user: it goes where the extension host runs.
    await wb.bridge.evaluate(
      (vscode, url) =>
        vscode.workspace.getConfiguration('loopdock').update('baseUrl', url, vscode.ConfigurationTarget.Global),
      simulator.url,
    );
    await wb.openChat();
  });
  suiteTeardown(async () => {
    await wb.close();
    simulator.stop();
  });

  /** Stores a key as a user does. */
  async function storeKey(key: string): Promise<void> {
    await wb.palette('Loopdock: Set API Key');
    await wb.answerInput(key);
    await wb.toast('is stored').first().waitFor();
    await wb.execute('notifications.clearAll');
    await wb.toast('is stored').waitFor({ state: 'detached' });
  }

  test('without a key the view says so, offers both ways on, and a prompt is not lost', async () => {
    const { chat } = wb;
    await chat
      .button(/Set API key/i)
      .first()
      .waitFor();
    await chat.button('Start Offline Demo').first().waitFor();
    await chat.type('Hello there');
    await chat.row('Hello there').waitFor();
    await chat.row('There is no API key yet').waitFor();
    await wb.screenshot('trouble-no-key');
  });

  test('a wrong key is shown with the words of the API', async () => {
    const { chat } = wb;
    await storeKey('sk-ant-wrong');
    await chat.type('Hello again');
    await chat.row('The API refused the key').waitFor();
    await wb.screenshot('trouble-wrong-key');
    assert.equal((await chat.text()).includes('sk-ant-wrong'), false);
  });

  test('with a key it answers, and an edit where there is no folder is a clear error for Claude', async () => {
    const { chat } = wb;
    await storeKey(simulator.key);
    await chat.type(scriptPrompt('Edit', [edit('a.txt', 'two', '2'), answer]));
    await said(wb, /It said: .*(folder|workspace)/i).waitFor();
    await chat.idle();
  });

  test('an address that refuses connections is tried again visibly and then shown, with a way to go on', async () => {
    const { chat } = wb;
    simulator.stop();
    await chat.type('Are you there?');
    await chat.row('could not be reached').waitFor();
    await chat.idle();
    await chat.row('could not be reached').getByRole('button', { name: 'Try again' }).waitFor();
    await wb.screenshot('trouble-no-network');
  });

  suite('the offline demo', () => {
    suiteSetup(async () => {
      await wb.bridge.evaluate(async (vscode) => {
        await vscode.workspace
          .getConfiguration('loopdock')
          .update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
        await vscode.commands.executeCommand('loopdock.newSession');
      });
      await wb.palette('Loopdock: Clear API Key');
      await wb.chat.root.getByText('No API key is set.').waitFor();
    });

    test('opens a copy of the sample project, and there talks to the simulator', async () => {
      const { chat } = wb;
      await chat.button('Start Offline Demo').click();
      const before = wb.bridge.connections;
      await wb.quickPick('Open the sample project').click();
      // The folder opens in this window, with a new extension host.
      await wb.bridge.waitForConnection(before);
      await wb.openChat();
      await chat.button(/Fix the failing test/).waitFor();
      assert.match(await chat.text(), /Simulated answers, no model/);
      const folder = await wb.bridge.evaluate((vscode) => vscode.workspace.workspaceFolders?.[0]?.name);
      assert.match(folder ?? '', /^loopdock-demo/);
    });

    test('is told apart from the real thing by Test Connection', async () => {
      await wb.palette('Loopdock: Test Connection');
      await wb.toast('Its answers are scripted').waitFor();
    });

    test('can be ended, and then there is no key again', async () => {
      await wb.palette('Loopdock: Start Offline Demo');
      await wb.toast('The offline demo runs').getByText('End Demo').click();
      await wb.chat.root.getByText('No API key is set.').waitFor();
      assert.doesNotMatch(await wb.chat.text(), /Simulated answers/);
    });
  });
});

suite('When a window is not trusted', () => {
  test('nothing is read, changed or run', async () => {
    const simulator = await startSimulator({ scenario: 'scripted' });
    const wb = await openWorkbench({ workspace: FILES, env: simulator.env, trusted: false });
    try {
      const chat = await wb.openChat();
      await chat.type(scriptPrompt('Run', [bash('touch ran'), answer]));
      await said(wb, /It said: .*trust/i).waitFor();
      assert.equal(existsSync(join(wb.workspace, 'ran')), false);
      await wb.screenshot('trouble-restricted');
    } catch (error) {
      // The picture has to be taken before the window is closed.
      await wb.saveEvidence('restricted');
      throw error;
    } finally {
      await wb.close();
      simulator.stop();
    }
  });
});

suite('When things go wrong in the middle of a turn', () => {
  let simulator: Simulator;
  let wb: Workbench;

  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: 'scripted' });
    wb = await openWorkbench({ workspace: FILES, env: simulator.env });
    await wb.openChat();
  });
  suiteTeardown(async () => {
    await wb.close();
    simulator.stop();
  });

  /** A session of its own on the files as they were; the window is the same for all, which saves half a minute. */
  async function begin(): Promise<Workbench> {
    await wb.bridge.evaluate(async (vscode) => {
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await vscode.commands.executeCommand('loopdock.newSession');
    });
    fillWorkspace(wb.workspace, FILES);
    await wb.openChat();
    await wb.chat.rows().first().waitFor({ state: 'detached' });
    return wb;
  }

  test('a file deleted while its edit waits is not written back [XD10]', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Edit', [edit('a.txt', 'two', '2'), answer]));
    await wb.chat.approval().waitFor();
    rmSync(join(wb.workspace, 'a.txt'));
    await wb.chat.approve();
    await said(wb, /It said: .*not found/i).waitFor();
    assert.equal(existsSync(join(wb.workspace, 'a.txt')), false);
  });

  test("the user's typing while an edit waits is kept: the new diff is shown and asked for again", async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Edit', [edit('a.txt', 'two', '2'), answer]));
    const first = await wb.chat.approval().getAttribute('data-live-approval');
    await wb.bridge.evaluate(
      async (vscode, path) => {
        const document = await vscode.workspace.openTextDocument(path);
        const change = new vscode.WorkspaceEdit();
        change.insert(document.uri, new vscode.Position(0, 0), 'typed by the user\n');
        await vscode.workspace.applyEdit(change);
      },
      join(wb.workspace, 'a.txt'),
    );
    await wb.chat.approve();
    await wb.chat.approval().waitFor();
    assert.notEqual(await wb.chat.approval().getAttribute('data-live-approval'), first);
    await wb.screenshot('trouble-asked-again');
    await wb.chat.approve();
    await said(wb, 'It said: ').waitFor();
    assert.equal(readFileSync(join(wb.workspace, 'a.txt'), 'utf8'), 'typed by the user\none\n2\nthree\n');
  });

  test('closing the terminal ends its command, and the turn goes on', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Run', [bash('echo sum is $((40 + 2)); sleep 60'), answer]));
    await wb.chat.approve('sleep 60');
    await wb.chat.row('sum is 42').waitFor();
    await wb.bridge.evaluate((vscode) => {
      for (const terminal of vscode.window.terminals) terminal.dispose();
    });
    await said(wb, /It said: .*closed/is).waitFor();
    await wb.chat.idle();
  });

  test('Stop ends a running command and keeps everything so far [F4]', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Run', [bash('echo sum is $((40 + 2)); sleep 60'), answer]));
    await wb.chat.approve('sleep 60');
    await wb.chat.row('sum is 42').waitFor();
    await wb.chat.button('Stop').click();
    await wb.chat.idle();
    await wb.chat.row('Stopped').waitFor();
    await wb.chat.type('Next');
    await wb.chat.row('Simulated answer to: Next').waitFor();
  });

  test('a rejected edit with a message changes nothing and tells Claude why', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Edit', [edit('a.txt', 'two', '2'), answer]));
    await wb.chat.pressInApproval(/Reject with a message/);
    await wb.chat.approval().locator('textarea').fill('use the word, please');
    await wb.screenshot('reject-with-message');
    await wb.chat.approval().locator('textarea').press('Enter');
    await wb.chat.row('They said: use the word, please').first().waitFor();
    assert.equal(readFileSync(join(wb.workspace, 'a.txt'), 'utf8'), 'one\ntwo\nthree\n');
  });

  test('the environment of a command holds no credential', async () => {
    await begin();
    await wb.chat.type(scriptPrompt('Run', [bash('env | sort'), answer]));
    await wb.chat.approve('env');
    await said(wb, 'It said: ').waitFor();
    const text = await wb.chat.text();
    assert.match(text, /PATH=/);
    assert.equal(text.includes(simulator.key), false);
    assert.equal(/ANTHROPIC_/.test(text), false);
  });

  test('what a search found and a text cites is there to see, and code in the sandbox reads a file only where it may', async () => {
    await wb.bridge.evaluate(async (vscode) => {
      const settings = vscode.workspace.getConfiguration('loopdock');
      await settings.update('codeExecution.readWorkspace', true, vscode.ConfigurationTarget.Global);
    });
    await begin();
    const page = 'https://docs.example.com/csv';
    const replies: Reply[] = [
      {
        steps: [
          { type: 'web_search', query: 'csv quotes', inCode: true },
          { type: 'web_fetch', url: page },
          { type: 'text', text: 'Fields with commas ' },
          { type: 'text', text: 'stand in quotes', cites: [page] },
          { type: 'text', text: '.' },
          { type: 'program', code: 'print(len(await read_workspace_file({"path": "a.txt"})))' },
          { type: 'program_call', name: 'read_workspace_file', input: { path: 'a.txt' } },
        ],
      },
      {
        steps: [
          { type: 'program_result', stdout: '14' },
          { type: 'text', text: 'It said: {{result}}' },
        ],
      },
    ];
    await wb.chat.type(scriptPrompt(`Look at ${page}`, replies));
    await said(wb, 'It said: one').waitFor();
    await wb.chat.idle();
    await wb.chat.root.locator('.sources li', { hasText: 'Reading CSV files' }).waitFor();
    assert.equal(await wb.chat.root.locator('.tool-nested').count(), 2);
    await wb.screenshot('web-and-code');
  });

  test('after kill -9 of the extension host in the middle of a turn all finished blocks are there, and the next prompt works [I1, I8, XD1]', async () => {
    await begin();
    const slow: Reply = {
      steps: [
        { type: 'text', text: 'The first block is finished.' },
        { type: 'bash_code_execution', command: 'echo sum is $((40 + 2))' },
        { type: 'wait', ms: 60_000 },
        { type: 'text', text: 'never shown' },
      ],
    };
    await wb.chat.type(scriptPrompt('Work', [slow]));
    await wb.chat.row('sum is 42').waitFor();
    await wb.killExtensionHost();
    const chat = await wb.openChat();
    await said(wb, 'The first block is finished.').waitFor();
    await chat.row('sum is 42').waitFor();
    await chat.row('interrupted').waitFor();
    await wb.screenshot('trouble-killed');
    await chat.type('Next');
    await chat.row('Simulated answer to: Next').waitFor();
    await chat.idle();
    const count = await chat.rows().count();
    await wb.reload();
    await (await wb.openChat()).row('Simulated answer to: Next').waitFor();
    assert.equal(await wb.chat.rows().count(), count);
  });
});

/** An answer of Claude's that contains a text. The prompt of a scripted turn contains it too. */
function said({ chat }: Pick<Workbench, 'chat'>, text: string | RegExp): Locator {
  return chat.root.getByRole('article', { name: 'Claude' }).filter({ hasText: text });
}
