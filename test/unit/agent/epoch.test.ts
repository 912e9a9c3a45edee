import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig } from '../../../src/core/agent/controllerTypes.ts';
import { ApiError, type ApiFailure } from '../../../src/core/errors.ts';
import type { ModelInfo } from '../../../src/core/ports.ts';
import { agentWorld, CONFIG, echoTool } from '../../support/agent.ts';
import { end, idle, start } from '../../support/agentRun.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { clientTool } from '../../../src/core/tools/tool.ts';
import { INFO, scriptedModel, text, thinking } from '../../support/scriptedModel.ts';
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
});
