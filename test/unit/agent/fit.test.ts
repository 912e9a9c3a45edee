import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelInfo, ModelRequest } from '../../../src/core/ports.ts';
import { agentWorld, CONFIG, echoTool } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
import { settle } from '../../support/fakes.ts';
import { INFO, scriptedModel, text, thinking } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

const LARGE: ModelInfo = { ...INFO, id: 'large', maxInputTokens: 1_000_000 };
const SMALL: ModelInfo = { ...INFO, id: 'small', maxInputTokens: 200_000 };
/** As the large model counts. */
const USED = 240_000;

type Counter = (request: ModelRequest) => Promise<number | undefined>;

/** A conversation of 240,000 tokens with the large model; the next message goes to the small one. */
async function start(count: Counter, config: Partial<AgentConfig> = {}) {
  const scripted = scriptedModel((request) => {
    const summary = JSON.stringify(request.messages.at(-1)).includes('Summarize this conversation');
    return {
      blocks: [thinking('hm'), text(summary ? 'SUMMARY' : 'one')],
      used: request.model === 'large' ? USED : 500,
    };
  });
  const counted: ModelRequest[] = [];
  const model = {
    ...scripted,
    requests: scripted.requests,
    models: () => Promise.resolve([LARGE, SMALL]),
    countTokens: (request: ModelRequest) => {
      counted.push(request);
      return count(request);
    },
  };
  const world = agentWorld(model, [echoTool()]);
  let chosen = 'large';
  const controller = createSessionController({
    ...world,
    config: () => Promise.resolve({ ...CONFIG, ...config, model: chosen }),
  });
  await controller.submit('first');
  await idle(controller);
  chosen = 'small';
  await controller.submit('second');
  await idle(controller);
  const entries = () => world.logs.stored(controller.snapshot().state.sessionId);
  return { scripted, counted, controller, entries, choose: (id: string) => (chosen = id) };
}

function lastNotice(controller: SessionController) {
  const row = controller.snapshot().rows.at(-1);
  assert.ok(row?.kind === 'notice');
  return row;
}

suite('a model with a smaller window', () => {
  test('is not sent what does not fit: it is counted, and a summary or another model is offered [G11]', async () => {
    const { scripted, counted, controller, entries } = await start(() => Promise.resolve(250_000));
    assert.equal(scripted.requests.length, 1);
    assert.equal(counted[0]?.model, 'small');
    assert.doesNotMatch(JSON.stringify(counted[0].messages), /"thinking"/);
    const notice = lastNotice(controller);
    assert.match(`${notice.title} ${notice.detail ?? ''}`, /does not fit.*250000 tokens.*small takes 200000/);
    assert.deepEqual(
      notice.actions.map(({ id }) => id),
      ['compact', 'tryAnotherModel'],
    );
    assertEveryPrefixValid(entries());
  });

  test('goes on after a summary that the larger model made, with what was said last [G11]', async () => {
    const { scripted, controller, entries } = await start(() => Promise.resolve(250_000));
    controller.noticeAction(lastNotice(controller).id, 'compact');
    for (let turn = 0; turn < 300 && scripted.requests.length < 3; turn++) await settle();
    await idle(controller);
    assert.deepEqual(
      scripted.requests.map(({ model }) => model),
      ['large', 'large', 'small'],
    );
    assert.match(JSON.stringify(scripted.requests[2]?.messages), /SUMMARY[^]*second/);
    assertEveryPrefixValid(entries());
  });

  test('is judged by an estimate where the server can not count, or fails to [G11]', async () => {
    for (const count of [() => Promise.resolve(undefined), () => Promise.reject(new Error('down'))]) {
      const { scripted, controller } = await start(count);
      assert.equal(scripted.requests.length, 1);
      assert.match(lastNotice(controller).detail ?? '', /about 24\d{4} tokens/);
    }
  });

  test('is sent what fits by its own count, whatever the estimate says', async () => {
    const { scripted } = await start(() => Promise.resolve(199_000), { compactAt: 0 });
    assert.deepEqual(
      scripted.requests.map(({ model }) => model),
      ['large', 'small'],
    );
  });

  test('is left for the larger one without anything lost', async () => {
    const { scripted, controller, choose } = await start(() => Promise.resolve(250_000));
    choose('large');
    await controller.continueTurn();
    await idle(controller);
    assert.deepEqual(
      scripted.requests.map(({ model }) => model),
      ['large', 'large'],
    );
    assert.equal(scripted.requests[1]?.messages.length, 3);
  });
});

suite('the window of the model', () => {
  test('is not counted while the conversation is far from it', async () => {
    const scripted = scriptedModel([]);
    let counts = 0;
    const countTokens = (): Promise<undefined> => {
      counts += 1;
      return Promise.resolve(undefined);
    };
    const controller = createSessionController(agentWorld({ ...scripted, countTokens }, [echoTool()]));
    await controller.submit('first');
    await idle(controller);
    assert.equal(counts, 0);
  });

  test('that one message alone passes is said before it is sent, and no summary is offered', async () => {
    const scripted = scriptedModel([], { ...INFO, maxInputTokens: 1_000 });
    const controller = createSessionController(agentWorld(scripted, [echoTool()]));
    await controller.submit('word '.repeat(2_000));
    await idle(controller);
    assert.equal(scripted.requests.length, 0);
    assert.deepEqual(
      lastNotice(controller).actions.map(({ id }) => id),
      ['tryAnotherModel'],
    );
  });

  test('that results have filled is made room in as the settings say, before the next turn', async () => {
    const scripted = scriptedModel(
      [{ blocks: [text('one')], used: 900 }, { blocks: [text('SUMMARY')] }, { blocks: [text('two')] }],
      { ...INFO, maxInputTokens: 1_000 },
    );
    const controller = createSessionController(agentWorld(scripted, [echoTool()], { compactAt: 95 }));
    await controller.submit('first');
    await idle(controller);
    await controller.submit('word '.repeat(200));
    await idle(controller);
    assert.equal(scripted.requests.length, 3);
    assert.match(JSON.stringify(scripted.requests[2]?.messages), /SUMMARY[^]*word/);
  });
});
