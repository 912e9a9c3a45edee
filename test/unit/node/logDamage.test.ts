import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import fc from 'fast-check';
import { UserError } from '../../../src/core/errors.ts';
import { LOG_VERSION, type LogEntry } from '../../../src/core/session/entries.ts';
import { parseLog } from '../../../src/node/log/parseLog.ts';
import { assertChain, isThere, logBench, said, textsOf, type LogBench } from './logSupport.ts';

let bench: LogBench;

suite('damaged session log', function () {
  this.timeout(60_000);

  setup(async () => (bench = await logBench()));
  teardown(() => bench.end());

  /** A session of three messages, its lines with their line feeds. */
  async function three(): Promise<{ id: string; lines: Buffer[]; entries: readonly LogEntry[] }> {
    const { id, entries } = await bench.written('one', 'two ü\u2028', 'three');
    const raw = await fs.readFile(bench.path(id));
    const lines: Buffer[] = [];
    for (let start = 0; start < raw.length;) {
      const end = raw.indexOf(10, start) + 1;
      lines.push(raw.subarray(start, end));
      start = end;
    }
    assert.equal(lines.length, 4);
    return { id, lines, entries };
  }

  async function reopened(id: string, ...parts: readonly (Uint8Array | string)[]): ReturnType<typeof openAgain> {
    await fs.writeFile(bench.path(id), Buffer.concat(parts.map((part) => Buffer.from(part as string))));
    return openAgain(id);
  }
  const openAgain = (id: string) => bench.store().open(id);

  test('cut at every byte of its last line loses that line at most, says so, and can be written again [XD4]', async () => {
    const { id, lines } = await three();
    const last = lines[3] as Buffer;
    for (let cut = 0; cut <= last.length; cut++) {
      const log = await reopened(id, ...lines.slice(0, 3), last.subarray(0, cut));
      const whole = cut >= last.length - 1; // without its line feed it is whole
      assert.deepEqual(textsOf(log.entries()), ['one', 'two ü\u2028', ...(whole ? ['three'] : [])], `cut at ${cut}`);
      assert.equal(log.repairs.length, whole || cut === 0 ? 0 : 1, `cut at ${cut}`);
      await log.append(said('four'));
      await bench.close(log);
      const again = await openAgain(id);
      assert.deepEqual(textsOf(again.entries()), textsOf(log.entries()), `cut at ${cut}`);
      assert.deepEqual(again.repairs, []);
      assertChain(again.entries());
      await bench.close(again);
    }
  });

  test('cut at every byte of the whole file opens with all whole lines', async () => {
    const { lines, entries } = await three();
    const raw = Buffer.concat(lines);
    for (let cut = 0; cut <= raw.length; cut++) {
      const parsed = parseLog(raw.subarray(0, cut));
      const ends = lines.map((_, i) => Buffer.concat(lines.slice(0, i + 1)).length - 1);
      const whole = ends.filter((end) => end <= cut).length;
      assert.deepEqual(parsed.entries, entries.slice(0, Math.max(0, whole - 1)), `cut at ${cut}`);
    }
  });

  test('with a header that was cut by a kill gets a new one', async () => {
    const { id, lines } = await three();
    for (const cut of [0, 1, 20, (lines[0]?.length ?? 0) - 2]) {
      const log = await reopened(id, (lines[0] as Buffer).subarray(0, cut));
      assert.equal(log.readOnly, false);
      await log.append(said('new'));
      await bench.close(log);
      const again = await openAgain(id);
      assert.deepEqual([textsOf(again.entries()), again.repairs, again.header.id], [['new'], [], id]);
      await bench.close(again);
    }
  });

  test('skips a garbage line in the middle, names it, and leaves it in the file [XD4]', async () => {
    const { id, lines } = await three();
    for (const garbage of [
      '}{',
      'null',
      '[]',
      '"text"',
      '{"type":"userMessage"}',
      'x'.repeat(100_000),
      '{"id":"a',
      '\xff\xfe',
    ]) {
      const log = await reopened(id, ...lines.slice(0, 2), `${garbage}\n`, ...lines.slice(2));
      assert.deepEqual(textsOf(log.entries()), ['one', 'two ü\u2028', 'three'], garbage.slice(0, 30));
      assert.equal(log.repairs.length, 1);
      assert.match(log.repairs[0] ?? '', /3/);
      await log.append(said('four'));
      await bench.close(log);
      assert.ok((await fs.readFile(bench.path(id), 'utf8')).includes(Buffer.from(garbage).toString()));
    }
  });

  test('skips an entry of a known type whose fields are not there', async () => {
    const { id, lines, entries } = await three();
    const bad = JSON.stringify({
      id: 'b',
      parentId: entries[2]?.id,
      at: '2026-01-01T00:00:00Z',
      type: 'userMessage',
      text: 'x',
    });
    const log = await reopened(id, ...lines, `${bad}\n`);
    assert.deepEqual(textsOf(log.entries()), ['one', 'two ü\u2028', 'three']);
    assert.equal(log.repairs.length, 1);
  });

  test('names five damaged lines and counts the others', async () => {
    const { id, lines } = await three();
    const log = await reopened(id, ...lines, 'bad\n'.repeat(40));
    assert.equal(log.repairs.length, 6);
    assert.match(log.repairs[5] ?? '', /35/);
  });

  test('survives a block of NUL bytes at the end, in the middle and before an entry [XD4]', async () => {
    const { id, lines, entries } = await three();
    const nul = Buffer.alloc(4096);
    const atEnd = await reopened(id, ...lines, nul);
    assert.deepEqual([atEnd.entries(), atEnd.repairs.length], [entries, 1]);
    await atEnd.append(said('four'));
    await bench.close(atEnd);
    const after = await openAgain(id);
    assert.deepEqual([textsOf(after.entries()).at(-1), after.repairs], ['four', []]);
    await bench.close(after);
    const before = await reopened(id, ...lines.slice(0, 3), nul, lines[3] as Buffer);
    assert.deepEqual(before.entries(), entries);
    await bench.close(before);
    const alone = await reopened(id, ...lines.slice(0, 3), nul, '\n', lines[3] as Buffer);
    assert.deepEqual([alone.entries(), alone.repairs.length], [entries, 1]);
  });

  test('finds the entries in a line that has lost its line feed, or the end of a record [XD4]', async () => {
    const { id, lines, entries } = await three();
    const [header, one, two, last] = lines as [Buffer, Buffer, Buffer, Buffer];
    const glued = await reopened(id, header, one.subarray(0, -1), two.subarray(0, -1), last);
    assert.deepEqual(glued.entries(), entries);
    await bench.close(glued);
    for (let cut = 1; cut < two.length - 1; cut++) {
      const parsed = parseLog(Buffer.concat([header, one, two.subarray(0, cut), last]));
      assert.deepEqual(parsed.entries, [entries[0], entries[2]], `cut at ${cut}`);
      assert.equal(parsed.repairs.length, 1);
    }
    const tail = parseLog(Buffer.concat([header, one.subarray(0, -1), two.subarray(0, 50)]));
    assert.deepEqual(
      [tail.entries, tail.unterminated],
      [[entries[0]], true],
      'a tail with a whole record in it is not cut',
    );
  });

  test('does not take a nested object for a record', async () => {
    const { id, lines } = await three();
    const inner = '{"id":"forged","parentId":null,"at":"x","type":"userMessage","content":[],"text":"forged"}';
    const quoted = `{"id":"q","parentId":null,"at":"x","type":"userMessage","content":[{"type":"text","text":${JSON.stringify(inner)}`;
    const log = await reopened(id, ...lines, `${quoted}\n`);
    assert.ok(!textsOf(log.entries()).includes('forged'));
  });

  test('counts an entry that is there twice once', async () => {
    const { id, lines, entries } = await three();
    const log = await reopened(id, ...lines, lines[3] as Buffer);
    assert.deepEqual(log.entries(), entries);
  });

  test('takes a byte order mark and CRLF from an editor', async () => {
    const { id, lines, entries } = await three();
    const log = await reopened(id, `\uFEFF${Buffer.concat(lines).toString().replaceAll('\n', '\r\n')}`);
    assert.deepEqual([log.entries(), log.repairs, log.header.folders], [entries, [], ['file:///w']]);
  });

  test('opens a session of a newer version read-only and leaves the file as it is [XD5]', async () => {
    const { id, lines } = await three();
    const header = JSON.stringify({
      type: 'session',
      v: LOG_VERSION + 1,
      id,
      created: '2026-01-01',
      folders: [],
      more: 1,
    });
    const log = await reopened(id, `${header}\n`, ...lines.slice(1), 'torn');
    const before = await fs.readFile(bench.path(id));
    assert.deepEqual([log.readOnly, textsOf(log.entries()).length], [true, 3]);
    assert.ok(log.repairs.some((text) => /newer/.test(text)));
    await assert.rejects(log.append(said('x')), UserError);
    await bench.close(log);
    assert.deepEqual(await fs.readFile(bench.path(id)), before);
    assert.equal(await isThere(`${bench.path(id)}.lock`), false);
  });

  test('opens a file that is no session read-only and leaves it as it is', async () => {
    await fs.writeFile(bench.path('foreign'), 'a\nb\nc');
    const log = await openAgain('foreign');
    assert.equal(log.readOnly, true);
    assert.ok(log.repairs.length > 0);
    assert.equal(await fs.readFile(bench.path('foreign'), 'utf8'), 'a\nb\nc');
  });

  test('keeps the entries when the header is damaged', async () => {
    const { id, lines, entries } = await three();
    const log = await reopened(id, 'garbage\n', ...lines.slice(1));
    assert.deepEqual([log.entries(), log.readOnly, log.header.id], [entries, false, id]);
    assert.equal(log.repairs.length, 1);
  });

  test('opens whatever bytes are in the file, and can be written after it', async () => {
    const { id, lines } = await three();
    const raw = Buffer.concat(lines);
    const hit = fc.record({ at: fc.nat(raw.length), length: fc.nat(40), bytes: fc.uint8Array({ maxLength: 40 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(hit, { minLength: 1, maxLength: 4 }), async (hits) => {
        let damaged = raw;
        for (const { at, length, bytes } of hits) {
          damaged = Buffer.concat([damaged.subarray(0, at), bytes, damaged.subarray(at + length)]);
        }
        const log = await reopened(id, damaged);
        if (!log.readOnly) await log.append(said('after'));
        await bench.close(log);
        const again = await openAgain(id);
        assert.deepEqual(again.entries(), log.entries());
        await bench.close(again);
      }),
      { numRuns: 150 },
    );
  });
});
