import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { createInventory } from '../../../src/node/attachments/inventory.ts';
import { nodeFs, type LogFs } from '../../../src/node/log/logFs.ts';
import { logBench, said, type LogBench } from './logSupport.ts';

const hashOf = (letter: string): string => letter.repeat(64);

function stored(fileId: string, letter: string, more: object = {}): NewEntry {
  const file = { callId: 'srvtoolu_1', fileId, name: `${fileId}.csv`, mimeType: 'text/csv', size: 7 };
  return { type: 'attachmentStored', ...file, hash: hashOf(letter), ...more };
}

suite('the inventory of attachments', () => {
  let bench: LogBench;
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  async function session(...entries: readonly NewEntry[]): Promise<string> {
    const log = await bench.store().create([]);
    for (const entry of entries) await log.append(entry);
    await bench.close(log);
    return log.header.id;
  }

  const read = async (fs?: LogFs) => createInventory(bench.dir, fs).read();

  test('has the files of every session, newest first, each as its newest entry says [H4]', async () => {
    const a = await session(said('x'), stored('file_1', 'a'), stored('file_2', 'b'));
    const b = await session(stored('file_3', 'c'), stored('file_3', 'd', { failure: '503' }));
    const found = new Map((await read()).map((one) => [one.sessionId, one.files]));
    assert.deepEqual(
      found.get(a)?.map(({ fileId, sessionId }) => [fileId, sessionId]),
      [
        ['file_2', a],
        ['file_1', a],
      ],
    );
    assert.deepEqual(
      found.get(b)?.map(({ hash, failure }) => [hash, failure]),
      [[hashOf('d'), '503']],
    );
  });

  test('needs what a log names beside those files, and no more', async () => {
    const input = { type: 'inputUploaded', hash: hashOf('e') } as unknown as NewEntry;
    await session(stored('file_1', 'a'), said(`"hash":"${hashOf('f')}"`), input, stored('file_1', 'b'));
    const [found] = await read();
    assert.deepEqual([...(found?.needs ?? [])], [hashOf('e')], 'a text that looks so is escaped in the log');
  });

  test('takes what stands in damaged lines for needed', async () => {
    const id = await session(stored('file_1', 'a'), stored('file_2', 'b'));
    const text = await fs.readFile(bench.path(id), 'utf8');
    await fs.writeFile(bench.path(id), text.replace('"file_1","name"', '"file_1""name"'));
    const [found] = await read();
    assert.deepEqual(
      [found?.files.map(({ fileId }) => fileId), [...(found?.needs ?? [])]],
      [['file_2'], [hashOf('a')]],
    );
  });

  test('reads only what was appended since, a line that was half written included', async () => {
    const id = await session(stored('file_1', 'a'));
    const reads: number[] = [];
    const watched: LogFs = {
      ...nodeFs,
      open: async (...args) => {
        const file = await nodeFs.open(...args);
        const plain = file.read.bind(file) as (...rest: unknown[]) => Promise<unknown>;
        return Object.assign(file, { read: (...rest: unknown[]) => (reads.push(Number(rest[3])), plain(...rest)) });
      },
    };
    const inventory = createInventory(bench.dir, watched);
    await inventory.read();
    const before = (await fs.stat(bench.path(id))).size;
    const line = (await fs.readFile(bench.path(id), 'utf8')).trimEnd().split('\n').at(-1) ?? '';
    const next = `${line.replaceAll('file_1', 'file_2').replace(hashOf('a'), hashOf('b'))}\n`;
    await fs.appendFile(bench.path(id), next.slice(0, -2));
    assert.deepEqual(
      [...((await inventory.read())[0]?.needs ?? [])],
      [hashOf('b')],
      'not whole yet: kept all the same',
    );
    await fs.appendFile(bench.path(id), next.slice(-2));
    reads.length = 0;
    const [found] = await inventory.read();
    assert.deepEqual([found?.files.map(({ fileId }) => fileId), found?.needs.size], [['file_2', 'file_1'], 0]);
    assert.ok(
      reads.every((at) => at >= before),
      String(reads),
    );
    reads.length = 0;
    await inventory.read();
    assert.deepEqual(reads, [], 'nothing new, nothing read');
  });

  test('counts a hash once wherever the borders of its chunks lie', async () => {
    const id = await session(stored('file_1', 'a'));
    const text = await fs.readFile(bench.path(id), 'utf8');
    const mark = text.indexOf('"hash"');
    for (const shift of [0, 1, 5, 8, 40, 71, 72, 73]) {
      const filler = `{"x":"${'y'.repeat(256 * 1024 - mark - shift - 9)}"}\n`;
      await fs.writeFile(bench.path(id), filler + text);
      const [found] = await read();
      assert.deepEqual([found?.files.length, found?.needs.size], [1, 0], `shift ${shift}`);
    }
  });

  test('does not hold long lines, nor a large log, in memory', async () => {
    const id = await session(stored('file_1', 'a'));
    const text = await fs.readFile(bench.path(id), 'utf8');
    await fs.appendFile(bench.path(id), '{"x":"');
    await fs.truncate(bench.path(id), 32 * 1024 * 1024);
    await fs.appendFile(bench.path(id), `\n${text.replace('file_1', 'file_2').replace('"id":"', '"id":"z')}`);
    const before = process.memoryUsage().rss;
    const [found] = await read();
    assert.equal(found?.files.length, 2);
    const grown = (process.memoryUsage().rss - before) / 2 ** 20;
    assert.ok(grown < 16, `${grown.toFixed(0)} MB`);
  });

  test('has nothing where there are no sessions, and leaves out those that went', async () => {
    assert.deepEqual(await createInventory(`${bench.dir}/none`).read(), []);
    const id = await session(stored('file_1', 'a'));
    const inventory = createInventory(bench.dir);
    assert.equal((await inventory.read()).length, 1);
    await fs.rm(bench.path(id));
    assert.deepEqual(await inventory.read(), []);
  });

  test('says when a log can’t be read: that is not an empty one', async () => {
    await session(stored('file_1', 'a'));
    const broken: LogFs = { ...nodeFs, open: () => Promise.reject(Object.assign(new Error(), { code: 'EACCES' })) };
    await assert.rejects(read(broken), { code: 'EACCES' });
  });
});
