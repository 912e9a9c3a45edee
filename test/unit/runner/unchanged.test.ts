import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemory, fingerprint } from '../../runner/unchanged.ts';

suite('What did not change since a check passed', () => {
  let folder = '';
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'loopdock-unchanged-'));
    execFileSync('git', ['init', '-q'], { cwd: folder });
    write('.gitignore', 'out\n');
    write('a.ts', '1');
  });

  teardown(() => rmSync(folder, { recursive: true }));

  test('is told by the content of every file that git does not ignore', () => {
    const before = fingerprint(folder);
    assert.match(before ?? '', /^[0-9a-f]{64}$/);
    write('out', 'anything');
    assert.equal(fingerprint(folder), before);
    write('a.ts', '2');
    const changed = fingerprint(folder);
    assert.notEqual(changed, before);
    write('b.ts', '');
    assert.notEqual(fingerprint(folder), changed);
    unlinkSync(join(folder, 'b.ts'));
    write('a.ts', '1');
    assert.equal(fingerprint(folder), before);
  });

  test('is not known outside of a checkout', () => {
    rmSync(join(folder, '.git'), { recursive: true });
    assert.equal(fingerprint(folder), undefined);
  });

  test('is remembered for each check, over runs, and a broken memory is an empty one', () => {
    const file = join(folder, 'out', 'lint.json');
    createMemory(file).remember('eslint', 'x');
    const memory = createMemory(file);
    assert.deepEqual(
      [memory.passed('eslint', 'x'), memory.passed('eslint', 'y'), memory.passed('knip', 'x')],
      [true, false, false],
    );
    writeFileSync(file, '{"esl');
    assert.equal(createMemory(file).passed('eslint', 'x'), false);
  });
});
