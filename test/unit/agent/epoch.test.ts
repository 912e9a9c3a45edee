import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig } from '../../../src/core/agent/controllerTypes.ts';
import { ApiError, type ApiFailure } from '../../../src/core/errors.ts';
import type { ModelInfo } from '../../../src/core/ports.ts';
import { agentWorld, CONFIG, echoTool } from '../../support/agent.ts';
import { end, idle, start } from '../../support/agentRun.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { clientTool } from '../../../src/core/tools/tool.ts';
import { call, INFO, scriptedModel, text, thinking } from '../../support/scriptedModel.ts';
import { z } from 'zod';

const REFUSED: ApiFailure = {
  kind: 'invalid-request',
  status: 400,
  message: 'code_execution_20250825 is not supported',
};

/** A client tool that the API types, as bash is. */
const typedTool = clientTool<object>({
  kind: 'client',
  name: 'bash',
  versions: ['bash_20250124'],
  declare: () => ({ type: 'bash_20250124', name: 'bash' }),
  input: z.object({}),
  readOnly: () => true,
  title: () => 'Bash',
  prepare: () => Promise.reject(new Error('not called')),
});

suite('the prefix of a session', () => {
  test('a pinned tool version that the API refuses ends the turn instead of being sent again and again', async () => {
    const model = scriptedModel((_request) => {
      if (model.requests.length > 20) throw new Error('sent for ever');
      return { fail: REFUSED };
    });
    const world = agentWorld(model, [codeExecutionTool], {
      toolVersions: { code_execution: 'code_execution_20250825' },
    });
    const controller = createSessionController(world);
    await controller.submit('Hello');
    await idle(controller);
    assert.equal(model.requests.length, 1);
    assert.equal(end(world.logs.stored(controller.snapshot().state.sessionId)).outcome, 'failed');
  });

  test('steps down the tool that was refused, not one that the message lists as expected', async () => {
    const message =
      "tools.1: Input tag 'code_execution_20260521' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom', 'code_execution_20260120'";
    const model = scriptedModel([{ fail: { ...REFUSED, message } }]);
    const { controller, idle: wait } = start(model, [typedTool, codeExecutionTool]);
    await controller.submit('Hello');
    await wait();
    assert.deepEqual(
      model.requests[1]?.tools.map((tool) => tool.type),
      ['bash_20250124', 'code_execution_20260120'],
    );
  });

  test('stays as it is while the list of models is not to be had', async () => {
    const info: ModelInfo = { ...INFO, serverTools: { code_execution: false }, thinkingTypes: { adaptive: true } };
    for (const wanted of ['', INFO.id]) {
      const config: AgentConfig = { ...CONFIG, model: wanted };
      const scripted = scriptedModel(
        [{ blocks: [thinking('hm', 's1'), text('one')] }, { blocks: [text('two')] }],
        info,
      );
      const world = agentWorld(scripted, [echoTool(), codeExecutionTool]);
      const controller = createSessionController({ ...world, config: () => Promise.resolve(config) });
      await controller.submit('first');
      await idle(controller);
      scripted.models = () => Promise.reject(new ApiError({ kind: 'timeout', message: 'slow' }));
      await controller.submit('second');
      await idle(controller);
      const log = world.logs.stored(controller.snapshot().state.sessionId);
      assert.equal(log.filter((entry) => entry.type === 'epochStarted').length, 1, `model '${wanted}'`);
      assert.equal(scripted.requests[1]?.model, INFO.id);
    }
  });

  const THINKER: ModelInfo = {
    ...INFO,
    thinkingTypes: { adaptive: true, disabled: true },
    effort: { low: true, high: true },
  };

  test('begins anew when the effort was changed, between turns only, and says what that costs [C63]', async () => {
    let config: AgentConfig = CONFIG;
    let rounds = 0;
    const scripted = scriptedModel((request) => {
      rounds += 1;
      if (rounds === 2) {
        // The user changes the setting while the tool loop runs.
        config = { ...CONFIG, thinking: { thinking: 'auto', effort: 'low' } };
        assert.equal(request.effort, undefined);
      }
      return rounds <= 2
        ? { blocks: [thinking('hm'), call(`toolu_${rounds}`, 'echo', { text: 'a' })], stop: 'tool_use' }
        : { blocks: [text('Done')] };
    }, THINKER);
    const world = agentWorld(scripted, [echoTool()]);
    const controller = createSessionController({ ...world, config: () => Promise.resolve(config) });
    await controller.submit('first');
    await idle(controller);
    await controller.submit('second');
    await idle(controller);
    assert.deepEqual(
      scripted.requests.map(({ effort }) => effort),
      [undefined, undefined, undefined, 'low'],
    );
    const notice = controller.snapshot().rows.find((row) => row.kind === 'notice');
    assert.match(`${notice?.title} ${notice?.detail}`, /effort: low.*about 10 tokens/);
    const sent = JSON.stringify(scripted.requests[3]?.messages);
    assert.ok(!sent.includes('"thinking"'), 'thinking of the earlier prefix stays behind');
    assert.deepEqual(scripted.requests[3]?.system, scripted.requests[0]?.system);
  });

  test('keeps its thinking where a turn goes on after it was stopped between a call and its result [C63]', async () => {
    let config: AgentConfig = CONFIG;
    const scripted = scriptedModel(
      [
        { blocks: [thinking('hm'), call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
        { fail: { kind: 'invalid-request', message: 'no' } },
        { blocks: [text('Done')] },
      ],
      THINKER,
    );
    const world = agentWorld(scripted, [echoTool()]);
    const controller = createSessionController({ ...world, config: () => Promise.resolve(config) });
    await controller.submit('first');
    await idle(controller);
    config = { ...CONFIG, thinking: { thinking: 'off', effort: 'default' } };
    await controller.continueTurn();
    await idle(controller);
    assert.deepEqual(scripted.requests[2]?.thinking, scripted.requests[0]?.thinking);
    assert.ok(JSON.stringify(scripted.requests[2]?.messages).includes('"thinking"'));
    await controller.submit('second');
    await idle(controller);
    assert.deepEqual(scripted.requests[3]?.thinking, { type: 'disabled' });
  });

  test('has bound thinking dropped after the API refused it once, for the rest of the conversation [C146,C18]', async () => {
    const message =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
    const bound = { kind: 'invalid-request', status: 400, message } as const;
    let config: AgentConfig = CONFIG;
    const scripted = scriptedModel(
      [{ blocks: [thinking('hm'), text('one')] }, { fail: bound }, { blocks: [text('two')] }],
      THINKER,
    );
    const world = agentWorld(scripted, [echoTool()]);
    const controller = createSessionController({ ...world, config: () => Promise.resolve(config) });
    await controller.submit('first');
    await idle(controller);
    await controller.submit('second');
    await idle(controller);
    const dropping = {
      type: 'adaptive',
      display: 'summarized',
      block_binding: { prefix_mismatch_behavior: 'drop_block' },
    };
    assert.deepEqual(scripted.requests[2]?.thinking, dropping);
    assert.deepEqual(scripted.requests[2].betas, ['thinking-binding-controls-2026-08-01']);
    assert.ok(!JSON.stringify(scripted.requests[2].messages).includes('"thinking"'));
    config = { ...CONFIG, thinking: { thinking: 'auto', effort: 'low' } };
    await controller.submit('third');
    await idle(controller);
    assert.deepEqual([scripted.requests[3]?.thinking, scripted.requests[3]?.effort], [dropping, 'low']);
    assert.equal(scripted.requests.length, 4);
  });

  test('does not send a body again that was refused although bound thinking is dropped [C146]', async () => {
    const bound = { kind: 'invalid-request', message: 'bound to a different conversation' } as const;
    const scripted = scriptedModel(() => ({ fail: bound }), THINKER);
    const { controller, idle: wait, entries } = start(scripted);
    await controller.submit('first');
    await wait();
    assert.deepEqual([scripted.requests.length, end(entries()).outcome], [2, 'failed']);
  });
});
