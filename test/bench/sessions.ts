import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogStorePort } from '../../src/core/ports.ts';
import type { NewEntry } from '../../src/core/session/entries.ts';
import { createClock } from '../../src/node/clock.ts';
import { createIds } from '../../src/node/ids.ts';
import { createLogStore } from '../../src/node/logStore.ts';
import { random } from './harness.ts';

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'loopdock-bench-'));
}

export function storeAt(dir: string): LogStorePort {
  const logger = { info: () => undefined, warn: () => undefined, trace: () => undefined, error: () => undefined };
  return createLogStore({ dir, clock: createClock(), ids: createIds(), logger, secrets: () => [] });
}

/** Messages of about 2 KB, one in a hundred of 1 MB where `large` says so. */
export function makeMessages(count: number, large: boolean): readonly NewEntry[] {
  const next = random(3);
  return Array.from({ length: count }, (_, index): NewEntry => {
    const length = large && index % 100 === 50 ? 1_000_000 : Math.round(1000 + 2000 * next());
    const text = `message ${index} `.padEnd(length, 'lorem ipsum dolor ');
    if (index % 2 === 0) return { type: 'userMessage', text, content: [{ type: 'text', text }] };
    return { type: 'assistantBlock', messageId: `m${index}`, index: 0, block: { type: 'text', text, citations: null } };
  });
}

/** Writes a session as the store would, without the thousands of syncs. */
export function writeSession(dir: string, id: string, messages: readonly NewEntry[]): string {
  const path = join(dir, `${id}.jsonl`);
  const header = { type: 'session', v: 1, id, created: '2026-01-01T00:00:00.000Z', folders: [] };
  const lines = messages.map((message, index) => {
    const parentId = index === 0 ? null : `e${index - 1}`;
    return JSON.stringify({ id: `e${index}`, parentId, at: '2026-01-01T00:00:00.000Z', ...message });
  });
  writeFileSync(path, `${[JSON.stringify(header), ...lines].join('\n')}\n`);
  return path;
}
