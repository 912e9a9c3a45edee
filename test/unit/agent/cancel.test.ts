import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { LogEntry } from '../../../src/core/session/entries.ts';
import { createTranscript } from '../../../src/core/session/transcript.ts';
import { presenterOf } from '../../../src/core/agent/presenter.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { applyOps, type ViewModel } from '../../../src/protocol/applyOps.ts';
import { agentWorld, echoTool, effectTool } from '../../support/agent.ts';
import { settle } from '../../support/fakes.ts';
import {
  call,
  scriptedModel,
  serverCall,
  serverResult,
  text,
  thinking,
  type ScriptedAnswer,
} from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid, problemOf } from '../../support/validRequest.ts';

/** One turn with everything in it: thinking, parallel calls, a mixed group, a pause, a file, an approval. */
const TURN: readonly ScriptedAnswer[] = [
  {
    blocks: [
      thinking('hm', 's1'),
      text('First'),
      call('toolu_1', 'echo', { text: 'a' }),
      call('toolu_2', 'effect', { name: 'b' }),
    ],
    stop: 'tool_use',
  },
  {
    blocks: [thinking('', 's2'), serverCall('srvtoolu_1', 'ls'), call('toolu_3', 'echo', { text: 'c' })],
    stop: 'tool_use',
  },
  {
    blocks: [serverResult('srvtoolu_1', 'x', ['file_abcdefgh1']), text('Then'), serverCall('srvtoolu_2', 'sleep')],
    stop: 'pause_turn',
  },
  { blocks: [serverResult('srvtoolu_2', 'y'), thinking('so', 's3'), text('Done')], stop: 'end_turn' },
];
const TOOLS = [echoTool(), effectTool(), codeExecutionTool];

interface Session {
  readonly controller: SessionController;
  entries(): readonly LogEntry[];
  requests(): number;
  /** What a webview would hold that saw only the first snapshot and the patches. */
  view(): ViewModel;
}

function open(script: readonly ScriptedAnswer[] | (() => ScriptedAnswer), cancelAt: number): Session {
  const model = scriptedModel(script);
  const world = agentWorld(model, TOOLS);
  const controller = createSessionController(world);
  let view: ViewModel = controller.snapshot();
  controller.onPatch(({ ops }) => (view = applyOps(view, ops)));
  model.beforeEvent = (count) => {
    if (count === cancelAt) void controller.stop();
  };
  return {
    controller,
    entries: () => world.logs.stored(controller.snapshot().state.sessionId),
    requests: () => model.events,
    view: () => view,
  };
}

/** Approves whatever waits until the turn has ended. */
async function finish(controller: SessionController): Promise<void> {
  for (let i = 0; i < 5000; i++) {
    await settle();
    const { rows, state } = controller.snapshot();
    for (const row of rows)
      if (row.kind === 'tool' && row.approval?.live) controller.answerApproval(row.approval.id, 'allow');
    if (!state.busy) return;
  }
  assert.fail('the turn does not end');
}

function assertReplayEqual(session: Session): void {
  const { rows } = session.controller.snapshot();
  assert.deepEqual(session.view().rows, rows, 'patches give what the snapshot gives');
  const replay = createTranscript(presenterOf(TOOLS));
  for (const entry of session.entries()) replay.apply({ type: 'entry', entry });
  const shape = (row: Row): string =>
    JSON.stringify(
      row.kind === 'text'
        ? [row.text, row.notSent, row.streaming]
        : row.kind === 'tool'
          ? [row.callId, row.status]
          : row.kind,
    );
  // Blocks that never finished are on screen only; everything else is in the log, in the same order.
  const logged = replay.rows().map(shape);
  const extra = rows.filter((row) => (logged[0] === shape(row) ? logged.shift() === undefined : true));
  assert.deepEqual(logged, [], 'the log alone gives the rows');
  assert.deepEqual(
    extra.filter((row) => row.kind !== 'thinking' && !('notSent' in row && row.notSent)),
    [],
  );
}

