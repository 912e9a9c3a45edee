import assert from 'node:assert/strict';
import { decide } from '../../../src/core/approval/decide.ts';
import { ToolError } from '../../../src/core/errors.ts';
import { readForCodeTool } from '../../../src/core/tools/readForCode.ts';
import { fakeEditPort, type FakeFile } from '../../support/fakeEditPort.ts';
import { invoke, never } from './textEditorSetup.ts';

suite('reading the workspace for code in the container', () => {
  const tool = (files: Readonly<Record<string, string | FakeFile>>) => readForCodeTool(fakeEditPort(files));

  test('gives the whole text as it is, and shows the beginning of it', async () => {
    const text = 'a,b\r\n'.repeat(10_000);
    const call = await tool({ 'data.csv': text }).prepare({ path: 'data.csv' }, never);
    const { content, body } = await invoke(call);
    assert.equal(content, text);
    assert.ok(body.kind === 'text' && body.text.length < 4100);
    assert.match(call.title, /data\.csv/);
  });

  test('keeps to the rules of every read', async () => {
    const effects = async (path: string) => (await tool({ [path]: 'x' }).prepare({ path }, never)).effects;
    assert.equal(decide(await effects('data.csv'), 'ask', true).verdict, 'allow');
    assert.equal(decide(await effects('.env'), 'ask', true).verdict, 'ask');
    assert.equal(decide(await effects('data.csv'), 'ask', false).verdict, 'deny');
  });

  test('says what it can not read', async () => {
    await assert.rejects(tool({}).prepare({ path: 'gone.csv' }, never), ToolError);
    const large = tool({ 'large.csv': 'x'.repeat(5_000_001) });
    await assert.rejects(large.prepare({ path: 'large.csv' }, never), /at most 5 MB/);
  });
});
