import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import type {
  Message,
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { MODEL } from '../../../src/simulator/models.ts';
import { demo, demoPrompt } from '../../../src/simulator/scenarios/demo.ts';
import { startSimulator } from '../../../src/simulator/server.ts';
import type { Simulator } from '../../../src/simulator/server.ts';

const run = promisify(execFile);
const workspaceSource = path.resolve('media/demo/workspace');

suite('the offline demo', function () {
  // Every walk starts several processes.
  this.timeout(30_000);
  let simulator: Simulator;
  let workspace: string;
  let client: Anthropic;
  setup(async () => {
    simulator = await startSimulator({ scenario: demo, chunkSize: 200 });
    client = new Anthropic({ apiKey: simulator.key, baseURL: simulator.url, maxRetries: 0 });
    workspace = await mkdtemp(path.join(tmpdir(), 'demo-test-'));
    await cp(workspaceSource, workspace, { recursive: true });
  });
  teardown(async () => {
    await simulator.close();
    await rm(workspace, { recursive: true, force: true });
  });

  test('walks from the failing test to the chart', async () => {
    const walked = await walk(demoPrompt);
    assert.deepEqual(walked.calls, [
      'view src/sum.js',
      'node test/sum.test.js',
      'str_replace src/sum.js',
      'node test/sum.test.js',
      'view data/sales.csv',
    ]);
    assert.match(await readFile(path.join(workspace, 'src/sum.js'), 'utf8'), /return a \+ b;/);
    assert.deepEqual(walked.files.map((file) => file.name).sort(), ['chart.png', 'cleaned.csv']);
    assert.match(walked.text, /all tests pass/);
    assert.match(walked.text, /11 rows kept, 3 dropped/);
    assert.match(walked.text, /no model/);
  });

  test('draws the chart from the numbers in the table: one other value gives other pixels', async () => {
    const first = decodePng(fileNamed(await walk(demoPrompt), 'chart.png'));
    const table = path.join(workspace, 'data/sales.csv');
    await writeFile(table, (await readFile(table, 'utf8')).replace('2980', '2981'));
    const second = decodePng(fileNamed(await walk(demoPrompt), 'chart.png'));
    assert.deepEqual([first.width, first.height], [640, 400]);
    assert.ok(!first.pixels.equals(second.pixels));
    assert.ok(first.pixels.some((value) => value !== 255));
  });

  test('gives back a table without doubled rows and rows that have no revenue', async () => {
    const cleaned = fileNamed(await walk(demoPrompt), 'cleaned.csv')
      .toString('utf8')
      .trim()
      .split('\n');
    assert.equal(cleaned[0], 'month,region,units,revenue');
    assert.equal(cleaned.filter((line) => line === 'Apr,South,110,2200').length, 1);
    assert.ok(cleaned.includes('May,South,125,2500'));
    assert.equal(cleaned.length, 12);
  });

  test('goes on to the chart when the edit is denied, and does not claim that the test passes', async () => {
    const walked = await walk(demoPrompt, { deny: 'str_replace' });
    assert.equal(walked.calls.filter((call) => call === 'node test/sum.test.js').length, 1);
    assert.match(walked.text, /edit was not made \(“Denied by the user\.”\)/);
    assert.doesNotMatch(walked.text, /all tests pass|test is green/);
    assert.equal(walked.files.length, 2);
  });

  test('says so when the commands are denied', async () => {
    const walked = await walk(demoPrompt, { deny: 'node' });
    assert.match(walked.text, /did not run/);
    assert.doesNotMatch(walked.text, /all tests pass|test is green/);
    assert.equal(walked.files.length, 2);
  });

  test('has nothing to fix when it is asked again', async () => {
    await walk(demoPrompt);
    const again = await walk(demoPrompt);
    assert.deepEqual(again.calls, ['view src/sum.js', 'node test/sum.test.js', 'view data/sales.csv']);
    assert.match(again.text, /passes already/);
  });

  test('stops where the workspace is not the demo one', async () => {
    await rm(path.join(workspace, 'src'), { recursive: true });
    const walked = await walk(demoPrompt);
    assert.deepEqual(walked.calls, ['view src/sum.js']);
    assert.match(walked.text, /can't read `src\/sum\.js`/);
  });

  test('reports a chart that could not be drawn', async () => {
    await writeFile(path.join(workspace, 'data/sales.csv'), '');
    const walked = await walk(demoPrompt);
    assert.match(walked.text, /could not be drawn|0 rows kept/);
  });

  test('goes on after an interruption where it was', async () => {
    const walked = await walk('Continue', {
      history: [
        { role: 'user', content: demoPrompt },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_a', name: edit, input: { command: 'view', path: 'src/sum.js' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_a', content: '1: function sum(a, b) {\n2:   return a - b;' },
          ],
        },
        { role: 'assistant', content: 'Now I' },
      ],
    });
    assert.equal(walked.calls[0], 'node test/sum.test.js');
    assert.match(walked.text, /all tests pass/);
  });

  test('says that it is a script, and which prompt to try, to anything else', async () => {
    const walked = await walk('What is the meaning of life?');
    assert.match(walked.text, /Simulated answers, no model/);
    assert.ok(walked.text.includes(demoPrompt));
  });

  interface WalkOptions {
    /** Start of the titles of the calls to deny. */
    readonly deny?: string;
    readonly history?: readonly MessageParam[];
  }

  interface Walked {
    readonly calls: readonly string[];
    readonly text: string;
    readonly files: readonly { readonly name: string; readonly bytes: Buffer }[];
  }

  /** A client in twenty lines: runs the calls on the workspace, sends the results, collects what came back. */
  async function walk(prompt: string, options: WalkOptions = {}): Promise<Walked> {
    const messages: MessageParam[] = [...(options.history ?? []), { role: 'user', content: prompt }];
    const calls: string[] = [];
    const answers: Message[] = [];
    for (let round = 0; round < 12; round += 1) {
      const message = await client.messages.stream({ ...settings, messages }).finalMessage();
      answers.push(message);
      messages.push({ role: 'assistant', content: message.content as MessageParam['content'] });
      if (message.stop_reason !== 'tool_use') break;
      const results: ToolResultBlockParam[] = [];
      for (const block of message.content) {
        if (block.type !== 'tool_use') continue;
        calls.push(titleOf(block));
        results.push(titleOf(block).startsWith(options.deny ?? '-') ? denial(block) : await invoke(block));
      }
      messages.push({ role: 'user', content: results });
    }
    const blocks = answers.flatMap((message) => message.content);
    const text = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    return { calls, text, files: await download(blocks) };
  }

  async function download(blocks: Message['content']): Promise<Walked['files']> {
    const files = [];
    for (const block of blocks) {
      if (block.type !== 'bash_code_execution_tool_result' || !('content' in block.content)) continue;
      for (const { file_id } of block.content.content) {
        const { filename } = await client.files.retrieveMetadata(file_id);
        const response = await client.files.download(file_id);
        files.push({ name: filename, bytes: Buffer.from(await response.arrayBuffer()) });
      }
    }
    return files;
  }

  async function invoke(block: ToolUseBlock): Promise<ToolResultBlockParam> {
    const input = block.input as Record<string, string>;
    const result = { type: 'tool_result', tool_use_id: block.id } as const;
    const file = path.join(workspace, input['path'] ?? '');
    try {
      if (block.name === 'bash') {
        const ran = await run('sh', ['-c', input['command'] ?? ''], { cwd: workspace });
        return { ...result, content: ran.stdout };
      }
      const text = await readFile(file, 'utf8');
      if (input['command'] === 'view') {
        const lines = text.split('\n').map((line, index) => `${index + 1}: ${line}`);
        return { ...result, content: lines.join('\n') };
      }
      await writeFile(
        file,
        text.replace(input['old_str'] ?? '', () => input['new_str'] ?? ''),
      );
      return { ...result, content: 'Successfully replaced text at exactly one location.' };
    } catch (error) {
      const output = (error as { stdout?: string }).stdout;
      return { ...result, is_error: true, content: output || 'Error: File not found' };
    }
  }
});

const edit = 'str_replace_based_edit_tool';
const settings = {
  model: MODEL,
  max_tokens: 4000,
  cache_control: { type: 'ephemeral' },
  tools: [
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'code_execution_20260521', name: 'code_execution' },
  ],
} as const satisfies Partial<Anthropic.MessageCreateParams>;

function titleOf(block: ToolUseBlock): string {
  const input = block.input as Record<string, string>;
  return block.name === 'bash' ? (input['command'] ?? '') : `${input['command']} ${input['path']}`;
}

function denial(block: ToolUseBlock): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: block.id, is_error: true, content: 'Denied by the user.' };
}

function fileNamed(
  walked: { readonly files: readonly { readonly name: string; readonly bytes: Buffer }[] },
  name: string,
): Buffer {
  const file = walked.files.find((item) => item.name === name);
  assert.ok(file, `${name} was made`);
  return file.bytes;
}

function decodePng(bytes: Buffer): { readonly width: number; readonly height: number; readonly pixels: Buffer } {
  assert.equal(bytes.subarray(1, 4).toString('latin1'), 'PNG');
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString('latin1') === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), pixels: inflateSync(Buffer.concat(data)) };
}