suite('cancel', () => {
  test('at any event of a turn leaves a log from which the next request is valid [C45,G1,G2,XA38]', async () => {
    const whole = open(TURN, -1);
    await whole.controller.submit('Hello');
    await finish(whole.controller);
    const events = whole.requests();
    assert.ok(events > 30, String(events));
    for (let at = 0; at < events; at++) {
      const session = open(TURN, at);
      await session.controller.submit('Hello');
      await finish(session.controller);
      const last = session.entries().at(-1);
      assert.equal(last?.type === 'turnEnded' && last.outcome, 'cancelled', `event ${String(at)}`);
      assertEveryPrefixValid(session.entries());
      assertReplayEqual(session);
      assert.equal(
        session.controller.snapshot().rows.some((row) => 'streaming' in row && row.streaming),
        false,
      );
    }
  });

  test('while an approval waits answers the call as not executed [C45]', async () => {
    const session = open([TURN[0] as ScriptedAnswer], -1);
    await session.controller.submit('Hello');
    for (let i = 0; i < 500 && session.controller.snapshot().state.waiting === 0; i++) await settle();
    await session.controller.stop();
    assert.deepEqual(
      session.entries().flatMap((entry) => (entry.type === 'toolFinished' ? [[entry.callId, entry.status]] : [])),
      [
        ['toolu_1', 'done'],
        ['toolu_2', 'cancelled'],
      ],
    );
    assert.equal(problemOf(session.entries(), 'next'), undefined);
    assert.equal(session.controller.snapshot().state.waiting, 0);
  });

  test('does not wait for a tool that never listens', async () => {
    const model = scriptedModel([{ blocks: [call('toolu_1', 'effect', { name: 'a' })], stop: 'tool_use' }]);
    const world = agentWorld(model, [effectTool({ hang: true })]);
    const controller = createSessionController(world);
    await controller.submit('Hello');
    for (let i = 0; i < 500; i++) {
      await settle();
      const row = controller.snapshot().rows.at(-1);
      if (row?.kind === 'tool' && row.approval) controller.answerApproval(row.approval.id, 'allow');
      if (row?.kind === 'tool' && row.status === 'running') break;
    }
    await controller.stop();
    const entry = world.logs
      .stored(controller.snapshot().state.sessionId)
      .find((known) => known.type === 'toolFinished');
    assert.ok(entry?.type === 'toolFinished' && entry.status === 'cancelled');
    assert.match(JSON.stringify(entry.content), /may be partial/);
  });
});

suite('any session', () => {
  const stops = [
    'tool_use',
    'end_turn',
    'max_tokens',
    'pause_turn',
    'refusal',
    'stop_sequence',
    'model_context_window_exceeded',
    'new_reason',
    null,
  ];
  let ids = 0;
  const block = fc.oneof(
    fc.constant('text'),
    fc.constant('blank'),
    fc.constant('thinking'),
    fc.constant('echo'),
    fc.constant('effect'),
    fc.constant('unknownTool'),
    fc.constant('serverCall'),
    fc.constant('serverPair'),
    fc.constant('lateResult'),
  );
  const answer = fc.record({
    blocks: fc.array(block, { maxLength: 5 }),
    stop: fc.constantFrom(...stops),
    end: fc.constantFrom('finish', 'finish', 'finish', 'fail', 'cut'),
  });

  /** Blocks with ids that are unique in the session, as the API's are. `open` are server calls without a result. */
  function build(kinds: readonly string[], open: string[]): NonNullable<ScriptedAnswer['blocks']> {
    return kinds.flatMap((kind) => {
      ids += 1;
      const id = String(ids);
      switch (kind) {
        case 'text':
          return [text(`text ${id}`)];
        case 'blank':
          return [text(ids % 2 === 0 ? '' : '\n\n')];
        case 'thinking':
          return [thinking(`t${id}`, `s${id}`)];
        case 'echo':
          return [call(`toolu_${id}`, 'echo', { text: id })];
        case 'effect':
          return [call(`toolu_${id}`, 'effect', { name: id })];
        case 'unknownTool':
          return [call(`toolu_${id}`, 'nope', {})];
        case 'serverCall':
          open.push(`srvtoolu_${id}`);
          return [serverCall(`srvtoolu_${id}`, 'ls')];
        case 'serverPair':
          return [serverCall(`srvtoolu_${id}`, 'ls'), serverResult(`srvtoolu_${id}`, 'x')];
        default: {
          const late = open.shift();
          return late === undefined ? [] : [serverResult(late, 'late')];
        }
      }
    });
  }

  test('projects to a valid request at every prefix, and shows the same live and from its log', async () => {
    const property = fc.asyncProperty(
      fc.array(answer, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: -40, max: 40 }),
      async (answers, cancelAt) => {
        const open_: string[] = [];
        const script = answers.map(({ blocks, stop, end }): ScriptedAnswer => {
          // Only a pause and a mixed group leave server calls open; elsewhere the API has answered them.
          const built = build(blocks, open_);
          return {
            blocks: built,
            stop,
            ...(end === 'fail' ? { fail: { kind: 'invalid-request', message: 'no' } } : {}),
            ...(end === 'cut' && built.length > 0 ? { fail: { kind: 'stream', message: 'cut' }, cutLast: true } : {}),
          };
        });
        const session = open(script, cancelAt);
        for (const prompt of ['one', 'two', 'three']) {
          await session.controller.submit(prompt);
          await finish(session.controller);
        }
        await session.controller.continueTurn();
        await finish(session.controller);
        assertEveryPrefixValid(session.entries());
        assertReplayEqual(session);
      },
    );
    await fc.assert(property, { numRuns: Number(process.env['LOOPDOCK_FUZZ_RUNS'] ?? 60) });
  }).timeout(600_000);
});
