import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { NO_BUDGET } from '../../../src/core/cost/budget.ts';
import type { LogEntry } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import type { NoticeRow } from '../../../src/protocol/rows.ts';
import { agentWorld, echoTool, type AgentWorld } from '../../support/agent.ts';
import { end, idle } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import {
  call,
  scriptedModel,
  serverCall,
  serverResult,
  text,
  type ScriptedModel,
} from '../../support/scriptedModel.ts';

interface Scene {
  readonly world: AgentWorld;
  readonly model: ScriptedModel;
  readonly controller: SessionController;
  entries(): readonly LogEntry[];
}

/** A turn of three requests, if nothing stops it. The scripted model's own price is not listed: the user sets one. */
function scene(config: Partial<AgentConfig>): Scene {
  const echo = (id: string) => ({ blocks: [call(id, 'echo', { text: id })], stop: 'tool_use' });
  const model = scriptedModel([echo('a'), echo('b'), { blocks: [text('Done.')] }]);
  const world = agentWorld(model, [echoTool()], config);
  const controller = createSessionController(world);
  return { world, model, controller, entries: () => world.logs.stored(controller.snapshot().state.sessionId) };
}

async function untilAsked(controller: SessionController): Promise<NoticeRow> {
  for (let i = 0; i < 2000; i++) {
    await settle();
    const card = controller.snapshot().rows.find((row): row is NoticeRow => row.kind === 'notice' && row.asks === true);
    if (card !== undefined) return card;
  }
  return assert.fail('nothing was asked');
}

const requests = (cap: number): Partial<AgentConfig> => ({ budget: { ...NO_BUDGET, requests: cap } });

suite('the caps of a session', () => {
  test('ask nothing while they hold', async () => {
    const { controller, model } = scene(requests(3));
    await controller.submit('Go');
    await idle(controller);
    assert.equal(model.requests.length, 3);
  });

  test('ask before the request that would pass one, also between the rounds of a turn', async () => {
    const { controller, model, entries } = scene(requests(1));
    await controller.submit('Go');
    const card = await untilAsked(controller);
    assert.equal(model.requests.length, 1);
    assert.match(card.title, /request cap/);
    assert.match(card.detail ?? '', /about 2 requests of 1 requests\. Nothing was sent/);
    assert.equal(controller.snapshot().state.waiting, 1);
    controller.noticeAction(card.id, 'budgetStop');
    await idle(controller);
    assert.equal(end(entries()).outcome, 'limit');
    assert.equal(model.requests.length, 1);
    assert.equal(controller.snapshot().state.waiting, 0);
    assert.ok(!controller.snapshot().rows.some((row) => row.id === card.id));
  });

  test('are said to a screen reader with all of their text', async () => {
    const { controller } = scene(requests(1));
    const said: string[] = [];
    controller.onAnnounce((text) => said.push(text));
    await controller.submit('Go');
    const card = await untilAsked(controller);
    assert.equal(said.at(-1), `${card.title} ${card.detail ?? ''}`);
    await controller.stop();
  });

  test('of cost count the time of containers, which is in the total of the session as an estimate', async () => {
    const script = [
      { blocks: [serverCall('srvtoolu_1', 'ls'), serverResult('srvtoolu_1', 'x'), text('one')] },
      { blocks: [text('two')] },
    ];
    const model = scriptedModel(script);
    const price = { 'claude-simulated-5': { input: 1, output: 1 } };
    const budget = { ...NO_BUDGET, cost: 0.004 };
    const controller = createSessionController(agentWorld(model, [codeExecutionTool], { prices: price, budget }));
    await controller.submit('first');
    await idle(controller);
    // Five minutes of a container at least: $0.0042.
    assert.ok((controller.snapshot().state.usage?.session.nano ?? 0) > 4_000_000);
    await controller.submit('second');
    const card = await untilAsked(controller);
    assert.match(card.title, /cost cap/);
    await controller.stop();
  });

  test('let one request through when told so, and ask about the next', async () => {
    const { controller, model } = scene(requests(1));
    await controller.submit('Go');
    for (let asked = 0; asked < 2; asked++) {
      const card = await untilAsked(controller);
      controller.noticeAction(card.id, 'budgetOnce');
      for (let i = 0; i < 50 && model.requests.length < asked + 2; i++) await settle();
    }
    await idle(controller);
    assert.equal(model.requests.length, 3);
  });

  test('stay raised after a restart, and what was spent counts from the log', async () => {
    const first = scene(requests(2));
    await first.controller.submit('Go');
    const card = await untilAsked(first.controller);
    assert.match(card.actions[1]?.label ?? '', /Raise to 4 requests/);
    first.controller.noticeAction(card.id, 'budgetRaise');
    await idle(first.controller);
    assert.equal(first.model.requests.length, 3);
    const id = first.controller.snapshot().state.sessionId;
    first.controller.dispose();
    const again = createSessionController(first.world);
    await again.openSession(id);
    assert.equal(again.snapshot().state.usage?.session.requests, 3);
    await again.submit('And now?');
    await idle(again);
    assert.equal(first.model.requests.length, 4);
    await again.submit('And then?');
    assert.match((await untilAsked(again)).detail ?? '', /about 5 requests of 4 requests/);
    await again.stop();
  });

  test('wait cancellably: Stop ends the turn', async () => {
    const { controller, entries } = scene({ budget: { ...NO_BUDGET, tokens: 1 } });
    await controller.submit('Go');
    await untilAsked(controller);
    await controller.stop();
    assert.equal(end(entries()).outcome, 'cancelled');
    assert.ok(!controller.snapshot().rows.some((row) => row.kind === 'notice' && row.asks === true));
  });

  test('of cost count in dollars, by the forecast of the next request', async () => {
    const prices = { 'claude-simulated-5': { input: 1_000, output: 1_000 } };
    const { controller, model } = scene({ prices, budget: { ...NO_BUDGET, cost: 0.02 } });
    await controller.submit('Go');
    const card = await untilAsked(controller);
    // The first cost 1.5 cents; a second one like it would pass two.
    assert.equal(model.requests.length, 1);
    assert.equal(controller.snapshot().state.usage?.session.nano, 15_000_000);
    assert.match(card.title, /cost cap/);
    await controller.stop();
  });

  test('of cost say that they can’t be kept where no price is known', async () => {
    const { controller, model } = scene({ budget: { ...NO_BUDGET, cost: 5 } });
    await controller.submit('Go');
    const card = await untilAsked(controller);
    assert.equal(model.requests.length, 0);
    assert.match(card.detail ?? '', /not known, so the cap of \$5\.00 can not be kept/);
    controller.noticeAction(card.id, 'budgetRaise');
    await idle(controller);
    assert.equal(model.requests.length, 3);
  });

  test('are answered by their own card only', async () => {
    const { controller, model } = scene(requests(1));
    await controller.submit('Go');
    const card = await untilAsked(controller);
    controller.noticeAction('n:budget-other', 'budgetOnce');
    controller.noticeAction(card.id, 'budgetEverything');
    for (let i = 0; i < 50; i++) await settle();
    assert.equal(model.requests.length, 1);
    await controller.stop();
  });
});
