import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { BatchResult } from '../../../src/core/batches/batchTypes.ts';
import { readResult, stateOf } from '../../../src/core/batches/batchResult.ts';
import { sessionOfItem } from '../../../src/core/batches/itemSession.ts';
import type { LogEntry } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { isEntry } from '../../../src/node/log/entryShape.ts';
import { agentWorld } from '../../support/agent.ts';
import { end, idle } from '../../support/agentRun.ts';
import { logOf } from '../../support/logOf.ts';
import { scriptedModel, serverCall, serverResult, text } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';
import { itemOf, TEMPLATE } from './support.ts';

const TOKENS = { input_tokens: 1000, output_tokens: 1000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function sessionOf(result: object): LogEntry[] {
  const read = readResult(JSON.stringify({ custom_id: 'a', result }));
  assert.ok(read);
  let count = 0;
  const entries = sessionOfItem({
    record: {
      template: { ...TEMPLATE, model: 'claude-opus-5-5' },
      baseUrl: 'https://api.anthropic.com',
      title: 'Sum up',
    },
    item: itemOf('a', 'Hello'),
    result: read,
    servers: [codeExecutionTool],
    notFetched: 'not yet',
    random: () => `r${String((count += 1))}`,
  });
  const log = logOf(...entries);
  assertEveryPrefixValid(log);
  return log;
}

function succeeded(content: readonly unknown[], stop_reason = 'end_turn'): object {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5', stop_reason };
  return { type: 'succeeded', message: { ...message, content, usage: TOKENS, stop_details: null, container: null } };
}

suite('an item of a batch as a session', () => {
  test('is what was asked and answered, at half the price, and goes on like every other', async () => {
    const model = scriptedModel([{ blocks: [text('More')] }]);
    const world = agentWorld(model, [codeExecutionTool]);
    world.logs.seed('s', sessionOf(succeeded([text('Answer')])));
    const controller = createSessionController(world);
    await controller.openSession('s');
    const { state, rows } = controller.snapshot();
    assert.equal(state.title, 'a.txt · Sum up');
    assert.ok(
      rows.some((row) => row.kind === 'text' && row.text === 'Answer'),
      JSON.stringify(rows),
    );
    // 1,000 tokens at 4 dollars per million and 1,000 at 20, halved.
    assert.equal(state.usage?.session.nano, 12_000_000);
    await controller.submit('Go on');
    await idle(controller);
    assert.equal(model.requests[0]?.messages.length, 3);
    assert.equal(end(world.logs.stored('s')).outcome, 'done');
  });

  test('names the files that it made, to be fetched', () => {
    const log = sessionOf(succeeded([serverCall('srvtoolu_1', 'ls'), serverResult('srvtoolu_1', '', ['file_1'])]));
    const [file] = log.filter((entry) => entry.type === 'attachmentStored');
    assert.deepEqual(
      [file?.fileId, file?.callId, file?.hash, file?.failure],
      ['file_1', 'srvtoolu_1', undefined, 'not yet'],
    );
  });

  test('ends as its result says, whatever kind it is of [C142]', () => {
    const ends = [
      [succeeded([text('x')], 'max_tokens'), 'truncated'],
      [succeeded([text('x')], 'refusal'), 'refused'],
      [succeeded([serverCall('srvtoolu_1', 'ls')], 'pause_turn'), 'limit'],
      [succeeded([text('x')], 'someday'), 'unknownStop'],
      [{ type: 'canceled' }, 'cancelled'],
      [{ type: 'expired' }, 'failed'],
      [{ type: 'errored', error: { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } } }, 'failed'],
      [{ type: 'succeeded', message: { content: [{}] } }, 'failed'],
    ] as const;
    for (const [result, outcome] of ends) assert.equal(end(sessionOf(result)).outcome, outcome, JSON.stringify(result));
  });

  test('whose answer lacks what every message has is kept, and can be read back', () => {
    const message = { content: [text('Paid for')], usage: TOKENS, stop_reason: { odd: 1 }, container: { id: 5 } };
    const log = sessionOf({ type: 'succeeded', message });
    assert.ok(log.every(isEntry));
    const finished = log.find((entry) => entry.type === 'messageFinished');
    assert.deepEqual(
      [finished?.model, finished?.apiMessageId, finished?.container, end(log).outcome],
      ['claude-opus-5-5', '', null, 'unknownStop'],
    );
  });

  test('says of an odd result what it is in few words', () => {
    const line = (result: object): BatchResult =>
      readResult(JSON.stringify({ custom_id: 'a', result })) ?? assert.fail();
    const long = line({ type: 'errored', error: { error: { type: 'x', message: 'y'.repeat(1e6) } } });
    assert.equal(stateOf(long).detail?.length, 1000);
    assert.match(stateOf(line({ type: { a: 1 } })).detail ?? '', /has no type/);
  });

  test('that failed says why in the words of the API, one level deeper than other errors', () => {
    const error = { type: 'error', error: { type: 'invalid_request_error', message: 'No' }, request_id: 'req_1' };
    const { failure } = end(sessionOf({ type: 'errored', error }));
    assert.deepEqual(failure, { kind: 'invalid-request', message: 'No', requestId: 'req_1' });
  });
});
