import assert from 'node:assert/strict';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { ChosenSkill, EpochStarted } from '../../../src/core/session/entries.ts';
import { codeExecutionTool } from '../../../src/core/tools/codeExecution.ts';
import type { AnyTool } from '../../../src/core/tools/tool.ts';
import { agentWorld, echoTool } from '../../support/agent.ts';
import { idle, start, type Run } from '../../support/agentRun.ts';
import { call, scriptedModel, text, thinking } from '../../support/scriptedModel.ts';

const XLSX: ChosenSkill = { type: 'anthropic', skill_id: 'xlsx', version: '20251013', name: 'xlsx' };
const OWN: ChosenSkill = { type: 'custom', skill_id: 'skill_01', name: 'Reports' };

function world(answers: Parameters<typeof scriptedModel>[0], tools: readonly AnyTool[] = [codeExecutionTool]) {
  const model = scriptedModel(answers);
  return { model, ...start(model, tools) };
}

async function say({ controller }: Pick<Run, 'controller'>, prompt: string): Promise<void> {
  await controller.submit(prompt);
  await idle(controller);
}

const epochs = ({ entries }: Pick<Run, 'entries'>): EpochStarted[] =>
  entries().filter((entry): entry is EpochStarted => entry.type === 'epochStarted');
const notices = ({ controller }: Pick<Run, 'controller'>): string[] =>
  controller.snapshot().rows.flatMap((row) => (row.kind === 'notice' ? [`${row.title} ${row.detail ?? ''}`] : []));

suite('the skills of a session', () => {
  test('are in every request from the first on, as the API takes them [C138]', async () => {
    const run = world([{ blocks: [text('one')] }, { blocks: [text('two')] }]);
    await run.controller.skills.choose([XLSX, OWN]);
    await say(run, 'first');
    await say(run, 'second');
    const sent = [
      { type: 'anthropic', skill_id: 'xlsx', version: '20251013' },
      { type: 'custom', skill_id: 'skill_01' },
    ];
    assert.deepEqual(
      run.model.requests.map(({ skills }) => skills),
      [sent, sent],
    );
    assert.equal(epochs(run).length, 1);
    assert.match(notices(run).join(), /Skills in the sandbox: xlsx, Reports/);
  });

  test('another list begins a new epoch, without the thinking so far, and says what it costs [C138]', async () => {
    const run = world([{ blocks: [thinking('hm'), text('one')] }, { blocks: [text('two')] }, { blocks: [text('3')] }]);
    await say(run, 'first');
    await run.controller.skills.choose([XLSX]);
    await say(run, 'second');
    assert.deepEqual(
      epochs(run).map(({ reason, skills }) => [reason, skills?.map(({ name }) => name)]),
      [
        ['first', undefined],
        ['skills', ['xlsx']],
      ],
    );
    assert.match(notices(run).join(), /skills of this conversation are now: xlsx The next request .* about 10 tokens/);
    assert.ok(!JSON.stringify(run.model.requests[1]?.messages).includes('"thinking"'));
    await run.controller.skills.choose([]);
    await say(run, 'third');
    assert.equal(run.model.requests[2]?.skills, undefined);
    assert.match(notices(run).join(), /uses no skills any more/);
  });

  test('the same list in another order, or listed in a newer version, changes nothing [C138]', async () => {
    const run = world([{ blocks: [text('one')] }, { blocks: [text('two')] }]);
    await run.controller.skills.choose([XLSX, OWN]);
    await say(run, 'first');
    await run.controller.skills.choose([OWN, { ...XLSX, version: '20261130' }]);
    await say(run, 'second');
    assert.equal(epochs(run).length, 1);
    assert.deepEqual(run.model.requests[1]?.skills, run.model.requests[0]?.skills);
  });

  test('are those of the log after a restart, and a session has its own', async () => {
    const run = world([{ blocks: [text('one')] }]);
    await run.controller.skills.choose([XLSX]);
    await say(run, 'first');
    const { sessionId } = run.controller.snapshot().state;
    await run.controller.newSession();
    assert.deepEqual(run.controller.skills.current(), []);
    const again = createSessionController(run.world);
    await again.openSession(sessionId);
    assert.deepEqual(again.skills.current(), [XLSX]);
  });

  test('that were chosen and not sent yet are still chosen after a restart', async () => {
    const run = world([{ blocks: [text('one')] }, { blocks: [text('two')] }]);
    await run.controller.skills.choose([OWN]);
    const { sessionId } = run.controller.snapshot().state;
    const reopenedAfter = async (before: { dispose(): void }) => {
      before.dispose();
      const controller = createSessionController(run.world);
      await controller.openSession(sessionId);
      return controller;
    };
    const again = await reopenedAfter(run.controller);
    assert.deepEqual(again.skills.current(), [OWN]);
    await say({ controller: again }, 'first');
    assert.deepEqual(run.model.requests[0]?.skills, [{ type: 'custom', skill_id: 'skill_01' }]);
    // None at all is a choice, too.
    await again.skills.choose([]);
    const third = await reopenedAfter(again);
    assert.deepEqual(third.skills.current(), []);
    await say({ controller: third }, 'second');
    assert.equal(run.model.requests[1]?.skills, undefined);
  });

  test('stay out of requests that can not run them [C138]', async () => {
    const run = world([{ blocks: [text('one')] }], [echoTool()]);
    await run.controller.skills.choose([XLSX]);
    await say(run, 'first');
    assert.equal(run.model.requests[0]?.skills, undefined);
  });

  test('go with the tool when the API refuses its last version [C138]', async () => {
    const refuse = (version: string) => ({
      fail: { kind: 'invalid-request', status: 400, message: `${version} is not supported` } as const,
    });
    const run = world([...codeExecutionTool.versions.map(refuse), { blocks: [text('one')] }]);
    await run.controller.skills.choose([XLSX]);
    await say(run, 'first');
    const last = run.model.requests.at(-1);
    assert.deepEqual([last?.tools, last?.skills ?? []], [[], []]);
  });

  test('do not change between a call and its result [C138]', async () => {
    const model = scriptedModel([
      { blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
      { fail: { kind: 'invalid-request', message: 'no' } },
      { blocks: [text('Done')] },
    ]);
    const controller = createSessionController(agentWorld(model, [echoTool(), codeExecutionTool]));
    await controller.submit('first');
    await idle(controller);
    await controller.skills.choose([XLSX]);
    await controller.continueTurn();
    await idle(controller);
    assert.deepEqual(
      model.requests.map(({ skills }) => skills),
      [undefined, undefined, undefined],
    );
  });

  test('are 20 at most [C138]', async () => {
    const run = world([]);
    await run.controller.skills.choose(
      Array.from({ length: 25 }, (_, i) => ({ ...OWN, skill_id: `skill_${String(i)}` })),
    );
    assert.equal(run.controller.skills.current().length, 20);
  });
});
