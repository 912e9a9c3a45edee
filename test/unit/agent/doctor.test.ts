import assert from 'node:assert/strict';
import type { ContentBlockParam, MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { createSessionController } from '../../../src/core/agent/controller.ts';
import type { SessionController } from '../../../src/core/agent/controllerTypes.ts';
import type { ApiFailure } from '../../../src/core/errors.ts';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import type { NoticeRow } from '../../../src/protocol/rows.ts';
import { agentWorld } from '../../support/agent.ts';
import { idle } from '../../support/agentRun.ts';
import { image } from '../../support/images.ts';
import {
  call,
  scriptedModel,
  text,
  thinking,
  type ScriptedAnswer,
  type ScriptedModel,
} from '../../support/scriptedModel.ts';
import { problemOf } from '../../support/validRequest.ts';

interface Opened {
  readonly model: ScriptedModel;
  readonly controller: SessionController;
  entries(): readonly LogEntry[];
  notices(): readonly NoticeRow[];
}

const EPOCH: NewEntry = {
  ...{ type: 'epochStarted', model: 'claude-simulated-5', maxTokens: 1000, system: [], tools: [], betas: [] },
  thinking: { type: 'adaptive', display: 'summarized' },
  reason: 'first',
};

/** A session whose file holds these entries, opened; `script` answers from then on. */
async function open(
  before: readonly NewEntry[],
  script: readonly ScriptedAnswer[] = [],
  damage: (entries: LogEntry[]) => unknown = () => undefined,
): Promise<Opened> {
  const model = scriptedModel(script);
  // Nothing is known of the model, so the epoch of the file holds.
  const world = agentWorld({ ...model, models: () => Promise.resolve([]) }, []);
  const log = await world.logs.create([]);
  for (const entry of before) await log.append(entry);
  log.dispose();
  damage(world.logs.stored(log.header.id) as LogEntry[]);
  const controller = createSessionController(world);
  await controller.openSession(log.header.id);
  return {
    model,
    controller,
    entries: () => world.logs.stored(log.header.id),
    notices: () => controller.snapshot().rows.filter((row): row is NoticeRow => row.kind === 'notice'),
  };
}

async function send(opened: Opened, prompt = 'On'): Promise<void> {
  await opened.controller.submit(prompt);
  await idle(opened.controller);
}

function user(...content: readonly ContentBlockParam[]): NewEntry {
  return { type: 'userMessage', text: 'Look at this', content: [{ type: 'text', text: 'Look at this' }, ...content] };
}

function answer(id: string, ...blocks: readonly Parameters<typeof text>[0][]): NewEntry[] {
  return [
    ...blocks.map((value, index): NewEntry => ({ type: 'assistantBlock', messageId: id, index, block: text(value) })),
    { type: 'messageFinished', messageId: id, model: 'claude-simulated-5', stopReason: 'end_turn' },
  ];
}

const turnEnded: NewEntry = { type: 'turnEnded', turnId: 't', outcome: 'done' };

function lastRequest({ model }: Opened): readonly MessageParam[] {
  return model.requests.at(-1)?.messages ?? [];
}

function card(opened: Opened): NoticeRow {
  const row = opened.notices().findLast(({ actions }) => actions.some(({ id }) => id === 'removeItems'));
  assert.ok(row, JSON.stringify(opened.notices()));
  return row;
}

suite('a conversation that the API would refuse', () => {
  test('for an image under the wrong type is sent with the right one, says so once and stays so [G7,C13]', async () => {
    const opened = await open([EPOCH, user(image({ kind: 'jpeg', says: 'png' })), ...answer('m', 'Nice'), turnEnded]);
    await send(opened);
    assert.match(JSON.stringify(lastRequest(opened)), /image\/jpeg/);
    assert.equal(problemOf(opened.entries(), 'next'), undefined);
    await send(opened);
    const repairs = opened.entries().filter(({ type }) => type === 'repaired');
    assert.equal(repairs.length, 1, 'it is decided once');
    const [row] = opened.notices();
    assert.match(row?.title ?? '', /the image of .* MB in your message 1 \(“Look at this”\)/);
    assert.match(row?.detail ?? '', /cache is lost/);
    const first = opened.entries().find(({ type }) => type === 'userMessage');
    assert.match(JSON.stringify(first), /image\/png/, 'the entry is as it was');
  });

  test('for an image of 6.5 MB names it on a card, sends nothing, and goes on without it [G5,XA38]', async () => {
    const opened = await open([EPOCH, ...answer('m', 'Hi'), user(image({ bytes: 6_521_204 })), turnEnded]);
    await send(opened);
    assert.equal(opened.model.requests.length, 0);
    const row = card(opened);
    assert.match(row.detail ?? '', /the image of 6\.5 MB in your message 1 .*5 MB/);
    assert.deepEqual(
      row.actions.map(({ id }) => id),
      ['removeItems', 'retry', 'showLog'],
    );
    opened.controller.noticeAction(row.id, 'removeItems');
    await idle(opened.controller);
    assert.equal(opened.model.requests.length, 1);
    assert.match(JSON.stringify(lastRequest(opened)), /The user removed this item/);
    assert.equal(problemOf(opened.entries(), 'next'), undefined);
    await send(opened);
    assert.equal(opened.model.requests.length, 2, 'and stays so');
  });

  test('for a new image of a tool tells Claude that it was left out [G5]', async () => {
    const opened = await open([
      EPOCH,
      user(),
      { type: 'assistantBlock', messageId: 'm', index: 0, block: call('toolu_a', 'echo', {}) },
      { type: 'messageFinished', messageId: 'm', model: 'claude-simulated-5', stopReason: 'tool_use' },
      {
        ...{
          type: 'toolFinished',
          callId: 'toolu_a',
          isError: false,
          status: 'done',
          title: 'Shot',
          body: { kind: 'none' },
        },
        content: [image({ width: 9000, height: 10 })],
      },
      turnEnded,
    ]);
    await send(opened);
    assert.match(JSON.stringify(lastRequest(opened)), /An image was left out here/);
    assert.match(opened.notices()[0]?.title ?? '', /in the result of “Shot”: its sides are too long/);
    assert.equal(opened.notices()[0]?.detail, undefined, 'nothing of the cache is lost');
    assert.equal(problemOf(opened.entries(), 'next'), undefined);
  });

  test('for a long side among more than 20 images names those that are too long [C12]', async () => {
    const small = Array.from({ length: 20 }, () => image({ width: 100, height: 100 }));
    const fits = await open([EPOCH, user(image({ width: 2400, height: 100 }), ...small.slice(1)), turnEnded]);
    await send(fits);
    assert.equal(fits.model.requests.length, 1);
    const opened = await open([EPOCH, user(image({ width: 2400, height: 100 }), ...small), turnEnded]);
    await send(opened);
    assert.equal(opened.model.requests.length, 0);
    const row = card(opened);
    assert.equal(row.actions[0]?.label, 'Remove this item');
    opened.controller.noticeAction(row.id, 'removeItems');
    await idle(opened.controller);
    assert.equal(opened.model.requests.length, 1);
  });

  test('for its size names the largest pieces, as many as have to go [C6]', async () => {
    const images = Array.from({ length: 9 }, (_, n) => image({ bytes: 3_900_000 - n * 100_000 }));
    const opened = await open([EPOCH, user(...images), turnEnded]);
    await send(opened);
    assert.equal(opened.model.requests.length, 0);
    opened.controller.noticeAction(card(opened).id, 'removeItems');
    await idle(opened.controller);
    assert.equal(opened.model.requests.length, 1);
    const left = JSON.stringify(lastRequest(opened)).match(/"type":"image"/g)?.length ?? 0;
    assert.ok(left >= 5 && left < 9, String(left));
  });

  test('with entries missing is sent without the thinking that was bound to them, and says so', async () => {
    const log: readonly NewEntry[] = [
      ...[EPOCH, user(), ...answer('m', 'Hi'), user()],
      { type: 'assistantBlock', messageId: 'n', index: 0, block: thinking('hm', 's') },
      ...answer('n', 'Hi again'),
      turnEnded,
    ];
    const whole = await open(log);
    await send(whole);
    assert.match(JSON.stringify(lastRequest(whole)), /thinking/);
    const torn = await open(log, [], (entries) => entries.splice(1, 2));
    await send(torn);
    assert.doesNotMatch(JSON.stringify(lastRequest(torn)), /thinking/);
    assert.match(torn.notices()[0]?.title ?? '', /Parts of the session file are missing/);
    assert.match(JSON.stringify(torn.model.requests.at(-1)?.thinking), /drop_block/);
    assert.match(torn.model.requests.at(-1)?.betas.join() ?? '', /thinking-binding-controls/);
    await send(torn);
    assert.equal(torn.entries().filter(({ type }) => type === 'repaired').length, 1, 'it is decided once');
  });
});

suite('a refusal of the API', () => {
  const refused = (message: string, more: Partial<ApiFailure> = {}): ScriptedAnswer => ({
    fail: { kind: 'invalid-request', status: 400, type: 'invalid_request_error', message, requestId: 'req_1', ...more },
  });

  test('that names an item offers to remove it, and the next request goes without it [G5,C12]', async () => {
    for (const failure of [
      refused('messages.0.content.1.image.source.base64: image exceeds 5 MB maximum'),
      refused('Images are too large', { code: 'image_dimensions_too_large', paths: ['messages.0.content.1.image'] }),
    ]) {
      const opened = await open([EPOCH, user(image()), turnEnded], [failure]);
      await opened.controller.continueTurn();
      await idle(opened.controller);
      const row = card(opened);
      assert.match(row.detail ?? '', /mage/);
      assert.equal(row.requestId, 'req_1');
      opened.controller.noticeAction(row.id, 'removeItems');
      await idle(opened.controller);
      assert.equal(opened.model.requests.length, 2);
      assert.doesNotMatch(JSON.stringify(lastRequest(opened)), /"image"/);
    }
  });

  test('that names an item inside a tool result finds it there', async () => {
    const opened = await open(
      [
        EPOCH,
        user(),
        { type: 'assistantBlock', messageId: 'm', index: 0, block: call('toolu_a', 'echo', {}) },
        { type: 'messageFinished', messageId: 'm', model: 'claude-simulated-5', stopReason: 'tool_use' },
        {
          ...{
            type: 'toolFinished',
            callId: 'toolu_a',
            isError: false,
            status: 'done',
            title: 'Shot',
            body: { kind: 'none' },
          },
          content: [{ type: 'text', text: 'Here' }, image()],
        },
        turnEnded,
      ],
      [refused('messages.2.content.0.tool_result.content.1.image.source.base64.data: Could not process image')],
    );
    await opened.controller.continueTurn();
    await idle(opened.controller);
    opened.controller.noticeAction(card(opened).id, 'removeItems');
    await idle(opened.controller);
    const sent = JSON.stringify(lastRequest(opened));
    assert.match(sent, /Here.*The user removed this item/);
    assert.doesNotMatch(sent, /"image"/);
  });

  test('for any other reason is shown as it is, with its id, and nothing is sent again [G8]', async () => {
    const message = 'tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12';
    const opened = await open([EPOCH, user(), turnEnded], [refused(message)]);
    await opened.controller.continueTurn();
    await idle(opened.controller);
    assert.equal(opened.model.requests.length, 1);
    const row = opened.notices().at(-1);
    assert.equal(row?.detail, message);
    assert.equal(row.requestId, 'req_1');
    assert.doesNotMatch(JSON.stringify(row), /compact|context|window/i);
    assert.deepEqual(
      row.actions.map(({ id }) => id),
      ['retry', 'showLog', 'inspectRequest'],
    );
  });
});
