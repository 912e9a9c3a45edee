import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import type { Reply } from '../../../src/simulator/scenario.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { Simulator } from '../../../src/simulator/server.ts';
import { png } from '../../support/png.ts';
import type { Workbench } from '../support/workbench.ts';
import { newSession, startBatch, type Opened } from './window.ts';

type Block = Readonly<Record<string, unknown>>;
interface Body {
  readonly stream?: boolean;
  readonly container?: string;
  readonly tools?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

const NUMBERS = "printf '%s\\n' 1 2 3 4 5 6 7 8 9 10 | awk '{s+=$1; q+=$1*$1} END {print s/NR, sqrt(q/NR-(s/NR)^2)}'";
const LEGACY = 'code_execution_20250522';
const NEWEST = 'code_execution_20260521';
const PICTURE = png(4, 4);

const shell = (command: string, ...more: Reply['steps']): Reply => ({
  steps: [{ type: 'bash_code_execution', command }, ...more],
});
const say = (text: string): Reply['steps'][number] => ({ type: 'text', text });

/** Each example of the API's documentation of code execution, by what the user sees and by what was sent. */
export function examples(opened: Opened): void {
  let simulator: Simulator;
  let wb: Workbench;

  suiteSetup(() => {
    ({ simulator, workbench: wb } = opened());
  });

  /** What is sent to be answered, oldest first. */
  const sent = (): readonly Body[] =>
    simulator.requests.flatMap(({ path, body }) => (/^\/v1\/messages(\?|$)/.test(path) ? [body as Body] : []));
  const last = (): Body => sent().at(-1) ?? assert.fail('nothing was sent');

  async function ask(prompt: string, ...replies: Reply[]): Promise<Body> {
    const before = sent().length;
    await wb.chat.type(scriptPrompt(prompt, replies));
    await wb.chat.row(prompt).first().waitFor();
    await until(() => sent().length > before);
    await wb.chat.idle();
    return last();
  }

  /** The newest card of that title, open. */
  async function card(title: string): Promise<Locator> {
    const row = wb.chat.row(title).last();
    const head = row.locator('.tool-head');
    await head.waitFor();
    if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
    return row;
  }

  test('quick start: a calculation in the sandbox', async () => {
    await newSession(wb);
    const body = await ask('Calculate the mean and standard deviation', shell(NUMBERS, say('The mean is 5.5.')));
    await wb.chat.row('The mean is 5.5.').last().waitFor();
    await (await card('Sandbox · printf')).getByText('5.5 2.87228').waitFor();
    assert.deepEqual(codeTool(body), { type: NEWEST, name: 'code_execution' });
    assert.equal(body.container, undefined);
    assert.equal(body.stream, true);
  });

  test('upload and analyse: a file of the user goes into the container, once', async () => {
    await newSession(wb);
    await wb.bridge.evaluate((vscode) => {
      const folder = vscode.workspace.workspaceFolders?.[0];
      if (folder)
        void vscode.commands.executeCommand('loopdock.attachFiles', vscode.Uri.joinPath(folder.uri, 'data/sales.csv'));
    });
    await wb.chat.root.locator('.composer .chip').waitFor();
    const body = await ask('Analyze this CSV data', shell('ls; wc -l < sales.csv'), { steps: [say('Three lines.')] });
    const block = blocks(body).find(({ type }) => type === 'container_upload') ?? assert.fail('no container_upload');
    const file = simulator.files.get(String(block['file_id']));
    assert.equal(file?.filename, 'sales.csv');
    assert.equal(file.size_bytes, 30);
    await (await card('Sandbox · ls')).getByText('sales.csv').first().waitFor();
  });

  test('retrieve files: what the code leaves is downloaded, shown, and put on disk byte by byte', async () => {
    await newSession(wb);
    await ask(
      'Create a visualization',
      shell(`echo ${PICTURE.toString('base64')} | base64 -d > $OUTPUT_DIR/output.png`),
    );
    const row = wb.chat.row('output.png').last();
    await row.locator('img').waitFor();
    const download = simulator.requests.find(({ path }) => /^\/v1\/files\/file_[^/]+\/content/.test(path));
    assert.ok(download, 'the content was asked for');
    await row.getByRole('button', { name: 'Add to Workspace' }).click();
    const served = simulator.files.pathOf(/file_[^/]+/.exec(download.path)?.[0] ?? '');
    const file = join(wb.workspace, 'output.png');
    await until(() => readFileSync(file).equals(readFileSync(served)));
    assert.ok(readFileSync(file).subarray(0, 4).equals(PICTURE.subarray(0, 4)));
  });

  test('container reuse: the next prompt goes on with the files of the first', async () => {
    await newSession(wb);
    await ask('Write a random number', shell('echo 4711 > number.txt'));
    const first = last();
    const second = await ask('Read the number and square it', shell('echo $(( $(cat number.txt) * 2 ))'));
    await (await card('Sandbox · echo $((')).getByText('9422').waitFor();
    assert.equal(first.container, undefined);
    assert.match(second.container ?? '', /^container_/);
  });

  test('streaming: the command is there to read while it runs, the result comes whole', async () => {
    await newSession(wb);
    await wb.chat.type(scriptPrompt('Stream it', [shell('sleep 1.5; echo streamed')]));
    const row = wb.chat.row('Sandbox · sleep 1.5').last();
    await row.waitFor();
    assert.equal(await wb.chat.button('Stop').count(), 1);
    assert.doesNotMatch(await row.innerText(), /^streamed$/m);
    await wb.chat.idle();
    await (await card('Sandbox · sleep 1.5')).getByText('streamed', { exact: true }).first().waitFor();
    assert.equal(await wb.chat.root.locator('.tool-head').count(), 1);
    assert.equal(last().stream, true);
  });

  test('errors: each is a sentence, and goes back to Claude as it came', async () => {
    await newSession(wb);
    await ask('Too long, and not there', {
      steps: [
        { type: 'bash_code_execution', command: 'sleep 5', timeoutMs: 50 },
        { type: 'text_editor_code_execution', input: { command: 'view', path: 'gone.txt' } },
        say('Both failed.'),
      ],
    });
    await (await card('Sandbox · sleep 5')).getByText('It ran longer than the sandbox allows').waitFor();
    await (await card('Sandbox · view gone.txt')).getByText('There is no such file in the sandbox').waitFor();
    const body = await ask('And now?', { steps: [say('Now it is fine.')] });
    const codes = blocks(body).map(({ content }) => (content as Block | undefined)?.['error_code']);
    assert.deepEqual(codes.filter(Boolean), ['execution_time_exceeded', 'file_not_found']);
  });

  test('legacy upgrade: results of the old tool stay, and the new one goes on', async () => {
    const use = {
      type: 'server_tool_use',
      id: 'srvtoolu_01legacy',
      name: 'code_execution',
      input: { code: 'print(6*7)' },
    };
    const content = { type: 'code_execution_result', stdout: '42\n', stderr: '', return_code: 0, content: [] };
    const result = { type: 'code_execution_tool_result', tool_use_id: use.id, content };
    await setVersions(wb, { code_execution: LEGACY });
    await newSession(wb);
    const steps: Reply['steps'] = [{ type: 'block', block: use }, { type: 'block', block: result }, say('It is 42.')];
    assert.deepEqual(codeTool(await ask('With the old tool', { steps })), { type: LEGACY, name: 'code_execution' });
    await (await card('Sandbox · print(6*7)')).getByText('42').first().waitFor();
    const beta = simulator.requests.at(-1)?.headers['anthropic-beta'] ?? '';
    assert.match(beta, /code-execution-2025-05-22/);
    await setVersions(wb, undefined);
    const body = await ask('With the new one', shell('echo upgraded', say('Upgraded.')));
    assert.deepEqual(codeTool(body), { type: NEWEST, name: 'code_execution' });
    assert.doesNotMatch(JSON.stringify(simulator.requests.at(-1)?.headers), /code-execution-2025-05-22/);
    const calls = blocks(body).filter(({ type }) => /^server_tool_use$|_tool_result$/.test(String(type)));
    assert.deepEqual(calls, [use, result]);
    await (await card('Sandbox · echo upgraded')).getByText('upgraded', { exact: true }).first().waitFor();
    await wb.chat.row('Upgraded.').last().waitFor();
  });

  test('batch: each file has a container of its own, and what was made in it can be opened', async () => {
    await newSession(wb);
    await startBatch(wb, ['a.md', 'b.md'], 'With the sandbox');
    await wb.answerInput(
      scriptPrompt('Sum it up', [shell('cat *.md; cp *.md $OUTPUT_DIR/made.txt', say('Summed up.'))]),
    );
    await wb.page.locator('.monaco-dialog-box').filter({ hasText: '2 requests' }).waitFor();
    await wb.screenshot('batch-question');
    await wb.dialogButton('Submit');
    const row = (text: string): Locator => wb.page.locator('.pane-body .monaco-list-row').filter({ hasText: text });
    await row('2 of 2 succeeded').waitFor({ timeout: 30_000 });
    await row('Sum it up').click();
    await row('a.md').first().waitFor();
    await wb.screenshot('batches');
    await row('a.md').first().click();
    await wb.chat.root.getByRole('article', { name: 'Claude' }).filter({ hasText: 'Summed up.' }).waitFor();
    await wb.chat.row('made.txt').getByRole('button', { name: 'Open' }).waitFor();
    const posted = simulator.requests.findLast(({ method, path }) => method === 'POST' && path.endsWith('/batches'));
    const { requests } = posted?.body as { requests: { custom_id: string; params: Body }[] };
    assert.equal(new Set(requests.map(({ custom_id }) => custom_id)).size, 2);
    for (const { params } of requests) {
      assert.equal(params.stream, undefined);
      assert.equal(codeTool(params)?.['type'], NEWEST);
      assert.equal(blocks(params).filter(({ type }) => type === 'container_upload').length, 1);
    }
  });
}

async function setVersions(wb: Workbench, versions: Readonly<Record<string, string>> | undefined): Promise<void> {
  await wb.bridge.evaluate(async (vscode, value) => {
    const settings = vscode.workspace.getConfiguration('loopdock');
    await settings.update('tools.versions', value ?? undefined, vscode.ConfigurationTarget.Global);
  }, versions ?? null);
}

function codeTool({ tools }: Body): Block | undefined {
  return tools?.find(({ name }) => name === 'code_execution');
}

function blocks({ messages }: Body): readonly Block[] {
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
}

async function until(condition: () => boolean): Promise<void> {
  for (let left = 200; left > 0; left--) {
    try {
      if (condition()) return;
    } catch {
      // Not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('It did not happen in 10 s');
}
