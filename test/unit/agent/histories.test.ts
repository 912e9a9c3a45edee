import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toModelInfo } from '../../../src/api/models.ts';
import { buildBody } from '../../../src/api/request.ts';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { NO_BUDGET } from '../../../src/core/cost/budget.ts';
import type { ApiFailure } from '../../../src/core/errors.ts';
import type { ModelRequest } from '../../../src/core/ports.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { createIssuedState } from '../../../src/simulator/issued.ts';
import { MODELS } from '../../../src/simulator/models.ts';
import { validateRequest } from '../../../src/simulator/validate.ts';
import { agentWorld, CONFIG, echoTool, effectTool } from '../../support/agent.ts';
import { settle } from '../../support/fakes.ts';
import {
  call,
  scriptedModel,
  serverCall,
  serverResult,
  text,
  thinking,
  type ScriptedAnswer,
  type ScriptedModel,
} from '../../support/scriptedModel.ts';

/** Each run is a whole conversation, some tens of milliseconds. */
const RUNS = Number(process.env['LOOPDOCK_HISTORY_RUNS'] ?? 25);
const LENIENT = { acceptUnknownSignatures: true, acceptUnknownFiles: true, acceptUnknownContainers: true };

type Block =
  | 'text'
  | 'empty'
  | 'thinking'
  | 'read'
  | 'effect'
  | 'unknownTool'
  | 'badInput'
  | 'server'
  | 'pending'
  | 'odd'
  | 'twin'
  | 'badId';

interface Wild {
  readonly blocks: readonly Block[];
  readonly stop: string | null;
  readonly fail: ApiFailure | undefined;
  readonly cutLast: boolean;
  /** Results of calls that the answer before left open come first. */
  readonly settles: boolean;
}

const wild: fc.Arbitrary<Wild> = fc.record({
  blocks: fc.array(
    fc.constantFrom<Block>(
      ...(['text', 'empty', 'thinking', 'read', 'read', 'effect'] as const),
      ...(['unknownTool', 'badInput', 'server', 'pending', 'pending', 'odd', 'twin', 'badId'] as const),
    ),
    { maxLength: 5 },
  ),
  stop: fc.constantFrom(
    ...['end_turn', 'tool_use', 'tool_use', 'tool_use', 'pause_turn', 'max_tokens', 'refusal'],
    ...['model_context_window_exceeded', 'compaction', 'stop_sequence', 'someday', null],
  ),
  fail: fc.option(
    fc.constantFrom<ApiFailure>(
      { kind: 'overloaded', message: 'x', status: 529 },
      { kind: 'connection', message: 'x' },
      { kind: 'invalid-request', message: 'x', status: 400 },
    ),
    { freq: 6, nil: undefined },
  ),
  cutLast: fc.boolean(),
  settles: fc.boolean(),
});

type Step =
  | { readonly do: 'say'; readonly answers: readonly Wild[]; readonly stopAt: number | undefined }
  | { readonly do: 'compact' | 'reopen' | 'branch' | 'model'; readonly at: number }
  | { readonly do: 'cap'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      answers: fc.array(wild, { maxLength: 5 }),
      stopAt: fc.option(fc.nat(30), { freq: 2, nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('compact' as const, 'reopen' as const, 'branch' as const, 'model' as const, 'cap' as const),
      at: fc.nat(40),
    }),
  },
);

