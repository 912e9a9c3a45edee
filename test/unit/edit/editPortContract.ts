import assert from 'node:assert/strict';
import type { PathFacts } from '../../../src/core/approval/effects.ts';
import { CancelledError, ToolError } from '../../../src/core/errors.ts';
import type { EditPort } from '../../../src/core/ports.ts';

export interface EditPortWorld {
  readonly port: EditPort;
  /** Puts a file there as another program would. */
  put(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The text that is saved; undefined when there is no file. */
  saved(path: string): Promise<string | undefined>;
}

const never = new AbortController().signal;
const MAX = 1_000_000;

/** What every `EditPort` does, the real one and the fake: called inside a suite. */
export function editPortContract(create: () => Promise<EditPortWorld>): void {
  let world: EditPortWorld;
  const resolve = (path: string) => world.port.resolve(path);
  const read = async (path: string) => world.port.readText(await resolve(path), MAX);

  setup(async () => {
    world = await create();
  });

  test('resolves files, directories and what is missing', async () => {
    await world.put('dir/a.txt', 'one\n');
    const found = await Promise.all(['dir/a.txt', 'dir', 'nope'].map(resolve));
    assert.deepEqual(
      found.map(({ type, exists, inside, display }) => ({ type, exists, inside, display })),
      [
        { type: 'file', exists: true, inside: true, display: 'dir/a.txt' },
        { type: 'directory', exists: true, inside: true, display: 'dir' },
        { type: 'missing', exists: false, inside: true, display: 'nope' },
      ],
    );
  });

  test('refuses an empty path and one with NUL', async () => {
    await assert.rejects(resolve(''), ToolError);
    await assert.rejects(resolve('a\0b'), ToolError);
  });

  test('reads the text with its line ends', async () => {
    await world.put('a.txt', 'one\r\ntwo\r\n');
    const { text, eol, dirty } = await read('a.txt');
    assert.deepEqual({ text, eol, dirty }, { text: 'one\r\ntwo\r\n', eol: '\r\n', dirty: false });
  });

  test('a missing file reads as an empty text without a hash', async () => {
    const { text, diskHash } = await read('nope.txt');
    assert.deepEqual({ text, diskHash }, { text: '', diskHash: null });
  });

  test('refuses to read more than the limit', async () => {
    await world.put('a.txt', 'x'.repeat(100));
    await assert.rejects(world.port.readText(await resolve('a.txt'), 50), ToolError);
  });

  test('lists one level', async () => {
    await world.put('dir/a.txt', 'one\n');
    await world.put('dir/deep/b.txt', 'two\n');
    const entries = [...(await world.port.list(await resolve('dir')))].sort((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual(entries, [
      { name: 'a.txt', kind: 'file', size: 4 },
      { name: 'deep', kind: 'directory', size: 0 },
    ]);
  });

  test('applies edits and saves them', async () => {
    await world.put('a.txt', 'one\ntwo\nthree\n');
    const edits = [
      { start: 0, end: 3, text: '1' },
      { start: 8, end: 13, text: '3' },
    ];
    const applied = await world.port.apply(await read('a.txt'), edits, never);
    assert.deepEqual(applied, { text: '1\ntwo\n3\n', saved: true, changedOnSave: false });
    assert.equal(await world.saved('a.txt'), '1\ntwo\n3\n');
  });

  test('what changed or went away since the snapshot is stale, and stays as it is', async () => {
    await world.put('a.txt', 'one\n');
    await world.put('b.txt', 'one\n');
    const [a, b] = [await read('a.txt'), await read('b.txt')];
    await world.put('a.txt', 'mine\n');
    await world.remove('b.txt');
    const edit = [{ start: 0, end: 3, text: '1' }];
    assert.equal(await world.port.apply(a, edit, never), 'stale');
    assert.equal(await world.port.apply(b, edit, never), 'stale');
    assert.deepEqual([await world.saved('a.txt'), await world.saved('b.txt')], ['mine\n', undefined]);
  });

  test('a stopped edit writes nothing', async () => {
    await world.put('a.txt', 'one\n');
    const snapshot = await read('a.txt');
    await assert.rejects(
      world.port.apply(snapshot, [{ start: 0, end: 3, text: '1' }], AbortSignal.abort()),
      CancelledError,
    );
    assert.equal(await world.saved('a.txt'), 'one\n');
  });

  test('creates a file with its directories, also an empty one', async () => {
    const create = async (path: string, text: string) => world.port.create(await resolve(path), text, never);
    assert.deepEqual(await create('new/deep/a.txt', 'x\n'), { text: 'x\n', saved: true, changedOnSave: false });
    await create('empty.txt', '');
    assert.deepEqual([await world.saved('new/deep/a.txt'), await world.saved('empty.txt')], ['x\n', '']);
  });

  test('does not create over a file that came meanwhile', async () => {
    const path: PathFacts = await resolve('a.txt');
    await world.put('a.txt', 'mine\n');
    assert.equal(await world.port.create(path, 'x\n', never), 'stale');
    assert.equal(await world.saved('a.txt'), 'mine\n');
  });

  test('creating where a file is known to be replaces its whole text', async () => {
    await world.put('a.txt', 'one\n');
    await world.port.create(await resolve('a.txt'), 'two\n', never);
    assert.equal(await world.saved('a.txt'), 'two\n');
  });
}
