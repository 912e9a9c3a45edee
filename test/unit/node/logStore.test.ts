import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';
import { nodeFs } from '../../../src/node/log/logFs.ts';
import { fakeClock } from '../../support/fakes.ts';
import { assertChain, logBench, said, textsOf, type LogBench } from './logSupport.ts';

let bench: LogBench;

suite('session log', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  test('gives back after reopening what was appended, as a chain of parents [I4]', async () => {
    const { id, entries } = await bench.written('one', 'two', 'three');
    const again = await bench.store().open(id);
    assert.deepEqual(again.entries(), entries);
    assert.deepEqual(textsOf(entries), ['one', 'two', 'three']);
    assertChain(entries);
    assert.deepEqual([again.repairs, again.readOnly, again.header.folders], [[], false, ['file:///w']]);
  });

  test('goes on after reopening where the chain ended', async () => {
    const { id } = await bench.written('one', 'two');
    const again = await bench.store().open(id);
    await again.append(said('three'));
    assert.deepEqual(textsOf(again.entries()), ['one', 'two', 'three']);
    assertChain(again.entries());
  });

  test('keeps the order of appends that were not awaited, and chains them', async () => {
    const log = await bench.store().create([]);
    const texts = Array.from({ length: 50 }, (_, i) => `m${i}`);
    const done = await Promise.all(texts.map((text) => log.append(said(text))));
    assert.deepEqual(textsOf(log.entries()), texts);
    assert.deepEqual(done, log.entries());
    assertChain(done);
  });

  test('asks for one fdatasync per group of concurrent appends, and for one write per entry', async () => {
    const calls: string[] = [];
    const log = await bench.store({ fs: counting(calls) }).create([]);
    calls.length = 0;
    await Promise.all(Array.from({ length: 20 }, (_, i) => log.append(said(`m${i}`))));
    assert.deepEqual(
      [calls.filter((call) => call === 'write').length, calls.filter((call) => call === 'datasync').length],
      [20, 1],
    );
  });

  test('is durable when append resolves: the sync comes between the write and the answer', async () => {
    const calls: string[] = [];
    const log = await bench.store({ fs: counting(calls) }).create([]);
    calls.length = 0;
    await log.append(said('x'));
    calls.push('answered');
    assert.deepEqual(calls, ['write', 'datasync', 'answered']);
  });

  test('keeps line separators of Unicode, NUL, lone surrogates and line ends inside an entry', async () => {
    const text = 'a\u2028b\u2029c\u0085d\r\ne\0f\ud800g\n\u{1F600}';
    const { id } = await bench.written(text);
    const again = await bench.store().open(id);
    assert.deepEqual(textsOf(again.entries()), [text]);
    assert.deepEqual(again.repairs, []);
  });

  test('hands out snapshots: an array from before does not grow', async () => {
    const log = await bench.store().create([]);
    await log.append(said('one'));
    const before = log.entries();
    await log.append(said('two'));
    assert.deepEqual([before.length, log.entries().length], [1, 2]);
  });

  test('does not let a caller change what is written by changing the entry later', async () => {
    const log = await bench.store().create([]);
    const content = [{ type: 'text' as const, text: 'before' }];
    const done = log.append({ type: 'userMessage', content, text: 'before' });
    content[0] = { type: 'text', text: 'after' };
    assert.deepEqual(await done, { ...(await done), content: [{ type: 'text', text: 'before' }] });
  });

  test('orders by position when the clock jumps back [XD7]', async () => {
    const clock = fakeClock();
    const log = await bench.store({ clock }).create([]);
    await log.append(said('one'));
    clock.jump(-3_600_000);
    await log.append(said('two'));
    await bench.close(log);
    const again = await bench.store().open(log.header.id);
    assert.deepEqual(textsOf(again.entries()), ['one', 'two']);
  });

  test('gives folder and files to their owner only', async function () {
    if (process.platform === 'win32') this.skip();
    const { id } = await bench.written('x');
    assert.equal((await fs.stat(bench.dir)).mode & 0o777, 0o700);
    assert.equal((await fs.stat(bench.path(id))).mode & 0o777, 0o600);
  });

  test('keeps entries of a type that it does not know [XD5]', async () => {
    const { id, entries } = await bench.written('one');
    const stranger = { id: 'x1', parentId: entries[0]?.id, at: '2026-01-01T00:00:00.000Z', type: 'holiday', data: [1] };
    await fs.appendFile(bench.path(id), `${JSON.stringify(stranger)}\n`);
    const again = await bench.store().open(id);
    assert.deepEqual(again.entries()[1], stranger);
    assert.deepEqual(again.repairs, []);
    assert.equal((await again.append(said('two'))).parentId, 'x1');
  });

  test('refuses an entry of more than 16 MB and goes on', async () => {
    const log = await bench.store().create([]);
    await assert.rejects(log.append(said('x'.repeat(9_000_000))), UserError); // twice in the entry
    await log.append(said('small'));
    assert.deepEqual(textsOf(log.entries()), ['small']);
    assertChain(log.entries());
  });

  test('refuses an entry that is nested too deep and goes on', async () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const log = await bench.store().create([]);
    await assert.rejects(log.append({ type: 'titleSet', title: 'x', deep } as NewEntry), UserError);
    await log.append(said('small'));
    assert.deepEqual(textsOf(log.entries()), ['small']);
  });

  test('refuses an unknown session, and an id that would be a path', async () => {
    const dir = join(bench.dir, 'inner');
    const log = await bench.store().create([]);
    await bench.close(log);
    await fs.mkdir(dir);
    for (const id of [
      'nope',
      '',
      `../${log.header.id}`,
      '..',
      'a/b',
      'a\\b',
      'x\0',
      'C:x',
      'a'.repeat(200),
      '__proto__',
    ]) {
      await assert.rejects(bench.store({ dir }).open(id), UserError, id);
    }
    assert.deepEqual(await fs.readdir(dir), []);
  });

  test('does not follow a link that lies where a session should [XD8]', async function () {
    if (process.platform === 'win32') this.skip();
    const { id } = await bench.written('x');
    await fs.symlink(bench.path(id), bench.path('link'));
    await assert.rejects(bench.store().open('link'), UserError);
  });

  test('says so when the folder can not be made [XD8]', async () => {
    await fs.writeFile(join(bench.dir, 'file'), '');
    await assert.rejects(bench.store({ dir: join(bench.dir, 'file', 'sessions') }).create([]), UserError);
  });

  test('says so when the folder can not be read, and goes nowhere else [XD8]', async () => {
    const { id } = await bench.written('x');
    const before = await fs.readdir(bench.dir);
    const refused = () => Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' }));
    // As a folder without rights for this user; root, which tests may run as, may do everything.
    const shut = {
      ...nodeFs,
      readdir: refused,
      open: refused,
      readFile: refused,
      mkdir: refused,
    } as unknown as typeof nodeFs;
    const store = bench.store({ fs: shut });
    await assert.rejects(store.list(), (error) => error instanceof UserError && error.message.includes('EACCES'));
    await assert.rejects(store.create([]), UserError);
    await assert.rejects(store.open(id), UserError);
    assert.deepEqual(await fs.readdir(bench.dir), before);
  });

  test('works below a home folder whose name has 200 characters [XD8]', async () => {
    const dir = join(bench.dir, 'h'.repeat(200), 'globalStorage', 'sessions');
    const log = await bench.store({ dir }).create([]);
    await log.append(said('far down'));
    await bench.close(log);
    const again = await bench.store({ dir }).open(log.header.id);
    assert.deepEqual([again.readOnly, textsOf(again.entries())], [false, ['far down']]);
    assert.deepEqual(
      (await bench.store({ dir }).list()).map(({ title }) => title),
      ['far down'],
    );
  });

  test('says so when the file was deleted meanwhile, instead of writing into nothing', async function () {
    if (process.platform === 'win32') this.skip();
    const log = await bench.store().create([]);
    await log.append(said('one'));
    await fs.rm(bench.path(log.header.id));
    await assert.rejects(log.append(said('two')), UserError);
    assert.deepEqual(textsOf(log.entries()), ['one']);
  });

  test('refuses to write after the file was changed from outside, and leaves that change', async () => {
    const log = await bench.store().create([]);
    await log.append(said('one'));
    await fs.appendFile(bench.path(log.header.id), 'note\n');
    await assert.rejects(log.append(said('two')), UserError);
    assert.match(await fs.readFile(bench.path(log.header.id), 'utf8'), /note\n$/);
  });

  test('writes what is queued before it closes, and refuses what comes after [XD17]', async () => {
    const log = await bench.store().create([]);
    const done = Promise.all([log.append(said('one')), log.append(said('two'))]);
    log.dispose();
    await assert.rejects(log.append(said('three')), UserError);
    await done;
    await bench.close(log);
    assert.deepEqual(textsOf((await bench.store().open(log.header.id)).entries()), ['one', 'two']);
  });
});

