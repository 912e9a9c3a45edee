import assert from 'node:assert/strict';
import type { AgentConfig, SessionController } from '../../../src/core/agent/controllerTypes.ts';
import { scriptPrompt } from '../../../src/simulator/scenarios/scripted.ts';
import { finish, refused, sentTo, simulated, storedEntries } from '../../support/simulated.ts';
import { simulatorPerTest } from '../../support/simulatorPerTest.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

const BETA = 'compact-2026-09-04';
const EDITS = 'context-management-2025-06-27';

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly type: string }[] }[];
  readonly thinking?: unknown;
  readonly compaction?: unknown;
  readonly context_management?: { readonly edits: readonly { readonly type: string }[] };
}

function messagesOf(request: { readonly body: Sent } | undefined): Sent['messages'] {
  return request?.body.messages ?? [];
}

suite('the API’s own compaction and context editing, against the simulator', () => {
  const world = simulatorPerTest(40);

  function open(config: Partial<AgentConfig> = {}): SessionController {
    const { controller } = simulated({
      simulator: world.simulator,
      dir: world.folder,
      config: { compactAt: 0, ...config },
    });
    world.opened.push(controller);
    return controller;
  }

  async function say(controller: SessionController, text: string): Promise<void> {
    await controller.submit(text);
    await finish(controller);
  }

  const sent = () => sentTo(world.simulator).map(({ body, betas }) => ({ body: body as Sent, betas }));
  const stored = (controller: SessionController) => storedEntries(controller, world.folder);

  const THINKING_TURN = scriptPrompt('Look.', [
    {
      steps: [
        { type: 'thinking', text: 'hm' },
        { type: 'tool_use', name: 'echo', input: { text: 'a' } },
      ],
    },
    {
      steps: [
        { type: 'thinking', text: 'so' },
        { type: 'text', text: 'Done.' },
      ],
    },
  ]);

  test('makes a signed block that comes first from then on, as it came, with its beta for as long as it is there [C103,C104,C18]', async () => {
    const controller = open();
    await say(controller, THINKING_TURN);
    await controller.compact();
    await say(controller, THINKING_TURN);
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    const requests = sent();
    const at = requests.findIndex(({ body }) => body.compaction !== undefined);
    const summary = messagesOf(requests[at]);
    assert.equal(summary.at(-1)?.role, 'assistant');
    const before = messagesOf(requests[at - 1]);
    assert.deepEqual(summary.slice(0, before.length), before);
    const after = requests.slice(at + 1);
    for (const request of after) {
      const [first] = messagesOf(request);
      assert.deepEqual([first?.role, first?.content[0]?.type], ['assistant', 'compaction']);
      assert.deepEqual(first, messagesOf(after[0])[0]);
      assert.ok(request.betas.includes(BETA));
    }
    assert.ok(!requests.slice(0, at).some(({ betas }) => betas.includes(BETA)));
    assert.match(JSON.stringify(controller.snapshot().rows), /"more":"Simulated summary/);
    assertEveryPrefixValid(await stored(controller));
  });

  test('keeps its block through a second summary and a restart, one at a time [C103]', async () => {
    const first = open();
    await say(first, 'One.');
    await first.compact();
    await say(first, 'Two.');
    await first.compact();
    const { sessionId } = first.snapshot().state;
    first.dispose();
    const second = open();
    await second.openSession(sessionId);
    await say(second, 'Three.');
    assert.deepEqual(refused(world.simulator), []);
    const types = sent()
      .at(-1)
      ?.body.messages.map(({ content }) => content[0]?.type);
    assert.deepEqual(types, ['compaction', 'text']);
  });

  test('goes to another model as words, without block and beta', async () => {
    const first = open();
    await say(first, 'One.');
    await first.compact();
    const { sessionId } = first.snapshot().state;
    first.dispose();
    const second = open({ model: 'claude-simulated-mini' });
    await second.openSession(sessionId);
    await say(second, 'Two.');
    await second.compact();
    await say(second, 'Three.');
    assert.deepEqual(refused(world.simulator), []);
    const { body, betas } = sent().at(-1) ?? {};
    assert.match(JSON.stringify(body?.messages), /This conversation was summarized/);
    assert.ok(!betas?.includes(BETA));
    assert.ok(
      !sent()
        .slice(-3)
        .some(({ body: { compaction } }) => compaction !== undefined),
    );
  });

  test('gives way to a summary of our own where the API refuses, and is not asked for again', async () => {
    const controller = open();
    await say(controller, 'One.');
    world.simulator.faults.add({ kind: 'status', status: 400, message: 'compaction: Extra inputs are not permitted' });
    await controller.compact();
    await say(controller, 'Two.');
    await controller.compact();
    // The refused one was not read.
    assert.equal(sent().filter(({ body }) => body.compaction !== undefined).length, 0);
    assert.equal(world.simulator.requests.filter(({ path }) => path === '/v1/messages').length, 5);
    const entries = await stored(controller);
    assert.equal(entries.filter(({ type }) => type === 'compacted').length, 2);
    assertEveryPrefixValid(entries);
  });

  test('is not used where the settings say so', async () => {
    const controller = open({ compactBy: 'own' });
    await say(controller, 'One.');
    await controller.compact();
    await say(controller, 'Two.');
    assert.ok(!sent().some(({ body, betas }) => body.compaction !== undefined || betas.includes(BETA)));
  });

  test('clears old results by edits that keep thinking first, never beside a summary [C104,C105]', async () => {
    const controller = open({ clearOldResults: true });
    await say(controller, THINKING_TURN);
    await controller.compact();
    await say(controller, 'And now?');
    assert.deepEqual(refused(world.simulator), []);
    for (const { body, betas } of sent()) {
      const types = body.context_management?.edits.map(({ type }) => type);
      if (body.compaction !== undefined) assert.equal(types, undefined);
      else {
        assert.deepEqual(types, ['clear_thinking_20251015', 'clear_tool_uses_20250919']);
        assert.ok(betas.includes(EDITS));
      }
    }
  });

  test('leaves edits out for a model that does not have them', async () => {
    const controller = open({ clearOldResults: true, model: 'claude-simulated-mini' });
    await say(controller, 'One.');
    assert.deepEqual(refused(world.simulator), []);
    assert.equal(sent()[0]?.body.context_management, undefined);
  });
});