/** A model that answers as it likes, and says what the API would have said to each request. */
function wildModel(): ScriptedModel & { waiting: Wild[]; readonly refused: string[] } {
  const open: string[] = [];
  const refused: string[] = [];
  const waiting: Wild[] = [];
  let ids = 0;
  const blockOf = (kind: Block): ReturnType<typeof text>[] => {
    const id = `toolu_${String(++ids)}`;
    const server = `srvtoolu_${String(ids)}`;
    switch (kind) {
      case 'text':
        return [text('word')];
      case 'empty':
        return [text('')];
      case 'thinking':
        return [thinking('hm', `sig${id}`)];
      case 'read':
        return [call(id, 'echo', { text: id })];
      case 'effect':
        return [call(id, 'effect', { name: id })];
      case 'unknownTool':
        return [call(id, 'nowhere', {})];
      case 'badInput':
        return [call(id, 'echo', { text: 7 })];
      case 'server':
        return [serverCall(server, 'ls'), serverResult(server, 'ok')];
      case 'pending':
        open.push(server);
        return [serverCall(server, 'ls')];
      case 'twin':
        return [call('toolu_twin', 'echo', { text: id })];
      case 'badId':
        return [call(`toolu ${id}!`, 'echo', { text: id })];
      case 'odd':
        return [{ type: 'hologram', beams: 3 } as never];
    }
  };
  const answer = (request: ModelRequest): ScriptedAnswer => {
    const built = buildBody(request);
    assert.ok(built.ok);
    const state = createIssuedState(LENIENT);
    const problem = validateRequest(JSON.parse(built.json), state, { betas: request.betas });
    if (problem !== null) refused.push(`${JSON.stringify(problem)}\n${JSON.stringify(request.messages, null, 1)}`);
    const next = waiting.shift();
    if (next === undefined) return { blocks: [text('Done.')], stop: 'end_turn' };
    const results = next.settles ? open.splice(0).map((id) => serverResult(id, 'late')) : [];
    if (!next.settles) open.length = 0;
    const blocks = [...results, ...next.blocks.flatMap(blockOf)];
    const { stop, fail } = next;
    return { blocks, stop, ...(fail === undefined ? {} : { fail, cutLast: next.cutLast }) };
  };
  const listed = MODELS.flatMap(({ info }) => toModelInfo(info) ?? []);
  return Object.assign(scriptedModel(answer), { models: () => Promise.resolve(listed), waiting, refused });
}

/** Until the turn ends; whoever asks gets an answer. */
async function ended(controller: SessionController, yes: boolean): Promise<void> {
  for (let round = 0; round < 3000; round++) {
    await settle();
    const { state, rows } = controller.snapshot();
    if (!state.busy) return;
    for (const row of rows) {
      if (row.kind === 'tool' && row.approval !== undefined)
        controller.answerApproval(row.approval.id, yes ? 'allow' : 'deny');
      if (row.kind !== 'notice' || row.id.startsWith('n:live')) continue;
      const choice = yes ? row.actions[0] : row.actions.at(-1);
      if (choice !== undefined && choice.id !== 'newSession') controller.noticeAction(row.id, choice.id);
    }
  }
  assert.fail(`never ends: ${controller.snapshot().state.phase}`);
}

async function play(steps: readonly Step[], yes: boolean): Promise<void> {
  const model = wildModel();
  const world = agentWorld(model, [echoTool(), effectTool(), codeExecutionTool]);
  let config: AgentConfig = { ...CONFIG, model: MODELS[0]?.info.id ?? '' };
  const controller = createSessionController({ ...world, config: () => Promise.resolve(config) });
  const say = async (): Promise<void> => {
    await controller.submit('say');
    await ended(controller, yes);
  };
  const walk = async (taken: Step): Promise<void> => {
    const id = controller.snapshot().state.sessionId;
    const log = controller.log();
    switch (taken.do) {
      case 'say': {
        model.waiting.splice(0, Infinity, ...taken.answers);
        const from = model.events + (taken.stopAt ?? Infinity);
        model.beforeEvent = (count) => void (count === from && controller.stop());
        await say();
        model.beforeEvent = undefined;
        model.waiting.length = 0;
        return;
      }
      case 'compact':
        return controller.compact();
      case 'model':
        config = { ...config, model: MODELS[taken.at % 2]?.info.id ?? '' };
        return controller.refresh();
      case 'cap':
        config = { ...config, budget: { ...NO_BUDGET, requests: taken.at % 6 } };
        return;
      case 'reopen':
        await controller.newSession();
        if (id !== '') await controller.openSession(id);
        return;
      default: {
        const entries = log?.entries() ?? [];
        if (log === undefined || entries.length === 0) return;
        const kept = entries.slice(0, taken.at % (entries.length + 1));
        return controller.openSession(await world.logs.branch(log.header, kept));
      }
    }
  };
  for (const taken of steps) await walk(taken);
  config = { ...config, budget: NO_BUDGET };
  await say();
  controller.dispose();
  assert.deepEqual(model.refused, []);
  const last = world.logs.stored(controller.snapshot().state.sessionId).findLast(({ type }) => type === 'turnEnded');
  assert.equal(last?.type === 'turnEnded' && last.outcome, 'done', JSON.stringify(last));
  assert.deepEqual(
    world.logger.lines.filter((line) => /could not go on|listener failed/i.test(JSON.stringify(line))),
    [],
  );
}

suite('a conversation with everything in it', () => {
  test('never sends what the API would refuse, and always ends', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), play), {
      numRuns: RUNS,
    });
  });
});