suite('session log: credentials', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  const key = `sk-ant-api03-${'aB3-_x'.repeat(12)}`;

  test('never reach the disk, wherever in the entry they are', async () => {
    const secret = 'p"ass\\word-ü-123';
    const log = await bench.store({ secrets: () => [secret] }).create([]);
    const block = { type: 'tool_use', id: 't', name: 'bash', input: { [key]: [`echo ${key}`, { deep: secret }] } };
    await log.append({ type: 'assistantBlock', messageId: 'm', index: 0, block } as unknown as NewEntry);
    await log.append(said(`my key is ${key} and ${secret}`));
    const raw = await fs.readFile(bench.path(log.header.id), 'utf8');
    for (const form of [key, key.slice(7), secret, JSON.stringify(secret).slice(1, -1)])
      assert.ok(!raw.includes(form), form);
    for (const line of raw.trimEnd().split('\n')) JSON.parse(line);
  });

  test('are not in memory either, so that a request is the same before and after a restart', async () => {
    const log = await bench.store().create([]);
    await log.append(said(`key ${key}`));
    await bench.close(log);
    assert.deepEqual((await bench.store().open(log.header.id)).entries(), log.entries());
  });

  test('are read anew for each entry: a key that is set later is taken out too', async () => {
    const secrets: string[] = [];
    const log = await bench.store({ secrets: () => secrets }).create([]);
    secrets.push('later-secret');
    await log.append(said('this is later-secret'));
    assert.ok(!(await fs.readFile(bench.path(log.header.id), 'utf8')).includes('later-secret'));
  });

  test('taking them out leaves code alone that only names headers or shows a pattern of a key', async () => {
    const code = `headers = { 'x-api-key': apiKey, authorization: "Bearer " + token } // looks like sk-ant-...`;
    const log = await bench.store().create([]);
    await log.append(said(code));
    assert.deepEqual(textsOf(log.entries()), [code]);
  });
});

