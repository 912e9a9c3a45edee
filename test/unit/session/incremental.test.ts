import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { foldConversation } from '../../../src/core/session/fold.ts';
import { projectMessages } from '../../../src/core/session/toMessages.ts';
import { logOf } from '../../support/logOf.ts';
import { call, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';

const CALLS = ['a', 'b', 'c', 'd', 'e', 'f'];
const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const callId = oneOf(...CALLS.map((id) => `toolu_${id}`));
const serverId = oneOf('srvtoolu_a', 'srvtoolu_b', 'srvtoolu_c');
const messageId = oneOf('m1', 'm2', 'm3', 'm4', 'm5', 'm6');

const block: fc.Arbitrary<ContentBlock> = fc.oneof(
  oneOf('one', ' ', 'three').map(text),
  oneOf('hm').map(thinking),
  callId.map((id) => call(id, 'echo', {})),
  serverId.map((id) => serverCall(id, 'ls')),
  serverId.map((id) => serverResult(id, 'out')),
);

/** Anything in any order: the projections have to take what a damaged file holds. */
const entry: fc.Arbitrary<NewEntry> = fc.oneof(
  { weight: 3, arbitrary: oneOf('Go', '').map((value) => userMessage(value)) },
  { weight: 6, arbitrary: fc.tuple(messageId, block).map(([id, it]) => assistantBlock(id, it)) },
  {
    weight: 4,
    arbitrary: fc.tuple(messageId, oneOf('tool_use', 'end_turn', 'max_tokens')).map((it) => finished(...it)),
  },
  { weight: 3, arbitrary: callId.map((id) => result(id)) },
  { weight: 1, arbitrary: callId.map((id) => ({ type: 'toolStarted', callId: id }) as const) },
  {
    weight: 1,
    arbitrary: messageId.map((id) => ({ type: 'messageDiscarded', messageId: id, reason: 'retry' }) as const),
  },
  {
    weight: 1,
    arbitrary: messageId.map((id) => ({ type: 'messageInterrupted', messageId: id, reason: 'failed' }) as const),
  },
  { weight: 1, arbitrary: oneOf(epoch('one'), epoch('two')) },
  { weight: 2, arbitrary: oneOf(noted('a'), noted('b'), noted('')) },
  { weight: 2, arbitrary: fc.tuple(fc.nat(3), fc.boolean(), fc.boolean()).map((it) => compacted(...it)) },
  { weight: 1, arbitrary: oneOf(toolsChanged(['x'], []), toolsChanged(['y'], ['x'])) },
  { weight: 1, arbitrary: oneOf({ type: 'asideAsked', purpose: 'summary' } as const) },
  { weight: 1, arbitrary: oneOf({ type: 'containerLost', containerId: 'c1' } as const) },
  { weight: 1, arbitrary: oneOf({ type: 'containerChosen', container: null } as const, inputsAgain()) },
);

function inputsAgain(): NewEntry {
  const content = [{ type: 'container_upload', file_id: 'file_1' } as const, { type: 'text', text: 'Again.' } as const];
  return { type: 'inputsSent', reason: 'container', files: [], failed: [], content };
}

function toolsChanged(added: readonly string[], removed: readonly string[]): NewEntry {
  return { type: 'toolsChanged', added: added.map((name) => ({ name, input_schema: { type: 'object' } })), removed };
}

function noted(fact: string): NewEntry {
  return {
    type: 'contextNoted',
    content: [{ type: 'text', text: `Date: ${fact}` }],
    facts: { date: fact, 'rules:r': fact },
  };
}

/** With the API's own block or without, with rules or without, and with what was said last. */
function compacted(kept: number, isSigned: boolean, hasRules: boolean): NewEntry {
  const summary = { type: 'text', text: 'SUMMARY' } as const;
  const block = { type: 'compaction', content: 'SUMMARY', signature: 'sig' } as unknown as ContentBlock;
  return {
    ...{ type: 'compacted', by: 'auto', summary: 'SUMMARY', kept },
    content: hasRules ? [summary, { type: 'text', text: 'RULES' }] : [summary],
    ...(isSigned ? { signed: { model: 'one', block } } : {}),
  };
}

function userMessage(value: string): NewEntry {
  return { type: 'userMessage', text: value, content: [{ type: 'text', text: value }] };
}

function assistantBlock(id: string, it: ContentBlock): NewEntry {
  return { type: 'assistantBlock', messageId: id, index: 0, block: it };
}

function finished(id: string, stopReason: string): NewEntry {
  return { type: 'messageFinished', messageId: id, model: 'one', stopReason, container: { id: 'c1', expires_at: '' } };
}

function result(id: string): NewEntry {
  return {
    type: 'toolFinished',
    callId: id,
    content: 'ok',
    isError: false,
    status: 'done',
    title: '',
    body: { kind: 'none' },
  };
}

function epoch(model: string): NewEntry {
  return { type: 'epochStarted', model, maxTokens: 1000, system: [], tools: [], betas: [], reason: 'model' };
}

/** Everything that a fold and a projection say about a log. */
function said(entries: readonly LogEntry[]): unknown {
  const conversation = foldConversation(entries);
  const { results, begun, repairs, ...rest } = conversation;
  const known = CALLS.map((id) => [results.get(`toolu_${id}`), begun.has(`toolu_${id}`)]);
  return structuredClone({ ...rest, repairs: repairs.count, known, messages: projectMessages(conversation) });
}

suite('a fold and a projection that go on from the last ones', () => {
  test('say what they say of a log that was never seen before, at every length and in any order of lengths', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60, size: 'max' }), fc.infiniteStream(fc.nat(60)), (items, lengths) => {
        const log = logOf(...items);
        const growing = Array.from({ length: log.length + 1 }, (_, length) => length);
        const jumping = [...lengths.take(10)].map((length) => Math.min(length, log.length));
        for (const length of [...growing, ...jumping]) {
          const part = log.slice(0, length);
          assert.deepEqual(said(part), said(structuredClone(part)), `after ${length} entries`);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('leave an earlier conversation as it was', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60, size: 'max' }), (items) => {
        const log = logOf(...items);
        const seen = log.map((_, length) => {
          const conversation = foldConversation(log.slice(0, length));
          return {
            conversation,
            pieces: structuredClone(conversation.pieces),
            messages: projectMessages(conversation),
          };
        });
        for (const [length, { conversation, pieces, messages }] of seen.entries()) {
          assert.deepEqual(conversation.pieces, pieces);
          assert.deepEqual(messages, projectMessages(foldConversation(structuredClone(log.slice(0, length)))));
          const known = new Set(log.slice(0, length).flatMap((it) => (it.type === 'toolFinished' ? [it.callId] : [])));
          for (const id of CALLS) assert.equal(conversation.results.has(`toolu_${id}`), known.has(`toolu_${id}`));
        }
      }),
      { numRuns: 40 },
    );
  });

  test('notice an entry that was replaced, although the log is as long as before', () => {
    const log = logOf(userMessage('Go'), userMessage('there'), userMessage('now'));
    const other = logOf(userMessage('Go'), userMessage('elsewhere'));
    said(log);
    const changed = [log[0], other[1], log[2]] as readonly LogEntry[];
    assert.deepEqual(said(changed), said(structuredClone(changed)));
  });

  test('read what is new and little else, however long the log is', () => {
    const [short, long] = [turns(50), turns(2000)].map(readsOfOneMoreTurn) as [number, number];
    assert.ok(short > 0);
    assert.ok(long <= short + 10, `${short} reads in a log of 50 turns, ${long} in one of 2,000`);
  });
});

function turns(count: number): NewEntry[] {
  return Array.from({ length: count }, (_, index) => turn(String(index))).flat();
}

function turn(id: string): NewEntry[] {
  return [
    userMessage('Go'),
    assistantBlock(`m${id}`, call(`toolu_${id}`, 'echo', {})),
    finished(`m${id}`, 'tool_use'),
    result(`toolu_${id}`),
    assistantBlock(`n${id}`, text('Done')),
    finished(`n${id}`, 'end_turn'),
  ];
}

/** How often the content of the log is looked at when one turn is added, request by request. */
function readsOfOneMoreTurn(items: readonly NewEntry[]): number {
  let reads = 0;
  const watch = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(target, key, receiver): unknown {
        reads += 1;
        const found: unknown = Reflect.get(target, key, receiver);
        return typeof found === 'object' && found !== null ? watch(found) : found;
      },
    });
  const log = logOf(...items, ...turn('last')).map(watch);
  say(log.slice(0, items.length));
  reads = 0;
  for (let length = items.length + 1; length <= log.length; length++) say(log.slice(0, length));
  return reads;
}

function say(entries: readonly LogEntry[]): void {
  projectMessages(foldConversation(entries));
}
