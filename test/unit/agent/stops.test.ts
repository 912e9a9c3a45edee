import assert from 'node:assert/strict';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { echoTool } from '../../support/agent.ts';
import { end, idle, run, start } from '../../support/agentRun.ts';
import { call, INFO, scriptedModel, text, thinking, type ScriptedAnswer } from '../../support/scriptedModel.ts';

/** Blocks of types that the SDK's stable namespace lacks. */
function other(block: object): ContentBlock {
  return block as ContentBlock;
}

suite('a stop', () => {
  const summaries = [
    ['a summary', other({ type: 'compaction', content: 'So far …', encrypted_content: 'e' })],
    ['a summary that failed', other({ type: 'compaction', content: null, encrypted_content: null })],
  ] as const;
  for (const [title, summary] of summaries) {
    test(`for ${title} goes on at once, and the block goes back as it came [C22,C103]`, async () => {
      const model = scriptedModel([{ blocks: [summary], stop: 'compaction' }, { blocks: [text('On we go')] }]);
      const { controller, entries } = await run(model);
      assert.equal(end(entries()).outcome, 'done');
      assert.deepEqual(model.requests[1]?.messages.slice(1), [{ role: 'assistant', content: [summary] }]);
      await controller.submit('more');
      await idle(controller);
      assert.deepEqual(model.requests[2]?.messages[1], { role: 'assistant', content: [summary] });
    });
  }

  test('for a summary that is not there ends the turn: the next request would end in words of Claude', async () => {
    const model = scriptedModel([{ blocks: [text('So far')], stop: 'compaction' }, { blocks: [text('On')] }]);
    const { entries } = await run(model);
    assert.deepEqual([end(entries()).outcome, model.requests.length], ['unknownStop', 1]);
  });

  test('for one summary after the other ends in a visible stop [C31]', async () => {
    const blocks = [other({ type: 'compaction', content: null })];
    const model = scriptedModel(() => ({ blocks, stop: 'compaction' }));
    const { entries } = await run(model);
    assert.deepEqual([end(entries()).outcome, model.requests.length], ['limit', 21]);
  });

  for (const stopDetails of [undefined, null, 'text', { type: 'refusal', category: null, explanation: null }]) {
    test(`by a refusal with the details ${JSON.stringify(stopDetails)} is one like any other [C25,C26]`, async () => {
      const ran: string[] = [];
      const blocks = [text('Well'), call('toolu_1', 'echo', { text: 'a' })];
      const model = scriptedModel([{ blocks, stop: 'refusal', stopDetails }]);
      const { controller, entries } = await run(model, [echoTool(ran)]);
      assert.deepEqual([end(entries()).outcome, end(entries()).detail], ['refused', undefined]);
      const rows = controller.snapshot().rows;
      assert.deepEqual(
        rows.flatMap((row) => (row.kind === 'text' || row.kind === 'tool' ? [[row.kind, row.notSent]] : [])),
        [
          ['text', true],
          ['tool', true],
        ],
      );
      const notice = rows.at(-1);
      assert.deepEqual(notice?.kind === 'notice' && notice.actions.map(({ id }) => id), ['tryAnotherModel']);
      await controller.continueTurn();
      await idle(controller);
      assert.deepEqual(model.requests[1]?.messages, model.requests[0]?.messages, 'it goes on without a trace of it');
      assert.deepEqual(ran, []);
    });
  }

  test('at the end of the context window runs no call, says so, and leaves a conversation that goes on', async () => {
    const ran: string[] = [];
    const cut: ScriptedAnswer = {
      blocks: [text('Let me'), call('toolu_1', 'echo', { text: 'half' })],
      stop: 'model_context_window_exceeded',
    };
    const model = scriptedModel([cut]);
    const { controller, entries } = await run(model, [echoTool(ran)]);
    assert.equal(end(entries()).outcome, 'truncated');
    assert.match(end(entries()).detail ?? '', /context window/);
    assert.deepEqual(ran, []);
    await controller.continueTurn();
    await idle(controller);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ content }) => (Array.isArray(content) ? content.map(({ type }) => type) : [])),
      [['text'], ['text'], ['text']],
    );
  });

  const silences: readonly (readonly [string, readonly ContentBlock[]])[] = [
    ['nothing', []],
    ['an empty text', [text('')]],
    ['a thought', [thinking('hm')]],
  ];
  for (const [title, blocks] of silences) {
    test(`with ${title} is shown as such, and "Continue" asks anew instead of sending the same again [C28]`, async () => {
      const model = scriptedModel([
        { blocks: [call('toolu_1', 'echo', { text: 'a' })], stop: 'tool_use' },
        { blocks, stop: 'end_turn' },
      ]);
      const { controller, entries } = await run(model);
      assert.equal(end(entries()).outcome, 'done');
      const notice = controller.snapshot().rows.at(-1);
      assert.ok(notice?.kind === 'notice');
      assert.deepEqual([notice.severity, notice.actions.map(({ id }) => id)], ['info', ['continue']]);
      await controller.continueTurn();
      await idle(controller);
      assert.deepEqual(
        model.requests[2]?.messages.map(({ role }) => role),
        ['user', 'assistant', 'user', 'user'],
      );
      assert.deepEqual(model.requests[2].messages.at(-1)?.content, [{ type: 'text', text: 'Continue' }]);
    });
  }

  test('with the text behind other blocks shows the text, whatever stands before it [C30]', async () => {
    const unknown = other({ type: 'new_kind', payload: { a: 1 } });
    const model = scriptedModel([{ blocks: [thinking('hm'), unknown, text('Here')] }]);
    const { controller } = await run(model);
    const shown = controller.snapshot().rows.flatMap((row) => (row.kind === 'text' ? [row.text] : []));
    assert.deepEqual(shown, ['Here']);
    await controller.submit('more');
    await idle(controller);
    assert.deepEqual(model.requests[1]?.messages[1]?.content, [thinking('hm'), unknown, text('Here')]);
  });

  test('is waited for before a tool runs, however complete its call is [C86]', async () => {
    const ran: string[] = [];
    const model = scriptedModel([{ blocks: [call('toolu_1', 'echo', { text: 'a' }), text('And')], stop: 'tool_use' }]);
    const { controller, entries } = start(model, [echoTool(ran)]);
    const early: number[] = [];
    model.beforeEvent = () => {
      if (model.requests.length === 1) early.push(ran.length);
    };
    await controller.submit('Go');
    await idle(controller);
    assert.ok(early.length > 5 && early.every((count) => count === 0));
    assert.deepEqual(ran, ['a']);
    const types = entries().map(({ type }) => type);
    assert.ok(types.indexOf('toolStarted') > types.indexOf('messageFinished'));
  });
});

suite('a model that repeats itself', () => {
  test('is seen to, whatever the order of the keys in its input [C54,F10]', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      const input = count % 2 === 0 ? { text: 'a', more: [{ x: 1, y: 2 }] } : { more: [{ y: 2, x: 1 }], text: 'a' };
      return { blocks: [call(`toolu_${String(count)}`, 'echo', input)], stop: 'tool_use' };
    }, INFO);
    const { entries } = await run(model);
    assert.deepEqual([end(entries()).outcome, model.requests.length], ['limit', 20]);
  });
});
