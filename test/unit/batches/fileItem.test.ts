import assert from 'node:assert/strict';
import { itemOfFile } from '../../../src/core/batches/fileItem.ts';
import { agentWorld } from '../../support/agent.ts';
import { scriptedModel } from '../../support/scriptedModel.ts';

suite('the files of a batch', () => {
  test('are uploaded once: what was uploaded before under this name and is still there is named again', async () => {
    const world = agentWorld(scriptedModel([]));
    const ports = { ...world, baseUrl: () => Promise.resolve('https://api.example') };
    const [signal, use] = [new AbortController().signal, 'container'] as const;
    const from = ({ from: origin }: ReturnType<typeof world.inputs.file>) =>
      'local' in origin ? origin.local : assert.fail();
    const send = async (name: string, content: string) =>
      itemOfFile(ports, { id: 'i', file: from(world.inputs.file(name, content)), prompt: 'Sum', use }, signal);
    const first = await send('a.csv', '1');
    const again = await send('a.csv', '1');
    assert.deepEqual(again.content, first.content);
    assert.deepEqual(first.content[0], { type: 'container_upload', file_id: 'file_up1' });
    await send('b.csv', '1');
    await send('a.csv', '2');
    assert.deepEqual(
      world.files.uploads.map(({ name, text }) => [name, text]),
      [
        ['a.csv', '1'],
        ['b.csv', '1'],
        ['a.csv', '2'],
      ],
    );
  });
});
