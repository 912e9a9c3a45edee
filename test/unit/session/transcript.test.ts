import assert from 'node:assert/strict';
import { presenterOf } from '../../../src/core/agent/presenter.ts';
import type { ApiFailure, ApiFailureKind } from '../../../src/core/errors.ts';
import type { NewEntry, TurnOutcome } from '../../../src/core/session/entries.ts';
import type { LiveEvent } from '../../../src/core/session/live.ts';
import { createTranscript, type Transcript } from '../../../src/core/session/transcript.ts';
import { bashTool } from '../../../src/core/tools/bash.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { textEditorTool } from '../../../src/core/tools/textEditor.ts';
import { clientTool } from '../../../src/core/tools/tool.ts';
import { applyOps, type ViewModel } from '../../../src/protocol/applyOps.ts';
import type { NoticeRow, Row, ToolRow } from '../../../src/protocol/rows.ts';
import { fakeEditPort } from '../../support/fakeEditPort.ts';
import { fakeTerminal } from '../../support/fakeTerminal.ts';
import { logOf } from '../../support/logOf.ts';
import { call, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';

/** A transcript, and what a view holds that only sees the ops; the two must never differ. */
function transcriptAndView(): { apply(...events: readonly LiveEvent[]): void; rows(): readonly Row[] } {
  const transcript: Transcript = createTranscript(
    presenterOf([clientTool(bashTool(fakeTerminal())), clientTool(textEditorTool(fakeEditPort())), codeExecutionTool]),
  );
  let view: ViewModel = { rows: [], state: {} as ViewModel['state'] };
  return {
    apply(...events) {
      for (const event of events) view = applyOps(view, transcript.apply(event));
      assert.deepEqual(view.rows, transcript.rows(), 'the ops give the rows');
    },
    rows: () => view.rows,
  };
}

function entries(...items: readonly NewEntry[]): LiveEvent[] {
  return logOf(...items).map((entry) => ({ type: 'entry', entry }));
}

function start(block: ReturnType<typeof call>, index = 0): LiveEvent {
  return { type: 'blockStart', messageId: 'm', index, block };
}

function delta(field: 'text' | 'thinking' | 'input', chunk: string, index = 0): LiveEvent {
  return { type: 'blockDelta', messageId: 'm', index, field, text: chunk };
}

/** The JSON of an input in pieces of three characters. */
function inputDeltas(input: object): LiveEvent[] {
  return (JSON.stringify(input).match(/[^]{1,3}/g) ?? []).map((chunk) => delta('input', chunk));
}

function tool(rows: readonly Row[]): ToolRow {
  const row = rows.find((known) => known.kind === 'tool');
  assert.ok(row?.kind === 'tool');
  return row;
}

suite('a call that is still being written', () => {
  const create = { command: 'create', path: 'src/sum.ts', file_text: 'one\n"two"\n' };
  const table = [
    { block: call('c', 'bash', {}), input: { command: 'npm test' }, title: 'Terminal · npm test', body: 'npm test' },
    { block: call('c', 'str_replace_based_edit_tool', {}), input: create, title: /sum\.ts/, body: create.file_text },
    { block: serverCall('c', ''), input: { command: 'ls -l' }, title: 'Sandbox · ls -l', body: 'ls -l' },
    {
      block: { ...serverCall('c', ''), name: 'text_editor_code_execution' } as ReturnType<typeof serverCall>,
      input: create,
      title: 'Sandbox · create src/sum.ts',
      body: create.file_text,
    },
  ];
  for (const { block, input, title, body } of table) {
    const name = 'name' in block ? block.name : '';
    test(`of ${name} (${input.command}) shows its title and text as they come`, () => {
      const view = transcriptAndView();
      view.apply(start(block), ...inputDeltas(input));
      const row = tool(view.rows());
      assert.deepEqual([row.status, row.body], ['streaming', { kind: 'text', text: body }]);
      if (typeof title === 'string') assert.equal(row.title, title);
      else assert.match(row.title, title);
      view.apply(
        ...entries({ type: 'assistantBlock', messageId: 'm', index: 0, block: { ...block, input } as typeof block }),
      );
      assert.equal(tool(view.rows()).status, block.type === 'tool_use' ? 'queued' : 'running');
    });
  }

  test('shows no more than the limit of a long text, however it is cut', () => {
    for (const size of [100, 1_000_000]) {
      const view = transcriptAndView();
      const json = JSON.stringify({ command: 'create', path: 'a', file_text: 'x'.repeat(200_000) });
      const events: LiveEvent[] = [start(call('c', 'str_replace_based_edit_tool', {}))];
      for (let at = 0; at < json.length; at += size) events.push(delta('input', json.slice(at, at + size)));
      view.apply(...events);
      const { body } = tool(view.rows());
      assert.equal(body.kind === 'text' && body.text.length, 20_000);
    }
  });

  test('takes time that grows with the length of its input only', () => {
    const transcript = createTranscript(presenterOf([]));
    let read = 0;
    const chunks = 60_000;
    transcript.apply(start(call('c', 'str_replace_based_edit_tool', {})));
    transcript.apply(delta('input', '{"path":"'));
    const began = performance.now();
    for (; read < chunks; read++) transcript.apply(delta('input', 'some text'));
    assert.ok(performance.now() - began < 4000);
  });
});

suite('the rows of a session', () => {
  test('grow by deltas, and end as the log has them', () => {
    const view = transcriptAndView();
    view.apply(
      start(thinking(''), 0),
      delta('thinking', 'hm', 0),
      start(text(''), 1),
      delta('text', 'He', 1),
      delta('text', 'llo', 1),
    );
    assert.deepEqual(
      view.rows().map((row) => 'text' in row && [row.text, 'streaming' in row && row.streaming]),
      [
        ['hm', true],
        ['Hello', true],
      ],
    );
    view.apply(
      ...entries(
        { type: 'assistantBlock', messageId: 'm', index: 0, block: thinking('hm') },
        { type: 'assistantBlock', messageId: 'm', index: 1, block: text('Hello') },
      ),
    );
    assert.deepEqual(
      view.rows().map((row) => 'streaming' in row && row.streaming),
      [false, false],
    );
  });

  test('keep the heading of an answer whose first attempt was taken back', () => {
    const view = transcriptAndView();
    view.apply(
      start(text('')),
      delta('text', 'Half'),
      ...entries({ type: 'messageDiscarded', messageId: 'm', reason: 'retry' }),
    );
    assert.deepEqual(view.rows(), []);
    view.apply(...entries({ type: 'assistantBlock', messageId: 'n', index: 0, block: text('Whole') }));
    const [row] = view.rows();
    assert.equal(row?.kind === 'text' && row.first, true);
  });

  test('have the files below their call, in the order in which they came', () => {
    const view = transcriptAndView();
    const stored = (callId: string, fileId: string): NewEntry => ({
      ...{ type: 'attachmentStored', callId, fileId, name: fileId, mimeType: '', size: 1, hash: 'x' },
    });
    view.apply(
      ...entries(
        { type: 'assistantBlock', messageId: 'm', index: 0, block: serverCall('s1', 'a') },
        { type: 'assistantBlock', messageId: 'm', index: 1, block: serverCall('s2', 'b') },
        { type: 'assistantBlock', messageId: 'm', index: 2, block: serverResult('s1', 'x') },
        { type: 'assistantBlock', messageId: 'm', index: 3, block: text('Hi') },
        stored('s1', 'f1'),
        stored('s2', 'f2'),
        stored('s1', 'f3'),
        stored('gone', 'f4'),
        stored('s1', 'f1'),
      ),
    );
    assert.deepEqual(
      view.rows().map(({ id }) => id),
      ['t:s1', 'a:f1', 'a:f3', 't:s2', 'a:f2', 'b:m:3', 'a:f4'],
    );
  });

  test('show on a picture which file of the same command has its numbers, whichever came first', () => {
    const view = transcriptAndView();
    const stored = (callId: string, name: string, fields: { hash?: string } = { hash: 'x' }): NewEntry => ({
      ...{ type: 'attachmentStored', callId, fileId: `${callId}-${name}`, name, mimeType: '', size: 1, ...fields },
    });
    const dataOf = (id: string): string | undefined => {
      const row = view.rows().find((known) => known.id === `a:${id}`);
      return row?.kind === 'attachment' ? row.dataFileId : assert.fail(`${id} is not shown`);
    };
    view.apply(...entries(stored('s1', 'a.png'), stored('s1', 'numbers.csv')));
    assert.equal(dataOf('s1-a.png'), 's1-numbers.csv');
    // With more of them only the name tells.
    view.apply(...entries(stored('s1', 'B.CSV'), stored('s1', 'b.png'), stored('s2', 'c.csv'), stored('s3', 'c.png')));
    assert.deepEqual(['s1-a.png', 's1-b.png', 's3-c.png'].map(dataOf), [undefined, 's1-B.CSV', undefined]);
    view.apply(...entries(stored('s1', 'B.CSV', {})));
    assert.equal(dataOf('s1-b.png'), undefined);
  });

  test('are settled when the turn ends, with or without an entry that says so', () => {
    const ends: readonly LiveEvent[] = [
      { type: 'settled' },
      ...entries({ type: 'turnEnded', turnId: 't', outcome: 'done' }),
    ];
    for (const end of ends) {
      const view = transcriptAndView();
      view.apply(
        start(text(''), 0),
        delta('text', 'Hi', 0),
        start(text(''), 1),
        start(call('c', 'bash', {}), 2),
        { type: 'retry', until: 1, failure: { kind: 'overloaded', message: '' } },
        end,
      );
      assert.deepEqual(
        view.rows().map((row) => [row.id, 'streaming' in row && row.streaming, 'status' in row && row.status]),
        [
          ['b:m:0', false, false],
          ['t:c', false, 'cancelled'],
        ],
      );
    }
  });

  test('are made from a file that was edited by hand without an error', () => {
    const view = transcriptAndView();
    const odd = [
      { type: 'fromTheFuture' },
      { type: 'assistantBlock', messageId: 'm', index: 0, block: {} },
      { type: 'assistantBlock', messageId: 'm', index: 1, block: { type: 'text' } },
      { type: 'assistantBlock', messageId: 'm', index: 2, block: { type: 'tool_use' } },
      { type: 'assistantBlock', messageId: 'm', index: 3, block: { type: 'tool_use', id: 'c', name: 'bash' } },
      {
        type: 'assistantBlock',
        messageId: 'm',
        index: 4,
        block: { type: 'server_tool_use', id: 's', name: 'bash_code_execution' },
      },
      {
        type: 'assistantBlock',
        messageId: 'm',
        index: 5,
        block: { type: 'bash_code_execution_tool_result', tool_use_id: 's' },
      },
      { type: 'attachmentStored', callId: 's', fileId: 'f', name: 'x' },
      { type: 'toolFinished', callId: 'c', content: 3, title: '', body: {} },
      { type: 'turnEnded', turnId: 't', outcome: 'fromTheFuture' },
      { type: 'turnEnded', turnId: 't', outcome: 'failed', failure: { kind: 'fromTheFuture' } },
    ] as unknown as NewEntry[];
    view.apply(...entries(...odd));
    const last = view.rows().at(-1);
    assert.equal(last?.kind === 'notice' && last.title, 'The request failed.');
  });
});

suite('what the API did to a request by itself', () => {
  test('is shown [C72]', () => {
    const transformed = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'model_binding_mismatch' }];
    const finished = { type: 'messageFinished', messageId: 'm', model: 'm', stopReason: 'end_turn' } as const;
    const view = transcriptAndView();
    view.apply(
      ...entries({ ...finished, inputTransformations: [] }, { ...finished, inputTransformations: transformed }),
    );
    assert.deepEqual(
      view.rows().flatMap((row) => (row.kind === 'notice' ? [row.title] : [])),
      ['The API left 1 blocks of earlier thinking out of this request.'],
    );
  });
});

