import assert from 'node:assert/strict';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { AnyTool } from '../../../src/core/tools/tool.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import { echoTool, effectTool } from '../../support/agent.ts';
import { finish, refused, sentTo, simulated, storedEntries } from '../../support/simulated.ts';
import { simulatorPerTest } from '../../support/simulatorPerTest.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

interface Sent {
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly type: string }[] }[];
}

const BETAS = ['mid-conversation-tool-changes-2026-07-01', 'inline-tools-2026-09-15'];
const THINKING = scriptPrompt('Think.', [
  {
    steps: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'Done.' },
    ],
  },
]);

suite('tools that change in a conversation, against the simulator', () => {
  const world = simulatorPerTest(40);

  /** A session that goes on with other tools: opened again from its file. */
  async function open(tools: readonly AnyTool[], sessionId?: string, model = ''): Promise<SessionController> {
    const { controller } = simulated({
      simulator: world.simulator,
      dir: world.folder,
      tools,
      config: { compactAt: 0, model },
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

  async function before(tools: readonly AnyTool[], model?: string): Promise<string> {
    const controller = await open(tools, undefined, model);
    const id = await say(controller, THINKING);
    controller.dispose();
    return id;
  }

  const sent = () => sentTo(world.simulator).map(({ body, betas }) => ({ body: body as Sent, betas }));
  const stored = (controller: SessionController) => storedEntries(controller, world.folder);

  test('are told in a message at the end: the prefix and what was thought stay, byte for byte [C16,C18,C100,C149]', async () => {
    const id = await before([echoTool()]);
    const controller = await open([echoTool(), effectTool()], id);
    await say(
      controller,
      scriptPrompt('Use it.', [{ steps: [{ type: 'tool_use', name: 'effect', input: { name: 'x' } }] }]),
    );
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    const [first, second, ...later] = sent();
    assert.deepEqual(second?.body.tools, first?.body.tools);
    const thought = (body: Sent | undefined) => JSON.stringify(body?.messages).includes('"thinking"');
    assert.ok(thought(second?.body));
    const at = second?.body.messages.findIndex(({ role }) => role === 'system') ?? -1;
    assert.equal(at, (second?.body.messages.length ?? 0) - 1);
    for (const { body, betas } of later) {
      assert.deepEqual(body.messages.slice(0, at + 1).map(withoutMarks), second?.body.messages.map(withoutMarks));
      assert.ok(BETAS.every((beta) => betas.includes(beta)));
    }
    const entries = await stored(controller);
    assert.equal(entries.filter(({ type }) => type === 'epochStarted').length, 1);
    assertEveryPrefixValid(entries);
  });

  test('are replaced where they stand when only their version is another, as the API has them upgraded', async () => {
    const old = { ...codeExecutionTool, versions: ['code_execution_20250522'] };
    const id = await before([echoTool(), old]);
    const controller = await open([echoTool(), codeExecutionTool], id);
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    const [first, second] = sent().map(({ body }) => body.tools.find(({ name }) => name === 'code_execution'));
    assert.deepEqual(first, { type: 'code_execution_20250522', name: 'code_execution' });
    assert.deepEqual(second, { type: 'code_execution_20260521', name: 'code_execution' });
    const roles = sent()[1]?.body.messages.map(({ role }) => role) ?? [];
    assert.equal(roles.includes('system'), false);
  });

  test('are taken away by a message, too', async () => {
    const id = await before([echoTool(), effectTool()]);
    const controller = await open([echoTool()], id);
    await say(controller, 'Go on.');
    assert.deepEqual(refused(world.simulator), []);
    assert.equal(sent()[1]?.body.messages.at(-1)?.content[0]?.type, 'tool_removal');
  });

  test('begin a new epoch with a model that takes no such messages, and it is asked once', async () => {
    const id = await before([echoTool()], 'claude-simulated-mini');
    const controller = await open([echoTool(), effectTool()], id, 'claude-simulated-mini');
    await say(controller, 'Go on.');
    assert.equal(refused(world.simulator).length, 1);
    const last = sent().at(-1)?.body;
    assert.deepEqual(
      last?.tools.map(({ name }) => name),
      ['echo', 'effect'],
    );
    assert.ok(!JSON.stringify(last).includes('"role":"system"'));
    const entries = await stored(controller);
    assert.deepEqual(
      entries.flatMap((entry) => (entry.type === 'epochStarted' ? [entry.reason] : [])),
      ['first', 'tools'],
    );
    assertEveryPrefixValid(entries);
  });

  test('are told behind what the user says next where no answer came', async () => {
    const id = await before([echoTool()]);
    const controller = await open([echoTool(), effectTool()], id);
    world.simulator.faults.add({ kind: 'status', status: 403 });
    await say(controller, 'One.');
    await say(controller, 'Two.');
    assert.equal(refused(world.simulator).length, 1);
    assert.deepEqual(
      sent()
        .at(-1)
        ?.body.messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'user', 'system'],
    );
    assertEveryPrefixValid(await stored(controller));
  });

  test('stay in effect through a summary', async () => {
    const id = await before([echoTool()]);
    const controller = await open([echoTool(), effectTool()], id);
    await say(controller, 'One.');
    await controller.compact();
    await say(controller, 'Two.');
    await say(controller, 'Three.');
    assert.deepEqual(refused(world.simulator), []);
    assert.match(JSON.stringify(sent().at(-1)?.body.messages[0]), /"tool_changes":\[\{"type":"tool_addition"/);
    assertEveryPrefixValid(await stored(controller));
  });
});

/** Breakpoints of the cache move; they are no part of what is said. */
function withoutMarks(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message, (key, value: unknown) => (key === 'cache_control' ? undefined : value)));
}
