import type { LogEntry, NewEntry } from '../../src/core/session/entries.ts';

/** The epoch that a log begins with. */
export const FIRST_EPOCH: Extract<NewEntry, { type: 'epochStarted' }> = {
  ...{ type: 'epochStarted', model: 'claude-simulated-5', maxTokens: 1000, system: [], tools: [], betas: [] },
  reason: 'first',
};

/** The entries as a log would hold them: `e0`, `e1`, … */
export function logOf(...items: readonly NewEntry[]): LogEntry[] {
  return items.map((item, index) => ({
    ...item,
    id: `e${String(index)}`,
    parentId: index === 0 ? null : `e${String(index - 1)}`,
    at: '2026-01-01T00:00:00.000Z',
  }));
}
