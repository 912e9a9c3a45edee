import assert from 'node:assert/strict';
import { rerunOf } from '../../../src/core/agent/rerun.ts';
import { UserError } from '../../../src/core/errors.ts';
import { start, type Run } from '../../support/agentRun.ts';
import { scriptedModel } from '../../support/scriptedModel.ts';

suite('an analysis that is done again', () => {
  let run: Run;
  const signal = new AbortController().signal;
  setup(() => (run = start(scriptedModel([]))));
  const again = () => rerunOf(run.entries(), run.world, signal);
  const change = (name: string, text: string): void => {
    run.world.inputs.texts.set(`file:///w/${name}`, text);
    run.world.inputs.look = (uri) => {
      const now = run.world.inputs.texts.get(uri) ?? '';
      const { from } = run.world.inputs.file(uri.split('/').at(-1) ?? '', now);
      return Promise.resolve('local' in from ? from.local : assert.fail());
    };
  };
  const say = async (text: string, ...names: readonly string[]): Promise<void> => {
    for (const name of names) run.controller.tray.add(run.world.inputs.file(name, 'a,b\n'), 'container');
    await run.controller.submit(text);
    await run.idle();
  };

  test('quotes what was asked, and takes only the files that have changed', async () => {
    await say('Chart the sales', 'sales.csv', 'costs.csv');
    await say('Thanks');
    change('sales.csv', 'a,b\n1,2\n');
    const { text, files } = await again();
    assert.equal(text, 'sales.csv has changed. Do the same again with what is in it now:\n\nChart the sales');
    assert.deepEqual(
      files.map(({ file, use }) => [file.name, use]),
      [['sales.csv', 'container']],
    );
  });

  test('a change that keeps the size is a change', async () => {
    await say('Chart', 'sales.csv');
    change('sales.csv', 'b,a\n');
    assert.equal((await again()).files.length, 1);
  });

  test('a second time it quotes the first message, and compares with what was sent since', async () => {
    await say('Chart', 'sales.csv');
    change('sales.csv', 'new\n');
    const first = await again();
    await run.controller.submit(first.text, first.files);
    await run.idle();
    await assert.rejects(again(), UserError);
    change('sales.csv', 'newer\n');
    assert.match((await again()).text, /now:\n\nChart$/);
  });

  test('says so where nothing was attached, and where nothing has changed', async () => {
    await say('Hello');
    await assert.rejects(again(), /No file of this computer/);
    await say('Chart', 'sales.csv');
    change('other.csv', 'x');
    await assert.rejects(again(), /still what they were/);
  });

  test('files that are handed over with a message leave the tray alone', async () => {
    run.controller.tray.add(run.world.inputs.file('mine.csv', 'x'));
    await run.controller.submit('Run', [{ file: run.world.inputs.file('run.py', 'print(1)'), use: 'container' }]);
    await run.idle();
    assert.deepEqual(
      run.world.files.uploads.map(({ name }) => name),
      ['run.py'],
    );
    assert.equal(run.controller.snapshot().state.inputs.length, 1);
  });
});
