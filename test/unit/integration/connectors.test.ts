import assert from 'node:assert/strict';
import { createApi } from '../../../src/api/index.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { advisorTool } from '../../../src/core/tools/advisor.ts';
import { toolSearchTool } from '../../../src/core/tools/toolSearch.ts';
import { createClock } from '../../../src/node/clock.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { echoTool } from '../../support/agent.ts';
import { fakeLogger } from '../../support/fakes.ts';
import { finish, refused, sentTo, simulated, storedEntries } from '../../support/simulated.ts';
import { simulatorPerTest } from '../../support/simulatorPerTest.ts';

const TOKEN = 'tracker-token-0123456789';
const TRACKER = { name: 'tracker', tools: [], deferred: false };
const ADVISOR = { model: 'claude-opus-5-5', maxUses: 2 };
const TOOLS = [echoTool(), toolSearchTool, advisorTool];
const call = {
  type: 'mcp_call',
  server: 'tracker',
  name: 'get_issue',
  input: { id: 7 },
  result: 'It is late.',
} as const;
const done = { type: 'text', text: 'So it is.' } as const;

suite('the MCP connector and the advisor, against the simulator', () => {
  const world = simulatorPerTest(400);

  async function open(config: Partial<AgentConfig>, sessionId?: string): Promise<SessionController> {
    const mcpServers = { tracker: { url: 'https://tracker.example/mcp', token: TOKEN } };
    const api = createApi({
      connection: async () => ({ baseUrl: world.simulator.url, apiKey: world.simulator.key, mcpServers }),
      ...{ logger: fakeLogger(), clock: createClock() },
    });
    const { controller } = simulated({
      ...{ simulator: world.simulator, dir: world.folder, tools: TOOLS, config: { compactAt: 0, ...config } },
      deps: { model: api.model },
    });
    world.opened.push(controller);
    if (sessionId !== undefined) await controller.openSession(sessionId);
    return controller;
  }

  async function say(controller: SessionController, text: string): Promise<string> {
    await controller.submit(text);
    await finish(controller);
    return controller.snapshot().state.sessionId;
  }

  const cards = (controller: SessionController): unknown[] =>
    controller.snapshot().rows.flatMap((row) => (row.kind === 'tool' ? [[row.title, row.status]] : []));

  test('each server has its toolset, with a token that no log holds; what came is shown and goes back as it was [C137]', async () => {
    const controller = await open({ mcp: [TRACKER] });
    const listing = { type: 'mcp_listing', server: 'tracker', tools: ['get_issue', 'list'] } as const;
    await say(controller, scriptPrompt('How is 7?', [{ steps: [listing, call, done] }]));
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    const [first, second] = sentTo(world.simulator).map(({ body }) => body as Record<string, unknown>);
    const server = { type: 'url', url: 'https://tracker.example/mcp', name: 'tracker', authorization_token: TOKEN };
    assert.deepEqual(first?.['mcp_servers'], [server]);
    const [listed, called, result] =
      (second?.['messages'] as { content: Record<string, unknown>[] }[])[1]?.content ?? [];
    assert.equal((listed?.['tools'] as unknown[]).length, 2);
    assert.deepEqual([called?.['server_name'], called?.['input']], ['tracker', { id: 7 }]);
    assert.deepEqual(result?.['content'], [{ type: 'text', text: 'It is late.' }]);
    assert.deepEqual(cards(controller), [['tracker · get_issue', 'done']]);
    const notice = controller.snapshot().rows.find((row) => row.kind === 'notice');
    assert.match(JSON.stringify(notice), /tracker offers 2 tools/);
    assert.ok(!JSON.stringify(await storedEntries(controller, world.folder)).includes(TOKEN));
  });

  test('a server that is gone from the settings does not end its conversations [C18,C60]', async () => {
    const before = await open({ mcp: [{ ...TRACKER, deferred: true }] });
    const steps = [
      { type: 'mcp_listing', server: 'tracker', tools: ['get_issue'] },
      { type: 'tool_search', query: 'issue', found: ['get_issue'] },
      { ...call, deferred: true },
    ] as const;
    const script = scriptPrompt('Look', [{ steps, stop: { reason: 'pause_turn' } }, { steps: [done] }]);
    const id = await say(before, script);
    assert.deepEqual(refused(world.simulator), []);
    before.dispose();
    const controller = await open({ mcp: [] }, id);
    await say(controller, 'Still there?');
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    const { body, betas } = sentTo(world.simulator).at(-1) ?? { body: {}, betas: [] };
    assert.ok(!('mcp_servers' in (body as object)));
    assert.ok(betas.includes('mcp-client-2026-09-15'));
    const text = JSON.stringify((body as { messages?: unknown }).messages);
    assert.ok(
      text.includes('mcp_tool_result') && !text.includes('mcp_tool_listing') && !text.includes('tool_reference'),
    );
  });

  test('an advisor that pauses the turn is there when it goes on, and its tokens are its own [C139]', async () => {
    const controller = await open({ advisor: ADVISOR });
    const asking = { steps: [{ type: 'advisor', deferred: true }], stop: { reason: 'pause_turn' } } as const;
    await say(controller, scriptPrompt('Ask.', [asking, { steps: [done] }]));
    assert.deepEqual(refused(world.simulator), []);
    assert.deepEqual(cards(controller), [['Advisor', 'done']]);
    const usage = JSON.stringify(await storedEntries(controller, world.folder));
    assert.match(usage, /"advisor_message","model":"claude-opus-5-5"/);
  });

  test('an advisor that fails is a card that says so, and Claude goes on', async () => {
    const controller = await open({ advisor: ADVISOR });
    await say(controller, scriptPrompt('Ask.', [{ steps: [{ type: 'advisor', error: 'overloaded' }, done] }]));
    const card = controller.snapshot().rows.find((row) => row.kind === 'tool');
    assert.ok(card?.kind === 'tool');
    assert.deepEqual(
      [card.status, card.body.kind === 'text' && card.body.text],
      ['error', 'The advisor’s model has too much to do right now. Claude goes on without it.'],
    );
  });

  test('a switched off advisor leaves conversations that asked it as they are [C18]', async () => {
    const before = await open({ advisor: ADVISOR });
    const id = await say(before, scriptPrompt('Ask.', [{ steps: [{ type: 'advisor', advice: 'Wait.' }, done] }]));
    before.dispose();
    await say(await open({}, id), 'Go on');
    assert.deepEqual(refused(world.simulator), []);
    assert.ok(sentTo(world.simulator).at(-1)?.betas.includes('advisor-tool-2026-03-01'));
  });
});
