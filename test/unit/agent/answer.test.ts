import assert from 'node:assert/strict';
import { end, run, start } from '../../support/agentRun.ts';
import { call, INFO, scriptedModel, text } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

suite('an answer', () => {
  test('that broke with a container is not sent again as if it were finished', async () => {
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' };
    const model = scriptedModel([
      { blocks: [text('Hi')], container },
      { blocks: [text('First'), text('Half')], cutLast: true, fail: { kind: 'server', message: 'Internal' } },
      { blocks: [text('Whole')] },
    ]);
    const { controller, entries, idle } = await run(model);
    await controller.submit('more');
    await idle();
    assert.deepEqual(
      model.requests[2]?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    const texts = controller.snapshot().rows.flatMap((row) => (row.kind === 'text' ? [row] : []));
    assert.deepEqual(
      texts.map((row) => [row.text, row.notSent ?? false, row.streaming]),
      [
        ['Hi', false, false],
        ['First', true, false],
        ['Half', true, false],
        ['Whole', false, false],
      ],
    );
    assertEveryPrefixValid(entries());
  });

  test('of a model of unknown limit is given twice the room once, and then counts as cut', async () => {
    const model = scriptedModel(() => ({ blocks: [call('toolu_1', 'echo', { text: 'half' })], stop: 'max_tokens' }), {
      ...INFO,
      maxTokens: null,
    });
    const { entries } = await run(model);
    assert.deepEqual(
      model.requests.map(({ maxTokens }) => maxTokens),
      [32_000, 64_000],
    );
    assert.equal(end(entries()).outcome, 'truncated');
  });

  test('that makes the same call over and over ends the turn, and the user may let it go on', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      return { blocks: [call(`toolu_${String(count)}`, 'echo', { text: 'same' })], stop: 'tool_use' };
    });
    const { controller, entries, idle } = start(model);
    await controller.submit('Go');
    await idle();
    assert.equal(end(entries()).outcome, 'limit');
    assert.equal(model.requests.length, 20);
    const notice = controller.snapshot().rows.at(-1);
    assert.ok(notice?.kind === 'notice');
    assert.match(notice.detail ?? '', /the same call 20 times/);
    assert.deepEqual(
      notice.actions.map(({ id }) => id),
      ['continue'],
    );
    assertEveryPrefixValid(entries());
    await controller.continueTurn();
    await idle();
    assert.equal(model.requests.length, 40);
  });

  test('that varies its calls is not taken for one that repeats itself', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      const input = { text: String(count % 2) };
      return count > 60
        ? { blocks: [text('Done')] }
        : { blocks: [call(`toolu_${String(count)}`, 'echo', input)], stop: 'tool_use' };
    });
    const { controller, entries, idle } = start(model);
    await controller.submit('Go');
    await idle();
    assert.equal(end(entries()).outcome, 'done');
  });
});
