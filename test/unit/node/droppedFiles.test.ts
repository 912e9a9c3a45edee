import assert from 'node:assert/strict';
import { UserError } from '../../../src/core/errors.ts';
import { createDroppedFiles, type DroppedFiles } from '../../../src/node/inputs/droppedFiles.ts';
import { fakeClock } from '../../support/fakes.ts';

suite('files whose bytes only the view has', () => {
  const file = { id: 'd1', name: 'a.csv', size: 5 };
  /** A view that answers with these pieces by where they begin; nothing where it does not answer. */
  const viewWith = (answers: Readonly<Record<number, string | null>>, asked: number[] = []) => {
    const clock = fakeClock();
    const files: DroppedFiles = createDroppedFiles((id, at) => {
      asked.push(at);
      const answer = answers[at];
      if (answer !== undefined)
        queueMicrotask(() => files.piece(id, at, answer === null ? 'unreadable' : Buffer.from(answer)));
    }, clock);
    return { files, clock };
  };
  const read = async (files: DroppedFiles): Promise<string> => {
    let text = '';
    for await (const piece of files.read(file)) text += Buffer.from(piece).toString();
    return text;
  };
  const says = (pattern: RegExp) => (error: unknown) => error instanceof UserError && pattern.test(error.message);

  test('the pieces come in order, one at a time', async () => {
    const asked: number[] = [];
    const { files } = viewWith({ 0: 'abc', 3: 'de' }, asked);
    assert.equal(await read(files), 'abcde');
    assert.deepEqual(asked, [0, 3]);
  });

  test('a folder, and a file that shrank or grew, end in words', async () => {
    await assert.rejects(read(viewWith({ 0: null }).files), says(/a\.csv can’t be read.*folder/));
    await assert.rejects(read(viewWith({ 0: 'abc', 3: '' }).files), says(/changed while it was read/));
    await assert.rejects(read(viewWith({ 0: 'abcdefg' }).files), says(/changed while it was read/));
  });

  test('a view that does not answer keeps nobody waiting, and what comes too late does no harm', async () => {
    const { files, clock } = viewWith({});
    const reading = assert.rejects(read(files), says(/the view was closed/));
    await clock.advance(20_000);
    await reading;
    files.piece('d1', 0, Buffer.from('abcde'));
    files.piece('unknown', 7, 'unreadable');
  });
});