suite('session list', () => {
  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  async function session(at: number, ...entries: readonly NewEntry[]): Promise<string> {
    const log = await bench.store({ clock: fakeClock({ start: at }) }).create([]);
    for (const entry of entries) await log.append(entry);
    await bench.close(log);
    return log.header.id;
  }
  const day = (n: number): number => Date.UTC(2026, 0, n);

  test('is newest first, with the last title or the first message [I2]', async () => {
    const old = await session(day(1), said('  first\n message '), said('second'));
    const titled = await session(day(3), said('x'), { type: 'titleSet', title: 'A' }, { type: 'titleSet', title: 'B' });
    const middle = await session(day(2), said('middle'));
    assert.deepEqual(await bench.store().list(), [
      { id: titled, title: 'B', updated: new Date(day(3)).toISOString() },
      { id: middle, title: 'middle', updated: new Date(day(2)).toISOString() },
      { id: old, title: 'first message', updated: new Date(day(1)).toISOString() },
    ]);
  });

  test('is empty without a folder, and leaves out sessions in which nothing was said', async () => {
    assert.deepEqual(await bench.store({ dir: join(bench.dir, 'none') }).list(), []);
    await session(day(1));
    assert.deepEqual(await bench.store().list(), []);
  });

  test('shows a damaged file by its id instead of hiding it [I2]', async () => {
    await fs.writeFile(bench.path('broken'), 'no session\n\0\0\0');
    await fs.mkdir(bench.path('folder'));
    await fs.writeFile(join(bench.dir, 'notes.txt'), 'x');
    const listed = await bench.store().list();
    assert.deepEqual(listed.map(({ id }) => id).sort(), ['broken', 'folder']);
    assert.equal(listed.find(({ id }) => id === 'broken')?.title, 'broken');
  });

  test('reads the two ends of a large file and never the whole [I5]', async () => {
    const big = await session(day(1), said('start'), said('x'.repeat(3_000_000)), { type: 'titleSet', title: 'end' });
    const calls: string[] = [];
    const bytes: number[] = [];
    assert.deepEqual(await bench.store({ fs: counting(calls, bytes) }).list(), [
      { id: big, title: 'end', updated: new Date(day(1)).toISOString() },
    ]);
    assert.ok(bytes.reduce((a, b) => a + b, 0) <= 2 * 64 * 1024);
    assert.ok(!calls.includes('readFile'));
  });

  test('finds a title where the two ends meet, at every size around them', async () => {
    for (const size of [64, 127, 128, 129].map((kib) => kib * 1024)) {
      for (const delta of [-700, -300, 0, 300]) {
        const id = await session(day(1), said('x'.repeat(Math.floor((size + delta) / 2))), {
          type: 'titleSet',
          title: 'T',
        });
        assert.equal((await bench.store().list()).find((summary) => summary.id === id)?.title, 'T', `${size} ${delta}`);
        await fs.rm(bench.path(id));
      }
    }
  });

  test('shows the beginning of a first message that is larger than what is read', async () => {
    const id = await session(day(1), said(`A \u2028"long"\\ one ${'x'.repeat(500_000)}`));
    const title = (await bench.store().list())[0]?.title ?? '';
    assert.match(title, /^A "long"\\ one xxx/);
    assert.ok(title.length <= 80 && title !== id);
  });
});

/** The real file system, with the calls that matter written down. */
function counting(calls: string[], bytes: number[] = []): typeof nodeFs {
  return {
    ...nodeFs,
    readFile: ((path: string, ...rest: []) => {
      if (path.endsWith('.jsonl')) calls.push('readFile');
      return nodeFs.readFile(path, ...rest);
    }) as typeof nodeFs.readFile,
    open: async (path, flags, mode) => {
      const handle = await nodeFs.open(path, flags, mode);
      const { write, datasync, read } = handle;
      Object.assign(handle, {
        write: (...args: Parameters<typeof write>) => (calls.push('write'), write.apply(handle, args)),
        datasync: () => (calls.push('datasync'), datasync.call(handle)),
        read: async (...args: Parameters<typeof read>) => {
          const result = await read.apply(handle, args);
          bytes.push(result.bytesRead);
          return result;
        },
      });
      return handle;
    },
  };
}
