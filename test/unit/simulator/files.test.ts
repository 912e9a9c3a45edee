import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';
import { readCredentials } from '../../../src/node/attachments/contentCredentials.ts';
import { png } from '../../support/png.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import type { BashStep } from '../../../src/simulator/scenario.ts';
import { request, startHarness, tools } from './harness.ts';
import type { Body, Harness } from './harness.ts';

suite('files of the simulator', () => {
  let harness: Harness;
  let client: Anthropic;
  setup(async () => {
    harness = await startHarness();
    const { key, url } = harness.simulator;
    client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  });
  teardown(() => harness.simulator.close());

  /** Runs a command in a container and returns its result's content. */
  async function run(command: string, options: Partial<BashStep> = {}, content: readonly Body[] = []): Promise<Body> {
    const step: BashStep = { type: 'bash_code_execution', command, ...options };
    const prompt = { type: 'text', text: scriptPrompt('Go', [{ steps: [step] }]) };
    const answer = await harness.post(request({ tools, messages: [{ role: 'user', content: [...content, prompt] }] }));
    const blocks = answer.body?.['content'] as Body[];
    return blocks.find((block) => block['type'] === 'bash_code_execution_tool_result')?.['content'] as Body;
  }

  const idsOf = (content: Body): string[] => (content['content'] as Body[]).map((item) => String(item['file_id']));

  test('upload, list, read and delete through the official client', async () => {
    const uploaded = await client.files.upload({ file: new File(['a,b\n1,2\n'], 'däta.csv', { type: 'text/csv' }) });
    assert.deepEqual(
      [uploaded.filename, uploaded.mime_type, uploaded.size_bytes, uploaded.downloadable],
      ['däta.csv', 'text/csv', 8, false],
    );
    assert.deepEqual(await client.files.retrieveMetadata(uploaded.id), uploaded);
    const second = await client.files.upload({ file: new File(['x'], 'x.txt') });
    const listed = [];
    for await (const file of client.files.list({ limit: 1 })) listed.push(file.id);
    assert.deepEqual(listed, [second.id, uploaded.id]);
    assert.deepEqual((await client.files.list({ ids: [uploaded.id, 'file_none'] })).data, [uploaded]);
    assert.deepEqual(await client.files.delete(uploaded.id), { id: uploaded.id, type: 'file_deleted' });
    await assert.rejects(client.files.retrieveMetadata(uploaded.id), Anthropic.NotFoundError);
  });

  test('uploads keep every byte', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
    const { id } = await client.files.upload({ file: new File([bytes], 'b.bin') });
    const kept = readFileSync(harness.simulator.files.pathOf(id));
    assert.ok(kept.equals(bytes));
  });

  test('an upload can be told from a download: it is not downloadable', async () => {
    const { id } = await client.files.upload({ file: new File(['x'], 'x.txt') });
    const answer = await harness.send(`/v1/files/${id}/content`);
    assert.equal(answer.status, 400);
    assert.deepEqual((answer.body?.['error'] as Body)['details'], { error_code: 'file_not_downloadable' });
  });

  test('names that the API refuses are refused', async () => {
    for (const name of ['a<b.txt', 'a:b', 'a\\b', 'x'.repeat(256)]) {
      await assert.rejects(client.files.upload({ file: new File(['x'], name) }), Anthropic.BadRequestError, name);
    }
  });

  test('a body that is no form is refused', async () => {
    assert.equal((await harness.send('/v1/files', { method: 'POST', body: 'x' })).status, 400);
  });

  test('the top level of $OUTPUT_DIR becomes files, in a new directory for each command', async () => {
    const first = await run(
      'mkdir $OUTPUT_DIR/sub; echo a > $OUTPUT_DIR/a.txt; echo b > $OUTPUT_DIR/sub/b.txt; echo c > c.txt',
    );
    const [id = '', ...others] = idsOf(first);
    assert.deepEqual(others, []);
    const metadata = await client.files.retrieveMetadata(id);
    assert.deepEqual([metadata.filename, metadata.mime_type, metadata.downloadable], ['a.txt', 'text/plain', true]);
    assert.equal(await (await client.files.download(id)).text(), 'a\n');
    assert.deepEqual(idsOf(await run('ls $OUTPUT_DIR')), []);
  });

  test('a file can have a name that no disk takes', async () => {
    const names = { 'a.txt': '../../x', 'b.txt': 'CON', 'c.txt': '' };
    const content = await run('for f in a b c; do echo $f > $OUTPUT_DIR/$f.txt; done', { fileNames: names });
    const served = [];
    for (const id of idsOf(content)) served.push((await client.files.retrieveMetadata(id)).filename);
    assert.deepEqual(served, ['../../x', 'CON', '']);
  });

  test('a picture comes with Content Credentials, and so is larger than in the container [C135]', async () => {
    const source = path.join(await fs.mkdtemp(path.join(tmpdir(), 'loopdock-png-')), 'a.png');
    await fs.writeFile(source, png(4, 4));
    const [id = ''] = idsOf(await run(`cp ${source} $OUTPUT_DIR`));
    const served = Buffer.from(await (await client.files.download(id)).arrayBuffer());
    assert.equal((await client.files.retrieveMetadata(id)).size_bytes, served.length);
    assert.ok(served.length > png(4, 4).length);
    await fs.writeFile(source, served);
    assert.deepEqual(await readCredentials(source), { issuer: 'Loopdock Simulator', at: '2026-12-01T00:00:00.000Z' });
    await fs.rm(path.dirname(source), { recursive: true });
  });

  test('an uploaded file is in the container', async () => {
    const { id } = await client.files.upload({ file: new File(['hello'], 'in.txt') });
    const ran = await run('cat in.txt', {}, [{ type: 'container_upload', file_id: id }]);
    assert.equal(ran['stdout'], 'hello');
  });

  test('node is there, whatever the machine has', async () => {
    const ran = await run(`node -e 'console.log(process.argv0, 6 * 7)'`);
    assert.match(String(ran['stdout']), /42/);
    assert.equal(ran['return_code'], 0);
  });

  test('a command sees no credential and nothing else of our environment', async () => {
    process.env['SIMULATOR_TEST_SECRET'] = 'sk-ant-test';
    const ran = await run('env');
    delete process.env['SIMULATOR_TEST_SECRET'];
    const names = String(ran['stdout'])
      .split('\n')
      .map((line) => line.split('=')[0]);
    assert.doesNotMatch(String(ran['stdout']), /sk-/);
    const known = new Set([
      'PATH',
      'HOME',
      'INPUT_DIR',
      'OUTPUT_DIR',
      'SKILLS_DIR',
      'LANG',
      'PWD',
      'OLDPWD',
      'SHLVL',
      '_',
      '',
    ]);
    assert.deepEqual(
      names.filter((name) => !known.has(name ?? '')),
      [],
    );
  });

  test('a command that takes too long is ended with all its children', async () => {
    const started = Date.now();
    const ran = await run('sleep 20 & sleep 20', { timeoutMs: 150 });
    assert.deepEqual(ran, { type: 'bash_code_execution_tool_result_error', error_code: 'execution_time_exceeded' });
    assert.ok(Date.now() - started < 5_000);
  });

  test('what a command leaves in the background ends with it', async () => {
    const started = Date.now();
    const ran = await run('sleep 20 & echo done');
    assert.equal(ran['stdout'], 'done\n');
    assert.ok(Date.now() - started < 5_000);
  });

  test('a download can break in the middle', async () => {
    const [id = ''] = idsOf(await run('head -c 100000 /dev/zero > $OUTPUT_DIR/z.bin'));
    harness.simulator.faults.add({ kind: 'cut', afterEvents: 0 }, { target: 'content' });
    await assert.rejects(async () => (await client.files.download(id)).arrayBuffer(), /terminated/);
    assert.equal((await (await client.files.download(id)).arrayBuffer()).byteLength, 100_000);
  });

  test('the container editor creates, changes and shows files, and stays inside', async () => {
    const steps = [
      { command: 'create', path: 'a/b.txt', file_text: 'one\ntwo\n' },
      { command: 'str_replace', path: 'a/b.txt', old_str: 'two', new_str: 'three' },
      { command: 'view', path: '/a/b.txt' },
      { command: 'view', path: 'none.txt' },
      { command: 'create', path: '../../out.txt', file_text: 'x' },
    ].map((input) => ({ type: 'text_editor_code_execution', input }) as const);
    const answer = await harness.post(
      request({ tools, messages: [{ role: 'user', content: scriptPrompt('Go', [{ steps }]) }] }),
    );
    const results = (answer.body?.['content'] as Body[]).flatMap((block) =>
      block['type'] === 'text_editor_code_execution_tool_result' ? [block['content'] as Body] : [],
    );
    assert.equal(results[0]?.['is_file_update'], false);
    assert.deepEqual(results[1]?.['lines'], ['-two', '+three']);
    assert.equal(results[2]?.['content'], 'one\nthree\n');
    assert.equal(results[3]?.['error_code'], 'file_not_found');
    assert.equal(results[4]?.['error_code'], 'invalid_tool_input');
  });
});
