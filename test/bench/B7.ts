/** Appending to a session of N messages, against a write and `fdatasync` of the same bytes. */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionLog } from '../../src/core/ports.ts';
import type { NewEntry } from '../../src/core/session/entries.ts';
import { compareQuietly, start, type Figure, type Options } from './harness.ts';
import { makeFolder, makeMessages, storeAt, writeSession } from './sessions.ts';

const APPENDS = 20;

/** The contender. */
export async function append(log: SessionLog, messages: readonly NewEntry[]): Promise<void> {
  for (const message of messages) await log.append(message);
}

async function run({ sizes, rounds }: Options): Promise<readonly Figure[]> {
  const dir = makeFolder();
  const figures: Figure[] = [];
  const times: number[] = [];
  const messages = makeMessages(APPENDS, false);
  const lines = messages.map((message) => Buffer.from(`${JSON.stringify(message)}\n`));
  const plain = await open(join(dir, 'plain'), 'a');
  for (const size of sizes) {
    writeSession(dir, `s${size}`, makeMessages(size, true));
    const log = await storeAt(dir).open(`s${size}`);
    const floor = async (): Promise<void> => {
      for (const line of lines) {
        await plain.write(line);
        await plain.datasync();
      }
    };
    const { floor: least, ours } = await compareQuietly({ floor, ours: () => append(log, messages) }, rounds);
    times.push(ours.min);
    figures.push({
      workload: `${size} messages`,
      ratio: ours.min / least.min,
      target: 1.2,
      ...(times.length < 2 ? {} : { growth: ours.min / (times[0] ?? Number.NaN), growthTarget: 1.1 }),
      heapMb: ours.heapMb,
      note: `${(ours.min / APPENDS).toFixed(2)} ms each; growth is against ${sizes[0]} messages`,
    });
    log.dispose();
  }
  await plain.close();
  rmSync(dir, { recursive: true, force: true });
  return figures;
}

if (require.main?.filename.endsWith('B7.js')) start('B7', [100, 1000, 10_000], run);