suite('the end of a turn', () => {
  function noticeOf(entry: Omit<Extract<NewEntry, { type: 'turnEnded' }>, 'type' | 'turnId'>): NoticeRow | undefined {
    const view = transcriptAndView();
    view.apply(...entries({ type: 'turnEnded', turnId: 't', ...entry }));
    const row = view.rows().at(-1);
    return row?.kind === 'notice' ? row : undefined;
  }

  const outcomes: Readonly<Record<TurnOutcome, readonly [severity: string, actions: string] | undefined>> = {
    done: undefined,
    truncated: ['warning', 'continue'],
    refused: ['warning', 'tryAnotherModel'],
    cancelled: ['info', 'continue'],
    failed: ['error', 'continue'],
    interrupted: ['warning', 'continue'],
    limit: ['warning', 'continue'],
    unknownStop: ['info', 'continue'],
  };
  for (const [outcome, expected] of Object.entries(outcomes)) {
    test(`as ${outcome} shows ${expected === undefined ? 'no notice' : `a notice (${expected.join(', ')})`}`, () => {
      const notice = noticeOf({ outcome: outcome as TurnOutcome });
      const shown = notice && [notice.severity, notice.actions.map(({ id }) => id).join(' ')];
      assert.deepEqual(shown, expected);
      assert.ok(notice === undefined || notice.title.length > 10);
    });
  }

  test('after which the API wants to be left alone says for how long [XN9]', () => {
    const failure = { kind: 'rate-limit', message: 'Slow down.', retryAfterMs: 90 * 60_000 } as const;
    const detail = noticeOf({ outcome: 'failed', failure })?.detail ?? '';
    assert.match(detail, /^Slow down\.\nThe API asks to wait 90 minutes\./);
    assert.equal(noticeOf({ outcome: 'failed', failure: { ...failure, retryAfterMs: 600_000 } })?.detail, 'Slow down.');
  });

  test('by a request that was refused for what is in it offers to look at it; one that never went out does not', () => {
    const offered = (failure: ApiFailure) =>
      noticeOf({ outcome: 'failed', failure })?.actions.some(({ id }) => id === 'inspectRequest');
    assert.equal(offered({ kind: 'invalid-request', message: 'No', status: 400 }), true);
    assert.equal(offered({ kind: 'invalid-request', message: 'The base URL is refused' }), false);
    assert.equal(offered({ kind: 'rate-limit', message: 'Slow down', status: 429 }), false);
  });

  const failures: Readonly<Record<ApiFailureKind, string>> = {
    'no-key': 'setApiKey startDemo',
    authentication: 'setApiKey retry showLog',
    permission: 'setApiKey retry showLog',
    connection: 'retry openSettings showLog',
    'not-found': 'retry openSettings showLog',
    billing: 'retry showLog',
    'spend-limit': 'retry showLog',
    'invalid-request': 'retry showLog',
    'too-large': 'compact retry showLog',
    item: 'retry showLog',
    'rate-limit': 'retry showLog',
    overloaded: 'retry showLog',
    server: 'retry showLog',
    timeout: 'retry showLog',
    stream: 'retry showLog inspectRequest',
    protocol: 'retry showLog inspectRequest',
    cancelled: 'retry showLog',
    unknown: 'retry showLog',
  };
  for (const [kind, actions] of Object.entries(failures)) {
    test(`by a failure of kind ${kind} shows the API's words, its request id and ${actions}`, () => {
      const failure = { kind: kind as ApiFailureKind, message: 'The words', requestId: 'req_1' };
      const notice = noticeOf({ outcome: 'failed', failure });
      assert.ok(notice && notice.title.length > 10);
      assert.deepEqual(
        [notice.severity, notice.detail, notice.requestId, notice.actions.map(({ id }) => id).join(' ')],
        ['error', 'The words', 'req_1', actions],
      );
    });
  }
});
