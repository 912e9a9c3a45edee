import assert from 'node:assert/strict';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import { echoTool } from '../../support/agent.ts';
import { end, idle, run, start } from '../../support/agentRun.ts';
import { call, INFO, scriptedModel, serverCall, serverResult, text, thinking } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

suite('an answer', () => {
  test('that broke with a container is not sent again as if it were finished [C133]', async () => {
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

  test('that broke after it had begun is asked for again in the same container, and without it when that breaks too [H1]', async () => {
    const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' };
    const broken = { blocks: [text('Half')], cutLast: true, fail: { kind: 'server', message: 'Internal' } } as const;
    const model = scriptedModel([{ blocks: [text('Hi')], container }, broken, broken, { blocks: [text('Whole')] }]);
    const { controller, entries, idle } = await run(model);
    await controller.submit('more');
    await idle();
    const asked = model.requests.map((request) => request.container);
    assert.deepEqual(asked, [undefined, 'container_1', 'container_1', undefined]);
    assert.equal(end(entries()).outcome, 'done');
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

  test('that makes the same call over and over ends the turn, and the user may let it go on [C31,F10]', async () => {
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

  test('that goes round among a few calls ends the turn', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      return { blocks: [call(`toolu_${String(count)}`, 'echo', { text: String(count % 2) })], stop: 'tool_use' };
    });
    const { entries } = await run(model);
    assert.deepEqual([end(entries()).outcome, model.requests.length], ['limit', 30]);
    assert.match(end(entries()).detail ?? '', /same few calls/);
  });

  test('whose calls all fail, round after round, ends the turn', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      return { blocks: [call(`toolu_${String(count)}`, 'nope', { text: String(count) })], stop: 'tool_use' };
    });
    const { entries } = await run(model);
    assert.deepEqual([end(entries()).outcome, model.requests.length], ['limit', 15]);
    assert.match(end(entries()).detail ?? '', /All calls of the last 15 rounds failed/);
  });

  const crowds: readonly (readonly [title: string, count: number, text: (nth: number) => string, says: RegExp])[] = [
    ['200 calls', 200, String, /200 calls at once/],
    ['the same call 50 times', 50, () => 'same', /the same call 50 times at once/],
  ];
  for (const [title, count, textOf, says] of crowds) {
    test(`with ${title} runs none of them before the user says so [XA39]`, async () => {
      const ran: string[] = [];
      const blocks = Array.from({ length: count }, (_, nth) => call(`toolu_${nth}`, 'echo', { text: textOf(nth) }));
      const model = scriptedModel([{ blocks, stop: 'tool_use' }]);
      const { entries, controller } = await run(model, [echoTool(ran)]);
      assert.deepEqual([ran, end(entries()).outcome], [[], 'limit']);
      assert.match(end(entries()).detail ?? '', says);
      await controller.continueTurn();
      await idle(controller);
      const results = model.requests[1]?.messages.at(-1)?.content;
      assert.equal(results?.length, count, 'and Claude hears of each that it did not run');
    });
  }

  test('with a hundred different calls is no crowd', async () => {
    const ran: string[] = [];
    const blocks = Array.from({ length: 100 }, (_, nth) => call(`toolu_${nth}`, 'echo', { text: String(nth) }));
    const { controller } = start(scriptedModel([{ blocks, stop: 'tool_use' }]), [echoTool(ran)]);
    await controller.submit('Go');
    await idle(controller);
    assert.equal(ran.length, 100);
  });

  test('of a model that another took over from loses its thinking and calls, and runs none of them [C32,C84]', async () => {
    const ran: string[] = [];
    const fallback = { type: 'fallback', from: { model: 'first' }, to: { model: 'second' }, trigger: 'refusal' };
    const taken = fallback as unknown as ContentBlock;
    const model = scriptedModel([
      {
        blocks: [
          thinking('hm'),
          text('So'),
          serverCall('srvtoolu_1', 'ls'),
          serverResult('srvtoolu_1', 'x'),
          serverCall('srvtoolu_2', 'ls'),
          call('toolu_1', 'echo', { text: 'first' }),
          taken,
          thinking('yes'),
          call('toolu_2', 'echo', { text: 'second' }),
        ],
        stop: 'tool_use',
      },
    ]);
    const { controller, entries } = start(model, [echoTool(ran)]);
    await controller.submit('Go');
    await idle(controller);
    assert.equal(end(entries()).outcome, 'done');
    assert.deepEqual(ran, ['second']);
    assert.deepEqual(model.requests[1]?.messages.slice(1), [
      {
        role: 'assistant',
        content: [
          text('So'),
          serverCall('srvtoolu_1', 'ls'),
          serverResult('srvtoolu_1', 'x'),
          taken,
          thinking('yes'),
          call('toolu_2', 'echo', { text: 'second' }),
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'second' }] },
    ]);
    const rows = controller.snapshot().rows;
    assert.ok(rows.some((row) => row.kind === 'notice' && row.title === 'second took over from first.'));
    const cards = rows.flatMap((row) =>
      row.kind === 'tool' && row.place === 'local' ? [[row.status, row.notSent]] : [],
    );
    assert.deepEqual(cards, [
      ['cancelled', true],
      ['done', undefined],
    ]);
  });

  test('that varies its calls is not taken for one that repeats itself', async () => {
    let count = 0;
    const model = scriptedModel(() => {
      count += 1;
      const input = { text: String(count % 4) };
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
