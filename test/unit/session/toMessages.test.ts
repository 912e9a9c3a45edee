import assert from 'node:assert/strict';
import type { ContentBlock, ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { foldConversation } from '../../../src/core/session/fold.ts';
import { projectMessages } from '../../../src/core/session/toMessages.ts';
import { call, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';
import { FIRST_EPOCH, logOf } from '../../support/logOf.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

function toMessages(entries: readonly LogEntry[]): ReturnType<typeof projectMessages> {
  return projectMessages(foldConversation(entries));
}

function user(value: string): NewEntry {
  return { type: 'userMessage', text: value, content: [{ type: 'text', text: value }] };
}

function blocks(messageId: string, ...items: readonly ContentBlock[]): NewEntry[] {
  return items.map((block, index) => ({ type: 'assistantBlock', messageId, index, block }));
}

function finished(messageId: string, stopReason: string | null = 'end_turn'): NewEntry {
  return { type: 'messageFinished', messageId, model: 'claude-simulated-5', stopReason };
}

function result(callId: string, content: ToolResultBlockParam['content'], isError = false): NewEntry {
  const status = isError ? 'error' : 'done';
  return { type: 'toolFinished', callId, content: content ?? '', isError, status, title: '', body: { kind: 'none' } };
}

/** Role and the types of the blocks, with the text or the id that tells them apart. */
function shape(entries: readonly LogEntry[]): string[] {
  return toMessages(entries).map(({ role, content }) => {
    const parts = typeof content === 'string' ? [content] : content.map(partOf);
    return `${role}: ${parts.join(' | ')}`;
  });
}

function partOf(block: Exclude<ReturnType<typeof toMessages>[number]['content'], string>[number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_use':
    case 'server_tool_use':
      return `call ${block.id}`;
    case 'tool_result':
      return `${block.is_error === true ? 'error' : 'result'} ${block.tool_use_id}`;
    default:
      return 'tool_use_id' in block ? `answer ${block.tool_use_id}` : block.type;
  }
}

const A = call('toolu_a', 'echo', { text: 'a' });
const B = call('toolu_b', 'echo', { text: 'b' });

const table: readonly { readonly rule: string; readonly log: readonly NewEntry[]; readonly sent: readonly string[] }[] =
  [
    {
      rule: 'answers every call in the next message, in source order, whatever order they finished in',
      log: [
        user('Go'),
        ...blocks('m', A, B),
        finished('m', 'tool_use'),
        result('toolu_b', 'b'),
        result('toolu_a', 'a'),
      ],
      sent: ['user: Go', 'assistant: call toolu_a | call toolu_b', 'user: result toolu_a | result toolu_b'],
    },
    {
      rule: 'answers a call without a result by an error',
      log: [user('Go'), ...blocks('m', A, B), finished('m', 'tool_use'), result('toolu_b', 'b'), user('On')],
      sent: ['user: Go', 'assistant: call toolu_a | call toolu_b', 'user: error toolu_a | result toolu_b', 'user: On'],
    },
    {
      rule: 'keeps the finished text of an answer that never ended, and none of its calls',
      log: [user('Go'), ...blocks('m', text('So far'), A), user('On')],
      sent: ['user: Go', 'assistant: So far', 'user: On'],
    },
    {
      rule: 'leaves a discarded answer out',
      log: [
        user('Go'),
        ...blocks('m', text('No'), A),
        finished('m', 'refusal'),
        { type: 'messageDiscarded', messageId: 'm', reason: 'refusal' },
      ],
      sent: ['user: Go'],
    },
    {
      rule: 'leaves a call out that max_tokens may have cut',
      log: [user('Go'), ...blocks('m', text('Let me'), A), finished('m', 'max_tokens')],
      sent: ['user: Go', 'assistant: Let me'],
    },
    {
      rule: 'keeps thinking, and drops it from the end of an answer',
      log: [user('Go'), ...blocks('m', thinking('hm'), text('Hi'), thinking('more')), finished('m')],
      sent: ['user: Go', 'assistant: thinking | Hi'],
    },
    {
      rule: 'drops thinking of an earlier epoch',
      log: [
        FIRST_EPOCH,
        user('Go'),
        ...blocks('m', thinking('hm'), text('Hi')),
        finished('m'),
        FIRST_EPOCH,
        user('On'),
      ],
      sent: ['user: Go', 'assistant: Hi', 'user: On'],
    },
    {
      rule: 'keeps an open server call while the request continues it',
      log: [user('Go'), ...blocks('m', text('Wait'), serverCall('srvtoolu_1', 'ls')), finished('m', 'pause_turn')],
      sent: ['user: Go', 'assistant: Wait | call srvtoolu_1'],
    },
    {
      rule: 'drops a server call that a later message of the user left behind',
      log: [
        user('Go'),
        ...blocks('m', text('Wait'), serverCall('srvtoolu_1', 'ls')),
        finished('m', 'pause_turn'),
        user('On'),
      ],
      sent: ['user: Go', 'assistant: Wait', 'user: On'],
    },
    {
      rule: 'pairs a server result with a call of the answer before it',
      log: [
        user('Go'),
        ...blocks('m', serverCall('srvtoolu_1', 'ls'), A),
        finished('m', 'tool_use'),
        result('toolu_a', 'a'),
        ...blocks('n', serverResult('srvtoolu_1', 'x'), text('Hi')),
        finished('n'),
      ],
      sent: [
        'user: Go',
        'assistant: call srvtoolu_1 | call toolu_a',
        'user: result toolu_a',
        'assistant: answer srvtoolu_1 | Hi',
      ],
    },
    {
      rule: 'pairs no server result across a second group of calls, whose results would come in between',
      log: [
        user('Go'),
        ...blocks('m', serverCall('srvtoolu_1', 'ls'), A),
        finished('m', 'tool_use'),
        result('toolu_a', 'a'),
        ...blocks('n', B),
        finished('n', 'tool_use'),
        result('toolu_b', 'b'),
        ...blocks('o', serverResult('srvtoolu_1', 'x'), text('Hi')),
        finished('o'),
      ],
      sent: [
        'user: Go',
        'assistant: call toolu_a',
        'user: result toolu_a',
        'assistant: call toolu_b',
        'user: result toolu_b',
        'assistant: Hi',
      ],
    },
    {
      rule: 'drops a server result whose call is gone',
      log: [user('Go'), ...blocks('m', serverResult('srvtoolu_9', 'x'), text('Hi')), finished('m')],
      sent: ['user: Go', 'assistant: Hi'],
    },
    {
      rule: 'sends a call id once',
      log: [
        user('Go'),
        ...blocks('m', A),
        finished('m', 'tool_use'),
        result('toolu_a', 'a'),
        ...blocks('n', text('Again'), A),
        finished('n', 'tool_use'),
      ],
      sent: ['user: Go', 'assistant: call toolu_a', 'user: result toolu_a', 'assistant: Again'],
    },
    {
      rule: 'leaves blank texts and messages of nothing else out',
      log: [user(' \n'), user('Go'), ...blocks('m', text('\n'), text('Hi')), finished('m'), ...blocks('n', text(''))],
      sent: ['user: Go', 'assistant: Hi'],
    },
    {
      rule: 'skips entries of a type that is not known',
      log: [
        user('Go'),
        { type: 'fromTheFuture', x: 1 } as unknown as NewEntry,
        ...blocks('m', text('Hi')),
        finished('m'),
      ],
      sent: ['user: Go', 'assistant: Hi'],
    },
  ];

suite('a request', () => {
  for (const { rule, log, sent } of table) {
    test(rule, () => {
      assert.deepEqual(shape(logOf(...log)), sent);
      assertEveryPrefixValid(logOf(...log));
    });
  }

  function resultOf(...log: readonly NewEntry[]): ToolResultBlockParam | undefined {
    const messages = toMessages(logOf(user('Go'), ...blocks('m', A), finished('m', 'tool_use'), ...log));
    const [first] = messages.at(-1)?.content ?? [];
    return typeof first === 'object' && first.type === 'tool_result' ? first : undefined;
  }

  test('holds only text in an error result, and never an empty one [C42]', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } } as const;
    const errors: readonly [ToolResultBlockParam['content'], string][] = [
      ['It failed', 'It failed'],
      ['  ', 'Error'],
      [[image], 'Error'],
      [[{ type: 'text', text: 'Why' }, image], 'Why\n'],
    ];
    for (const [content, sent] of errors) assert.equal(resultOf(result('toolu_a', content, true))?.content, sent);
  });

  test('holds no blank text in a result [C43]', () => {
    assert.equal(resultOf(result('toolu_a', ''))?.content, undefined);
    assert.equal(resultOf(result('toolu_a', '\n'))?.content, undefined);
    assert.equal(resultOf(result('toolu_a', [{ type: 'text', text: '' }]))?.content, undefined);
    assert.deepEqual(
      resultOf(
        result('toolu_a', [
          { type: 'text', text: '' },
          { type: 'text', text: 'x' },
        ]),
      )?.content,
      [{ type: 'text', text: 'x' }],
    );
  });

  test('says of a call that had begun that it may have taken effect, and of another that it was not executed [C45]', () => {
    assert.match(JSON.stringify(resultOf()), /Not executed/);
    const begun = resultOf({ type: 'toolStarted', callId: 'toolu_a' });
    assert.equal(begun?.is_error, true);
    assert.match(JSON.stringify(begun.content), /may have taken effect/);
    assert.doesNotMatch(JSON.stringify(begun.content), /Not executed/);
  });

  test('holds no unpaired surrogate, wherever it came from [C14]', () => {
    const lone = 'a\uD83Db';
    const log = logOf(
      user(lone),
      ...blocks('m', text(lone), call('toolu_a', 'echo', { text: lone, [lone]: [lone] }), B),
      finished('m', 'tool_use'),
      result('toolu_a', lone),
      result('toolu_b', [{ type: 'text', text: lone }]),
    );
    const sent = JSON.stringify(toMessages(log));
    assert.doesNotMatch(sent, /\\ud83d/i);
    assert.equal(sent.match(/a\uFFFDb/g)?.length, 7);
  });

  test('keeps whole emoji and thinking as they are [C62]', () => {
    const block = thinking('\uD83D\uDE00');
    const messages = toMessages(logOf(user('😀'), ...blocks('m', block, text('😀')), finished('m')));
    assert.deepEqual(messages[1]?.content, [block, text('😀')]);
  });

  test('of a file that was edited by hand throws nothing', () => {
    const broken = [
      { type: 'userMessage', text: 'x', content: ['Go', null, { type: 'text' }, {}] },
      { type: 'assistantBlock', messageId: 'm', index: 0, block: {} },
      { type: 'assistantBlock', messageId: 'm', index: 1, block: { type: 'text' } },
      { type: 'assistantBlock', messageId: 'm', index: 2, block: { type: 'tool_use' } },
      {
        type: 'assistantBlock',
        messageId: 'm',
        index: 3,
        block: { type: 'tool_use', id: 'toolu_a', name: 'echo', input: {} },
      },
      { type: 'messageFinished', messageId: 'm', model: 'x' },
      { type: 'toolFinished', callId: 'toolu_a', content: 7, title: '', body: {} },
      user('On'),
    ] as unknown as NewEntry[];
    for (let length = 0; length <= broken.length; length++) toMessages(logOf(...broken.slice(0, length)));
    assert.deepEqual(shape(logOf(...broken)), [
      'user: [The beginning of this conversation is lost.]',
      'assistant: call toolu_a',
      'user: result toolu_a',
      'user: On',
    ]);
  });
});
