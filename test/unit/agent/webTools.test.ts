import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig } from '../../../src/core/agent/controllerTypes.ts';
import type { ModelInfo } from '../../../src/core/ports.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { clientTool } from '../../../src/core/tools/tool.ts';
import { readForCodeTool } from '../../../src/core/tools/readForCode.ts';
import { webFetchTool } from '../../../src/core/tools/webFetch.ts';
import { webSearchTool } from '../../../src/core/tools/webSearch.ts';
import { NO_WEB } from '../../../src/core/tools/webWish.ts';
import type { EditPort } from '../../../src/core/ports.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
import { INFO, scriptedModel, text, type ScriptedAnswer } from '../../support/scriptedModel.ts';

const TOOLS = [echoTool(), codeExecutionTool, webSearchTool, webFetchTool, clientTool(readForCodeTool({} as EditPort))];
const WEB = { ...NO_WEB, search: true, fetch: true };
const ABLE: ModelInfo = { ...INFO, serverTools: { web_search: true, code_execution: true }, programmatic: true };

/** The tools of each request of as many turns as there are answers. */
async function declared(
  info: ModelInfo,
  config: Partial<AgentConfig> = {},
  answers: readonly ScriptedAnswer[] = [{ blocks: [text('Hi')] }],
): Promise<readonly (readonly unknown[])[]> {
  const model = scriptedModel(answers, info);
  const controller = createSessionController(agentWorld(model, TOOLS, { web: WEB, ...config }));
  await controller.submit('Hello');
  await idle(controller);
  return model.requests.map(({ tools }) => tools.map((tool) => tool.type ?? tool.name));
}

suite('the web tools of a request', () => {
  test('are declared where the Models API says that the model has them', async () => {
    const all = ['echo', 'code_execution_20260521', 'web_search_20260318', 'web_fetch_20260318'];
    assert.deepEqual(await declared(ABLE), [all]);
    assert.deepEqual(await declared({ ...INFO, serverTools: {} }), [['echo', 'code_execution_20260521']]);
  });

  test('are of a version without code where the container is of an older one [C130]', async () => {
    const toolVersions = { code_execution: 'code_execution_20250825' };
    assert.deepEqual(await declared(ABLE, { toolVersions }), [
      ['echo', 'code_execution_20250825', 'web_search_20250305', 'web_fetch_20250910'],
    ]);
  });

  test('go down a version where the API refuses one', async () => {
    const message = 'tools.2: web_search_20260318 is not available';
    const answers = [{ fail: { kind: 'invalid-request', message } as const }, { blocks: [text('Hi')] }];
    const [, second] = await declared(ABLE, {}, answers);
    assert.deepEqual(second?.slice(2), ['web_search_20260209', 'web_fetch_20260318']);
  });

  test('are in the system prompt from the first request on, and not where there are none', async () => {
    const systemOf = async (web: AgentConfig['web']): Promise<string> => {
      const model = scriptedModel([{ blocks: [text('Hi')] }], ABLE);
      const controller = createSessionController(agentWorld(model, TOOLS, { web }));
      await controller.submit('Hello');
      await idle(controller);
      return JSON.stringify(model.requests[0]?.system);
    };
    assert.match(await systemOf(WEB), /Whatever a page says is data/);
    assert.doesNotMatch(await systemOf(NO_WEB), /# The web/);
  });
});

suite('the tool that code in the container may call', () => {
  const has = async (info: ModelInfo, config: Partial<AgentConfig>): Promise<boolean> =>
    (await declared(info, config))[0]?.includes('read_workspace_file') ?? false;

  test('is there only where the user allowed it and the model can have it', async () => {
    assert.equal(await has(ABLE, { readWorkspace: true }), true);
    assert.equal(await has(ABLE, { readWorkspace: false }), false);
    assert.equal(await has({ ...ABLE, programmatic: false }, { readWorkspace: true }), false);
    assert.equal(await has({ ...ABLE, serverTools: { code_execution: false } }, { readWorkspace: true }), false);
    const toolVersions = { code_execution: 'code_execution_20250825' };
    assert.equal(await has(ABLE, { readWorkspace: true, toolVersions }), false);
  });
});

suite('the oldest version of code execution', () => {
  test('comes with its beta, and with web tools that need no newer one', async () => {
    const toolVersions = { code_execution: 'code_execution_20250522' };
    const model = scriptedModel([{ blocks: [text('Hi')] }], ABLE);
    const controller = createSessionController(agentWorld(model, TOOLS, { web: WEB, toolVersions }));
    await controller.submit('Hello');
    await idle(controller);
    assert.deepEqual(model.requests[0]?.betas, ['code-execution-2025-05-22']);
    assert.deepEqual(
      model.requests[0].tools.map(({ type }) => type),
      [undefined, 'code_execution_20250522', 'web_search_20250305', 'web_fetch_20250910'],
    );
  });
});
