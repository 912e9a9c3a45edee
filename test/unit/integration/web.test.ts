import assert from 'node:assert/strict';
import { createApi } from '../../../src/api/index.ts';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { webFetchTool } from '../../../src/core/tools/webFetch.ts';
import { webSearchTool } from '../../../src/core/tools/webSearch.ts';
import { NO_WEB } from '../../../src/core/tools/webWish.ts';
import { createClock } from '../../../src/node/clock.ts';
import { scriptPrompt, scripted } from '../../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../../src/simulator/server.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { fakeLogger } from '../../support/fakes.ts';

const PAGE = 'https://docs.example.com/csv';
const TOOLS = [echoTool(), codeExecutionTool, webSearchTool, webFetchTool];

suite('the web against the simulator', () => {
  let simulator: Simulator;
  suiteSetup(async () => {
    simulator = await startSimulator({ scenario: scripted, chunkSize: 6 });
  });
  suiteTeardown(() => simulator.close());

  function open(web: Partial<AgentConfig['web']> = {}): SessionController {
    const clock = createClock();
    const connection = () => Promise.resolve({ baseUrl: simulator.url, apiKey: simulator.key });
    const api = createApi({ connection, logger: fakeLogger(), clock });
    const world = agentWorld(api.model, TOOLS, { web: { ...NO_WEB, search: true, fetch: true, ...web } });
    return createSessionController({ ...world, clock });
  }

  async function say(controller: SessionController, prompt: string): Promise<void> {
    await controller.submit(prompt);
    for (let i = 0; i < 2000 && controller.snapshot().state.busy; i++)
      await new Promise((resolve) => setTimeout(resolve, 2));
    assert.equal(controller.snapshot().state.busy, false);
  }

  test('a search in code, a page and a cited answer are shown, and go back as they came [C131]', async () => {
    const controller = open();
    const steps = [
      { type: 'thinking', text: 'hm' },
      { type: 'web_search', query: 'csv quotes', inCode: true },
      { type: 'web_fetch', url: PAGE },
      { type: 'text', text: 'Fields with commas ' },
      { type: 'text', text: 'stand in quotes', cites: [PAGE] },
      { type: 'text', text: '.' },
    ] as const;
    await say(controller, scriptPrompt(`Look at ${PAGE}`, [{ steps }]));
    const { rows } = controller.snapshot();
    assert.deepEqual(
      rows.flatMap((row) => (row.kind === 'tool' ? [[row.tool, row.place, row.nested ?? false, row.status]] : [])),
      [
        ['code_execution', 'container', false, 'done'],
        ['web_search', 'server', true, 'done'],
        ['web_fetch', 'server', false, 'done'],
      ],
    );
    const texts = rows.flatMap((row) => (row.kind === 'text' ? [row] : []));
    assert.equal(texts.length, 1);
    assert.match(texts[0]?.text ?? '', /^Fields with commas stand in quotes \[\\\[1\\\]\]\(.*\)\.$/);
    assert.deepEqual(
      texts[0]?.sources?.map(({ url }) => url),
      [PAGE],
    );
    // The simulator refuses thinking behind anything that was altered.
    await say(controller, 'And now?');
    assert.equal(controller.snapshot().rows.at(-1)?.kind, 'text');
    assert.deepEqual(
      simulator.requests.filter(({ status }) => status !== undefined && status >= 400),
      [],
    );
  });

  test('what is not allowed is not read', async () => {
    const controller = open({ allowedDomains: ['blog.example.org'] });
    await say(controller, scriptPrompt(`Look at ${PAGE}`, [{ steps: [{ type: 'web_fetch', url: PAGE }] }]));
    const card = controller.snapshot().rows.find((row) => row.kind === 'tool');
    assert.ok(card?.kind === 'tool' && card.status === 'error' && card.body.kind === 'text');
    assert.match(card.body.text, /not allowed/);
  });
});
