import assert from 'node:assert/strict';
import { createApi } from '../../../src/api/index.ts';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { createClock } from '../../../src/node/clock.ts';
import { createIds } from '../../../src/node/ids.ts';
import { bashTool } from '../../../src/core/tools/bash.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { textEditorTool } from '../../../src/core/tools/textEditor.ts';
import type { AnyTool } from '../../../src/core/tools/tool.ts';
import { agentWorld, CONFIG, echoTool } from '../../support/agent.ts';
import { fakeEditPort } from '../../support/fakeEditPort.ts';
import { fakeTerminal } from '../../support/fakeTerminal.ts';
import { fakeLogger } from '../../support/fakes.ts';
import { startMinimalServer, type MinimalOptions, type SentBody } from '../../support/minimalServer.ts';
import { assertSentFitsSdk } from '../../support/sdkRequests.ts';
import type { RawServer } from '../../support/sseServer.ts';

interface World {
  readonly server: RawServer;
  readonly controller: SessionController;
  /** The bodies that the server was sent. */
  bodies(): readonly SentBody[];
}

async function open(
  options: MinimalOptions,
  tools: readonly AnyTool[] = [echoTool(), codeExecutionTool],
): Promise<World> {
  const server = await startMinimalServer(options);
  const [clock, ids, logger] = [createClock(), createIds(), fakeLogger()];
  const api = createApi({ connection: () => Promise.resolve({ baseUrl: server.url, apiKey: 'local' }), logger, clock });
  const world = agentWorld(api.model, tools);
  const controller = createSessionController({
    ...{ ...world, clock, ids, logger, files: api.files },
    config: () => Promise.resolve({ ...CONFIG, model: 'local-model', baseUrl: server.url }),
  });
  const bodies = () =>
    server.requests.filter(({ url }) => url === '/v1/messages').map(({ body }) => JSON.parse(body) as SentBody);
  return { server, controller, bodies };
}

async function say(controller: SessionController, text: string): Promise<void> {
  await controller.submit(text);
  for (let i = 0; i < 2000 && controller.snapshot().state.busy; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  assert.equal(controller.snapshot().state.busy, false);
}

const servers: readonly (readonly [string, MinimalOptions])[] = [
  ['that streams without ids and usage', {}],
  ['that does not stream', { whole: true }],
  ['with a stop reason of its own', { stopReason: 'stop' }],
  ['that knows no tool types of Anthropic’s', { refusesTypedTools: true }],
];

suite('a local server without Models API, count_tokens and Files', () => {
  for (const [name, options] of servers) {
    test(`${name} runs tools, answers, and takes the next prompt`, async () => {
      const { server, controller, bodies } = await open(options);
      try {
        await say(controller, 'Hello');
        const entries = controller.log()?.entries() ?? [];
        const ended = entries.findLast((entry) => entry.type === 'turnEnded');
        assert.ok(ended?.outcome === 'done' || options.stopReason !== undefined, JSON.stringify(ended));
        assert.notEqual(ended?.outcome, 'failed');
        assertSentFitsSdk(bodies().map((body) => ({ path: '/v1/messages', body })));
        assert.ok(entries.some((entry) => entry.type === 'toolFinished' && entry.status === 'done'));
        await say(controller, 'Again');
        const last = bodies().at(-1);
        assert.deepEqual(
          last?.messages.map(({ role }) => role),
          ['user', 'assistant', 'user', 'assistant', 'user'],
        );
        const rows = controller.snapshot().rows;
        assert.equal(rows.filter((row) => row.kind === 'text' && row.text === 'Hi').length, 2);
        assert.deepEqual(
          rows.filter((row) => row.kind === 'notice' && row.severity === 'error'),
          [],
        );
      } finally {
        controller.dispose();
        await server.close();
      }
    });
  }

  test('has typed tools of this machine declared with a schema, once it refused their types', async () => {
    const terminal = fakeTerminal({ 'echo hi': { output: 'hi' } });
    const tools = [textEditorTool(fakeEditPort()), bashTool(terminal), codeExecutionTool] as unknown as AnyTool[];
    const call = { name: 'bash', input: { command: 'echo hi' } };
    const { server, controller, bodies } = await open({ refusesTypedTools: true, call }, tools);
    try {
      const saying = say(controller, 'Hello');
      for (let i = 0; i < 2000 && controller.snapshot().state.waiting === 0; i++)
        await new Promise((resolve) => setTimeout(resolve, 2));
      const row = controller.snapshot().rows.find((each) => each.kind === 'tool');
      controller.answerApproval((row?.kind === 'tool' && row.approval?.id) || '', 'allow');
      await saying;
      const [last] = bodies().slice(-1);
      assert.deepEqual(
        last?.tools?.map(({ name, type, ...rest }) => [name, type, 'input_schema' in rest && 'description' in rest]),
        [
          ['str_replace_based_edit_tool', undefined, true],
          ['bash', undefined, true],
        ],
      );
      assert.match(JSON.stringify(last.messages), /tool_result.*hi/);
      assertSentFitsSdk(bodies().map((body) => ({ path: '/v1/messages', body })));
    } finally {
      controller.dispose();
      await server.close();
    }
  });

  test('has what it refused switched off, for that address and from then on', async () => {
    const { server, controller, bodies } = await open({ refusesTypedTools: true });
    try {
      await say(controller, 'Hello');
      await say(controller, 'Again');
      await controller.newSession();
      const before = bodies().length;
      await say(controller, 'In a new session');
      const later = bodies().slice(before);
      assert.ok(later.length > 0);
      for (const { tools } of later)
        assert.deepEqual(
          tools?.map((tool) => tool.name),
          ['echo'],
        );
    } finally {
      controller.dispose();
      await server.close();
    }
  });
});
