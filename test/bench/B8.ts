/** The first screen of a session of N messages against reading its file; the list of 500 against reading one index file. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogStorePort } from '../../src/core/ports.ts';
import { createTranscript } from '../../src/core/session/transcript.ts';
import { compareQuietly, start, type Figure, type Options } from './harness.ts';
import { makeFolder, makeMessages, storeAt, writeSession } from './sessions.ts';

const SESSIONS = 500;
const presenter = {
  clientTitle: (name: string) => name,
  serverCall: (name: string) => ({ title: name, body: { kind: 'none' } as const, place: 'container' as const }),
  serverResult: () => ({ title: '', body: { kind: 'none' } as const, isError: false }),
};

/** The contender: the rows that are shown first. */
export async function firstScreen(store: LogStorePort, id: string): Promise<number> {
  const transcript = createTranscript(presenter);
  for (const entry of await store.tail(id)) transcript.apply({ type: 'entry', entry });
  return transcript.rows().length;
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  const dir = makeFolder();
  const figures: Figure[] = [];
  for (const size of sizes) {
    const path = writeSession(dir, `s${size}`, makeMessages(size, true));
    const store = storeAt(dir);
    assert.ok((await firstScreen(store, `s${size}`)) > 0);
    const contenders = {
      read: () => readFile(path),
      ours: () => firstScreen(store, `s${size}`),
      whole: async () => (await store.open(`s${size}`)).dispose(),
    };
    const { read, ours, whole } = await compareQuietly(contenders, rounds);
    figures.push({
      workload: `first screen of ${size} messages`,
      ratio: ours.min / read.min,
      target: 1,
      heapMb: ours.heapMb,
      note: `${ours.min.toFixed(1)} ms; the whole session ${whole.min.toFixed(0)} ms`,
    });
  }
  const list = join(dir, 'list');
  for (let i = 0; i < SESSIONS; i++) writeSession(dir, `t${i}`, makeMessages(20, false));
  const store = storeAt(dir);
  writeFileSync(list, JSON.stringify(await store.list()));
  const contenders = {
    index: async () => JSON.parse(await readFile(list, 'utf8')) as unknown,
    again: () => store.list(),
    first: () => storeAt(dir).list(),
  };
  const { index, again, first } = await compareQuietly(contenders, rounds);
  figures.push(
    {
      workload: `list of ${SESSIONS} sessions, again`,
      ratio: again.min / index.min,
      target: 2,
      note: `${again.min.toFixed(1)} ms`,
    },
    {
      workload: `list of ${SESSIONS} sessions, first time`,
      ratio: first.min / index.min,
      target: 2,
      note: `${first.min.toFixed(1)} ms`,
    },
  );
  rmSync(dir, { recursive: true, force: true });
  return figures;
}

if (require.main?.filename.endsWith('B8.js')) start('B8', [100, 1000, 10_000], run);
