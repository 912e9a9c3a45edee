import assert from 'node:assert/strict';
import { attacks, fieldCases } from '../../conformance/cases.ts';
import { rules } from '../../conformance/rules.ts';
import { judge } from '../../conformance/table.ts';

const rows = [
  { id: 'C1', says: 'one' },
  { id: 'F2', says: 'two | with a bar' },
  { id: 'XA3', says: 'three', later: '4' },
  { id: 'C4', says: 'four', notApplicable: 'there is none' },
];
const sections = [['Rows', rows]] as const;
const run = (passed: Record<string, string[]>, committed = ''): ReturnType<typeof judge> =>
  judge(new Map(Object.entries(passed)), committed, sections);

const good = { unit: ['a does it [C1]'], 'host-latest': ['b | does it too [C1, F2]'] };

suite('the conformance table', () => {
  test('names one test for each row, and passes when it says what the run shows', () => {
    const { text } = run(good);
    assert.match(text, /^\| C1 \| one \| unit › a does it \|$/m);
    assert.match(text, /^\| F2 \| two \\\| with a bar \| host › b \\\| does it too \|$/m);
    assert.match(text, /^\| XA3 \| three \| later: 4 \|$/m);
    assert.match(text, /^\| C4 \| four \| n\/a: there is none \|$/m);
    assert.deepEqual(run(good, text).problems, []);
  });

  test('fails for a row without a test, and when its test is gone', () => {
    const { text } = run(good);
    const { problems } = run({ unit: [], 'host-latest': ['b [F2]'] }, text);
    assert.deepEqual(problems, ['C1 has no test: one', 'F2 is shown by another test than the table says: host › b']);
  });

  test('fails for a row that is put off or excused and has a test all the same', () => {
    const { text } = run(good);
    const { problems } = run({ ...good, webview: ['c [XA3]', 'd [C4]'] }, text);
    assert.ok(problems.some((problem) => problem.startsWith('XA3 has a test and')));
    assert.ok(problems.some((problem) => problem.startsWith('C4 has a test and')));
  });

  test('takes what a suite shows that can not run here from the committed table', () => {
    const { text } = run(good);
    assert.deepEqual(run({ unit: good.unit }, text).problems, []);
    assert.equal(run({ unit: good.unit }, text).text, text);
  });

  test('fails for an id that no row has', () => {
    const { text } = run(good);
    assert.deepEqual(run({ ...good, webview: ['c [C999]'] }, text).problems, ['no row has the id C999: webview › c']);
  });

  test('reads ids at the end of a title only', () => {
    assert.ok(
      run({ unit: ['[C1] comes first', 'in the [C1] middle', 'no ids [C1 and more]'] }).text.includes(
        '| one | **missing** |',
      ),
    );
  });

  test('has every rule and every row once', () => {
    const ids = [...rules, ...fieldCases, ...attacks].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.deepEqual(
      rules.map(({ id }) => id),
      Array.from({ length: 150 }, (_, index) => `C${index + 1}`),
    );
  });
});
