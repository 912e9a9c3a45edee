import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultLine } from '../../runner/record.ts';
import { countResults, ResultsTail } from '../../runner/results.ts';

const PASS: ResultLine = { type: 'pass', title: 'a', ms: 1 };
const FAIL: ResultLine = { type: 'fail', title: 'b', error: 'why' };
const SKIP: ResultLine = { type: 'pending', title: 'c' };
const END: ResultLine = { type: 'end', passes: 1, failures: 0, pending: 0 };

suite('The results of a suite', () => {
  let folder: string;
  let file: string;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'loopdock-results-'));
    file = join(folder, 'results.jsonl');
  });

  teardown(() => rmSync(folder, { recursive: true }));

  function write(...lines: readonly ResultLine[]): void {
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  test('count what passed, failed and was skipped', () => {
    write(PASS, PASS, FAIL, SKIP, END);
    assert.deepEqual(countResults(file), { passed: 2, failed: 1, skipped: 1 });
  });

  test('count a run that did not end as a failure: its host died', () => {
    write(PASS, PASS);
    assert.deepEqual(countResults(file), { passed: 2, failed: 1, skipped: 0, problem: 'the run did not end' });
  });

  test('count a run that never began as a failure', () => {
    assert.deepEqual(countResults(file), { passed: 0, failed: 1, skipped: 0, problem: 'the run did not end' });
  });

  test('count a run of nothing as a failure', () => {
    write(SKIP, END);
    assert.deepEqual(countResults(file), { passed: 0, failed: 1, skipped: 1, problem: 'no test was run' });
  });

  test('survive a last line that was cut by a kill', () => {
    write(PASS);
    appendFileSync(file, '{"type":"pa');
    assert.deepEqual(countResults(file), { passed: 1, failed: 1, skipped: 0, problem: 'the run did not end' });
  });

  test('can be followed while they are written, in pieces', () => {
    const seen: string[] = [];
    const tail = new ResultsTail(file, (line) => seen.push(line.type));
    tail.poll();
    const text = [PASS, FAIL, END].map((line) => `${JSON.stringify(line)}\n`).join('');
    for (const piece of [text.slice(0, 10), text.slice(10, -5), text.slice(-5)]) {
      appendFileSync(file, piece);
      assert.equal(tail.ended, false);
      tail.poll();
    }
    assert.deepEqual(seen, ['pass', 'fail', 'end']);
    assert.equal(tail.ended, true);
  });
});
