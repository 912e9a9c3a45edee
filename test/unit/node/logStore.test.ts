import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../../src/core/errors.ts';
import type { LogStorePort, SessionLog } from '../../../src/core/ports.ts';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { createLogStore, type LogStoreOptions } from '../../../src/node/logStore.ts';
import { fakeClock, fakeLogger } from '../../support/fakes.ts';

let dir = '';
const open: SessionLog[] = [];

function store(options: Partial<LogStoreOptions> = {}): LogStorePort {
  const real = createLogStore({
    dir: join(dir, 'sessions'),
    clock: createClock(),
    ids: createIds(),
    logger: fakeLogger(),
    secrets: () => [],
    ...options,
  });
  return {
    create: async (folders) => keep(await real.create(folders)),
    open: async (id) => keep(await real.open(id)),
    list: () => real.list(),
  };
}

function keep(log: SessionLog): SessionLog {
  open.push(log);
  return log;
}

const said = (text: string): NewEntry => ({ type: 'userMessage', content: [{ type: 'text', text }], text });
const fileOf = (id: string): string => join(dir, 'sessions', `${id}.jsonl`);

async function written(texts: readonly string[]): Promise<{ id: string; entries: readonly LogEntry[] }> {
  const log = await store().create(['file:///w']);
  for (const text of texts) await log.append(said(text));
  const { id } = log.header;
  const entries = log.entries();
  log.dispose();
  await until(() => !existsSync(`${fileOf(id)}.lock`));
  return { id, entries };
}

async function until(done: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !done(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(done());
}

suite('session log', () => {
  setup(async () => (dir = await fs.mkdtemp(join(tmpdir(), 'log-'))));
  teardown(async () => {
    for (const log of open.splice(0)) log.dispose();
    await until(() => !existsSync(join(dir, 'sessions')) || true);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await fs.rm(dir, { recursive: true, force: true, maxRetries: 3 });
  });

  test('gives back after reopening what was appended, as a chain of parents', async () => {
    const { id, entries } = await written(['one', 'two', 'three']);
    const again = await store().open(id);
    assert.deepEqual(again.entries(), entries);
    assert.deepEqual(
      entries.map(({ parentId }) => parentId),
      [null, entries[0]?.id, entries[1]?.id],
    );
    assert.deepEqual(again.repairs, []);
    assert.equal(again.readOnly, false);
    assert.deepEqual(again.header.folders, ['file:///w']);
  });

  test('keeps the order of appends that were not awaited, and chains them', async () => {
    const log = await store().create([]);
    const texts = Array.from({ length: 50 }, (_, i) => `m${i}`);
    const done = await Promise.all(texts.map((text) => log.append(said(text))));
    assert.deepEqual(
      log.entries().map((entry) => entry.type === 'userMessage' && entry.text),
      texts,
    );
    assert.deepEqual(done, log.entries());
    assert.ok(done.every((entry, i) => entry.parentId === (done[i - 1]?.id ?? null)));
  });
});
