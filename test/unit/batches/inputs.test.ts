import assert from 'node:assert/strict';
import { fillRow, readCsv } from '../../../src/core/batches/csv.ts';
import { templateFor } from '../../../src/core/batches/template.ts';
import { foreseeBatch } from '../../../src/core/cost/batchForecast.ts';
import { INFO } from '../../support/scriptedModel.ts';

suite('the inputs of a batch', () => {
  test('rows are read as CSV has them: quotes, separators and line ends in fields, and every line end', () => {
    const rows = (text: string) => readCsv(text).rows;
    assert.deepEqual(readCsv('\uFEFFname,note\r\n"a, b","say ""hi""\nthere"\r\nc,\r\n'), {
      columns: ['name', 'note'],
      rows: [
        ['a, b', 'say "hi"\nthere'],
        ['c', ''],
      ],
    });
    assert.deepEqual(readCsv('a;b\n1;2,5').rows, [['1', '2,5']]);
    assert.deepEqual(readCsv('a\tb\r1\t2').rows, [['1', '2']]);
    assert.deepEqual(rows('a,b\n\n  \n1\n1,2,3\n'), [
      ['1', ''],
      ['1', '2'],
    ]);
    assert.deepEqual(rows('a,b\n"never closed,2'), [['never closed,2', '']]);
    assert.deepEqual(readCsv(',b').columns, ['column 1', 'b']);
    assert.deepEqual([readCsv('').columns, readCsv('only,head').rows], [[], []]);
  });

  test('a row fills in the names of its columns, or follows the prompt', () => {
    const table = { columns: ['Name', 'City'] };
    assert.equal(
      fillRow('Greet {{ name }} of {{CITY}}, not {{other}}.', table, ['Ada', '$&']),
      'Greet Ada of $&, not {{other}}.',
    );
    assert.equal(fillRow('Greet them.', table, ['Ada', 'Paris']), 'Greet them.\n\nName: Ada\nCity: Paris');
    assert.equal(fillRow('{{name}}', table, ['{{city}}', 'Paris']), '{{city}}');
  });

  test('cost half of what they would one by one, each at the price of its own length', () => {
    const pricing = { own: {}, listed: true };
    const opus = foreseeBatch({ model: 'claude-opus-5-5', prompts: [1_000, 3_000], answer: 1_000, pricing });
    // 4 and 20 dollars per million, halved.
    assert.deepEqual(opus, { tokens: 4_000, input: 8_000_000, whole: 28_000_000 });
    const haiku = foreseeBatch({ model: 'claude-haiku-5-5', prompts: [1_000, 200_000], answer: 0, pricing });
    assert.equal(haiku.input, 50_000 + 50_000_000);
    assert.equal(foreseeBatch({ model: 'other', prompts: [1], answer: 1, pricing }).input, undefined);
  });

  test('go without tools of this computer, and with skills only where there is code execution [C138,C143]', () => {
    const wish = { model: 'm', info: INFO, thinking: { thinking: 'auto', effort: 'low' }, skills: [] } as const;
    const skills = [{ type: 'anthropic', skill_id: 'xlsx' }] as const;
    const plain = templateFor({ ...wish, codeExecution: undefined, skills });
    assert.deepEqual([plain.tools, plain.skills], [[], undefined]);
    const sandbox = templateFor({ ...wish, codeExecution: 'code_execution_20260521', skills });
    assert.deepEqual(sandbox.tools, [{ type: 'code_execution_20260521', name: 'code_execution' }]);
    assert.deepEqual([sandbox.skills, sandbox.maxTokens > 0], [skills, true]);
  });
});
