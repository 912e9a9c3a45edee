/**
 * A window of its own for the tests of the session log: `<dir> <session> append|hold|share`. It says `writer` or `reader`,
 * and then each text whose append was acknowledged, one per line. `append` never ends; `hold` ends with its input; `share`
 * opens and closes the session until it has written its 400.
 */
import { writeSync } from 'node:fs';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { createLogStore } from '../../../src/node/logStore.ts';
import type { LogStorePort } from '../../../src/core/ports.ts';
import type { NewEntry } from '../../../src/core/session/entries.ts';

const [dir = '', session = '', mode = ''] = process.argv.slice(2);
const say = (text: string): void => void writeSync(1, `${text}\n`);
const logger = { info: () => {}, warn: () => {}, error: () => {}, trace: () => {} };

const SHARE = 400;
/** As many as it writes before it lets the other window have the session. */
const TURN = 80;

async function share(store: LogStorePort): Promise<void> {
  for (let n = 0; n < SHARE;) {
    const log = await store.open(session);
    const end = log.readOnly ? n : n + TURN;
    for (; n < end; n++) {
      const text = `${process.pid}-${n}`;
      await log.append({ type: 'userMessage', content: [{ type: 'text', text }], text });
      say(text);
    }
    log.dispose();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function main(): Promise<void> {
  const store = createLogStore({ dir, clock: createClock(), ids: createIds(), logger, secrets: () => [] });
  if (mode === 'share') return share(store);
  const log = await store.open(session);
  say(log.readOnly ? 'reader' : 'writer');
  const append = async (n: number): Promise<void> => {
    const text = `${process.pid}-${n}`;
    const filler = 'x\u2028'.repeat(n % 7 === 0 ? 40_000 : n % 50);
    const entry: NewEntry = { type: 'userMessage', content: [{ type: 'text', text: filler }], text };
    await log.append(entry);
    say(text);
  };
  if (mode === 'append') {
    for (let n = 0; ; n += 3) await Promise.all([append(n), append(n + 1), append(n + 2)]);
  }
  if (!log.readOnly) await append(1);
  process.stdin.on('end', () => log.dispose()).resume();
}

main().catch((error: unknown) => {
  say(`error ${String(error)}`);
  process.exitCode = 1;
});
