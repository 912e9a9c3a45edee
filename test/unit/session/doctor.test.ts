import assert from 'node:assert/strict';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import fc from 'fast-check';
import { diagnose } from '../../../src/core/session/doctor/diagnose.ts';
import { examine } from '../../../src/core/session/doctor/examine.ts';
import { limitsFor } from '../../../src/core/session/doctor/limits.ts';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { foldConversation } from '../../../src/core/session/fold.ts';
import { projectMessages } from '../../../src/core/session/toMessages.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { oddLog } from '../../support/oddLogs.ts';

const RUNS = Number(process.env['LOOPDOCK_DOCTOR_RUNS'] ?? 300);
const LENIENT = { acceptUnknownSignatures: true, acceptUnknownFiles: true, acceptUnknownContainers: true };
const tools = [codeExecutionTool.declare(codeExecutionTool.versions[0] ?? '')];
const limits = limitsFor(1_000_000);

function project(entries: readonly LogEntry[]): MessageParam[] {
  return projectMessages(foldConversation(entries));
}

/** What the API would say. The log ends with a message of the user, as it does whenever the loop sends. */
function refusal(messages: readonly MessageParam[]): string | undefined {
  const body = { model: 'claude-simulated-5', max_tokens: 1000, tools, messages };
  const problem = validateRequest(structuredClone(body), createIssuedState(LENIENT));
  return problem?.error.message;
}

function add(entries: readonly LogEntry[], ...more: readonly NewEntry[]): LogEntry[] {
  const added = more.map((entry, n) => ({
    ...entry,
    ...{ id: `x${String(entries.length + n)}`, parentId: entries.at(-1)?.id ?? null, at: '' },
  }));
  return [...entries, ...added] as LogEntry[];
}

const next: NewEntry = { type: 'userMessage', text: 'next', content: [{ type: 'text', text: 'next' }] };

/** Repairs, and takes out what the user would be asked about, until nothing is left to find. */
function healed(entries: readonly LogEntry[]): LogEntry[] {
  let log = [...entries];
  for (let round = 0; round < 10; round++) {
    const messages = project(log);
    const { repairs, asks } = diagnose(messages, examine({ messages, tools }, limits));
    if (repairs.length === 0 && asks.length === 0) break;
    log = add(
      log,
      { type: 'repaired', repairs, note: 'x', prefixChanged: false },
      ...asks.map(({ target }): NewEntry => ({ type: 'itemRemoved', target, name: 'x', prefixChanged: false })),
    );
  }
  return log;
}

suite('the doctor and the simulator', () => {
  test('agree about generated histories: what one finds nothing in, the other takes [G1,G2,G5,G7,XA38]', () => {
    const figures = { clean: 0, ill: 0 };
    fc.assert(
      fc.property(oddLog, (log) => {
        const messages = project(add(log, next));
        const findings = examine({ messages, tools }, limits);
        const refused = refusal(messages);
        figures[refused === undefined ? 'clean' : 'ill'] += 1;
        assert.equal(
          findings.length === 0,
          refused === undefined,
          `${String(refused)}\n${JSON.stringify(findings)}\n${JSON.stringify(messages, null, 1)}`,
        );
      }),
      { numRuns: RUNS },
    );
    assert.ok(figures.clean > RUNS / 20 && figures.ill > RUNS / 20, JSON.stringify(figures));
  });

  test('leave no history that cannot go on: after repairs and removals the next request is taken [G5,G7,XA38]', () => {
    fc.assert(
      fc.property(oddLog, (log) => {
        const messages = project(healed(add(log, next)));
        assert.equal(refusal(messages), undefined, JSON.stringify(messages, null, 1));
        assert.deepEqual(examine({ messages, tools }, limits), []);
      }),
      { numRuns: RUNS },
    );
  });

  test('agree about a log with any lines removed, doubled, swapped or altered', () => {
    const damage = fc.array(
      fc.record({
        how: fc.constantFrom('remove', 'double', 'swap', 'alter'),
        at: fc.nat(40),
        to: fc.nat(40),
        value: fc.constantFrom<unknown>(null, 7, '', 'x', [], {}),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(oddLog, damage, (log, blows) => {
        const entries = blows.reduce(strike, structuredClone(log));
        const messages = project(healed(add(entries, next)));
        assert.equal(refusal(messages), undefined, JSON.stringify(messages, null, 1));
      }),
      { numRuns: RUNS },
    );
  });
});

interface Blow {
  readonly how: string;
  readonly at: number;
  readonly to: number;
  readonly value: unknown;
}

function strike(entries: LogEntry[], { how, at, to, value }: Blow): LogEntry[] {
  const from = at % Math.max(1, entries.length);
  const entry = entries[from];
  if (entry === undefined) return entries;
  const other = to % entries.length;
  switch (how) {
    case 'remove':
      return entries.filter((_, index) => index !== from);
    case 'double':
      return entries.toSpliced(other, 0, entry);
    case 'swap':
      return entries.toSpliced(from, 1, entries[other] ?? entry).toSpliced(other, 1, entry);
    default: {
      // What the log reader lets through: the fields of the block, not those of the entry.
      if (entry.type !== 'assistantBlock') return entries;
      const keys = Object.keys(entry.block);
      const key = keys[to % keys.length] ?? 'type';
      const changed = { ...entry, block: { ...entry.block, [key]: value } } as LogEntry;
      return entries.toSpliced(from, 1, changed);
    }
  }
}
