import assert from 'node:assert/strict';
import { conditionOf } from '../../../src/core/agent/containerAge.ts';
import { containersOf } from '../../../src/core/agent/containers.ts';
import { ApiError, UserError, type ApiFailure } from '../../../src/core/errors.ts';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { InputsSent, LogEntry } from '../../../src/core/session/entries.ts';
import type { NoticeRow } from '../../../src/protocol/rows.ts';
import { end, start, type Run } from '../../support/agentRun.ts';
import {
  scriptedModel,
  serverCall,
  serverResult,
  text,
  type ScriptedAnswer,
  type ScriptedModel,
} from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

const C1 = { id: 'container_1', expires_at: '2026-01-01T00:20:00Z' };
const C2 = { id: 'container_2', expires_at: '2026-01-02T00:20:00Z' };
const LIST = 'ls -la "${INPUT_DIR:-.}"; head sales.csv';

function ran(id: string, stdout: string, container = C1, files: readonly string[] = []): ScriptedAnswer {
  return { blocks: [serverCall(id, LIST), serverResult(id, stdout, files), text('Done.')], container };
}

suite('containers', () => {
  let model: ScriptedModel;
  let run: Run;
  const begin = (...script: readonly ScriptedAnswer[]): void => {
    model = scriptedModel(script);
    run = start(model);
  };
  const say = async (what: string, file?: string): Promise<void> => {
    if (file !== undefined) run.controller.tray.add(run.world.inputs.file(file, 'a,b\n'), 'container');
    await run.controller.submit(what);
    await run.idle();
    assertEveryPrefixValid(run.entries());
  };
  const again = (): readonly InputsSent[] => run.entries().filter(isInputsSent);
  const notices = (): readonly NoticeRow[] =>
    run.controller.snapshot().rows.filter((row): row is NoticeRow => row.kind === 'notice');
  const uploadsIn = (request: number): readonly string[] =>
    (model.requests[request]?.messages ?? []).flatMap(({ content }) =>
      (content as readonly ContentBlock[]).flatMap((block) =>
        block.type === 'container_upload' ? [block.file_id] : [],
      ),
    );

  const refusals: readonly (readonly [string, ApiFailure])[] = [
    ['404', { kind: 'not-found', status: 404, message: 'Container container_1 not found' }],
    ['400', { kind: 'invalid-request', status: 400, message: 'container: container_1 has expired' }],
    ['a bare 500', { kind: 'server', status: 500, message: 'Internal server error' }],
  ];
  for (const [what, fail] of refusals) {
    test(`one that is refused with ${what} is left: one retry without it, with the inputs again [C133,H1]`, async () => {
      begin(ran('srvtoolu_1', 'sales.csv'), { fail }, ran('srvtoolu_2', 'sales.csv', C2));
      await say('Chart', 'sales.csv');
      await say('Once more');
      assert.deepEqual(
        model.requests.map(({ container }) => container),
        [undefined, 'container_1', undefined],
      );
      assert.deepEqual(uploadsIn(2), ['file_up1', 'file_up1']);
      assert.deepEqual(
        again()[0]?.files.map(({ name }) => name),
        ['sales.csv'],
      );
      assert.equal(end(run.entries()).outcome, 'done');
      const [lost, sent] = notices();
      assert.match(`${lost?.title} ${lost?.detail}`, /no longer has the container.*What was made in it is gone/);
      assert.equal(sent?.title, 'Sent to the new container: sales.csv');
    });
  }

  test('a second refusal, without a container, is the failure that it is: no other retry [C133]', async () => {
    const fail: ApiFailure = { kind: 'invalid-request', status: 400, message: 'container: no' };
    begin(ran('srvtoolu_1', 'sales.csv'), { fail }, { fail });
    await say('Chart');
    await say('Once more');
    assert.equal(model.requests.length, 3);
    assert.equal(end(run.entries()).outcome, 'failed');
  });

  test('an input that a listing does not show is sent again with the next message, and that is said [H2]', async () => {
    begin(ran('srvtoolu_1', 'total 0\n'), ran('srvtoolu_2', 'sales.csv'));
    await say('Chart', 'sales.csv');
    assert.equal(containersOf(run.entries()).missing, true);
    await say('And?');
    assert.deepEqual([again()[0]?.reason, uploadsIn(1)], ['missing', ['file_up1', 'file_up1']]);
    assert.match(notices()[0]?.title ?? '', /had not arrived there: sales.csv/);
    await say('Fine');
    assert.equal(again().length, 1);
  });

  test('an input that is there is not sent again', async () => {
    begin(ran('srvtoolu_1', 'total 4\nsales.csv\n'), ran('srvtoolu_2', 'x'));
    await say('Chart', 'sales.csv');
    await say('And?');
    assert.deepEqual(again(), []);
    assert.deepEqual(uploadsIn(1), ['file_up1']);
  });

  test('a file that changed is another file: the newest of a name counts', async () => {
    begin(ran('srvtoolu_1', 'sales.csv'), ran('srvtoolu_2', 'sales.csv'));
    await say('Chart', 'sales.csv');
    run.controller.tray.add(run.world.inputs.file('sales.csv', 'new', { uri: 'file:///w/2/sales.csv' }), 'container');
    run.world.inputs.texts.set('file:///w/2/sales.csv', 'new');
    await say('And this?');
    assert.deepEqual(again(), []);
    const [container] = containersOf(run.entries()).list;
    assert.deepEqual(
      container?.inputs.map(({ size }) => size),
      [3],
    );
  });

  test('an input that is not to be had any more is named, once', async () => {
    const fail: ApiFailure = { kind: 'server', status: 500, message: 'x' };
    begin(ran('srvtoolu_1', 'sales.csv'), { fail }, ran('srvtoolu_2', '', C2));
    await say('Chart', 'sales.csv');
    run.world.attachments.find = () => Promise.resolve(undefined);
    await say('Once more');
    await say('And again');
    assert.deepEqual(
      again().map(({ failed }) => failed),
      [['sales.csv']],
    );
    assert.match(notices()[1]?.title ?? '', /attach them again: sales.csv/);
  });

  test('its facts: age, use, files in and out, and what it may have cost', async () => {
    begin(ran('srvtoolu_1', 'sales.csv', C1, ['file_abcdefgh1']));
    run.world.files.files.set('file_abcdefgh1', { name: 'chart.png', bytes: new Uint8Array([1]) });
    await say('Chart', 'sales.csv');
    const [container] = containersOf(run.entries()).list;
    assert.ok(container);
    const { id, state, inputs, outputs, expiresAt } = container;
    assert.deepEqual(
      [id, state, inputs.map(({ name }) => name), outputs, expiresAt],
      ['container_1', 'current', ['sales.csv'], ['chart.png'], C1.expires_at],
    );
    assert.equal(container.since, Date.parse(run.entries().find(({ type }) => type === 'messageFinished')?.at ?? ''));
    // Five minutes are the least that is charged.
    assert.ok(container.ms > 0 && container.nano > 0);
  });

  test('a new container can be asked for: the next request names none, and takes the inputs along', async () => {
    begin(ran('srvtoolu_1', 'sales.csv'), ran('srvtoolu_2', 'sales.csv', C2), ran('srvtoolu_3', 'sales.csv'));
    await say('Chart', 'sales.csv');
    await run.controller.containers.choose(null);
    assert.equal(run.controller.snapshot().state.container, null);
    await say('Once more');
    assert.deepEqual([model.requests[1]?.container, uploadsIn(1)], [undefined, ['file_up1', 'file_up1']]);
    assert.equal(notices()[0]?.title, 'From here on in a new container.');
    const states = (): readonly string[] =>
      run.controller.containers.view().list.map(({ id, state }) => `${id} ${state}`);
    assert.deepEqual(states(), ['container_2 current', 'container_1 left']);
    // Back to the first one, which has the file already.
    await run.controller.containers.choose({ id: C1.id, expiresAt: C1.expires_at });
    await say('There');
    assert.deepEqual([model.requests[2]?.container, again().length], ['container_1', 1]);
    assert.deepEqual(states(), ['container_1 current', 'container_2 left']);
  });

  test('a session can begin in a container of another one', async () => {
    begin(ran('srvtoolu_1', 'x'));
    await run.controller.containers.choose({ id: C2.id, expiresAt: C2.expires_at });
    await say('Go on');
    assert.equal(model.requests[0]?.container, 'container_2');
  });

  test('while a turn runs the container stays', async () => {
    begin(ran('srvtoolu_1', 'x'));
    await run.controller.submit('Go');
    await assert.rejects(run.controller.containers.choose(null), UserError);
    await run.idle();
  });

  test('its thirty days are counted from when it was first seen, whatever it says of its expiry [C134]', () => {
    const day = 24 * 60 * 60 * 1000;
    assert.equal(conditionOf({ since: 0, used: 29 * day }, 29 * day + 60_000), 'awake');
    assert.equal(conditionOf({ since: 0, used: 29 * day }, 29 * day + 6 * 60_000), 'asleep');
    assert.equal(conditionOf({ since: 0, used: 29 * day }, 30 * day), 'gone');
  });

  test('an upload that a result names is not asked for: the API does not hand it out [C140]', async () => {
    begin(ran('srvtoolu_1', 'sales.csv', C1, ['file_up1']));
    const { metadata } = run.world.files;
    run.world.files.metadata = async (id, signal) => ({ ...(await metadata(id, signal)), downloadable: false });
    run.world.files.content = () => assert.fail('it was asked for');
    await say('Chart', 'sales.csv');
    const row = run.controller.snapshot().rows.find(({ kind }) => kind === 'attachment');
    assert.match(JSON.stringify(row), /uploaded file/);
  });

  test('a file that was deleted at Anthropic is uploaded again, and every request from then on names the new one', async () => {
    const gone: ApiFailure = { kind: 'not-found', status: 404, message: 'File not found' };
    begin({ blocks: [text('ok')] }, { fail: gone }, { blocks: [text('fine')] });
    await say('Keep this', 'sales.csv');
    run.world.files.files.delete('file_up1');
    await say('Now use it');
    assert.deepEqual(uploadsIn(2), ['file_up2']);
    assert.match(
      notices()
        .map(({ title, detail }) => `${title} ${detail ?? ''}`)
        .join(),
      /sales.csv/,
    );
    assert.equal(end(run.entries()).outcome, 'done');
  });

  test('a file that has expired is, too; one that this computer has not is replaced by words', async () => {
    const gone: ApiFailure = { kind: 'not-found', status: 404, message: 'x', code: 'file_expired' };
    begin({ blocks: [text('ok')] }, { fail: gone }, { blocks: [text('fine')] });
    await say('Keep this', 'sales.csv');
    const { metadata } = run.world.files;
    run.world.files.metadata = async (id, signal) => ({ ...(await metadata(id, signal)), expiresAt: '2025-01-01' });
    run.world.attachments.find = () => Promise.resolve(undefined);
    await say('Now use it');
    assert.deepEqual(uploadsIn(2), []);
    assert.match(JSON.stringify(model.requests[2]?.messages[0]), /no longer available/);
  });

  test('a 404 that is about something else changes nothing', async () => {
    begin({ blocks: [text('ok')] }, { fail: { kind: 'not-found', status: 404, message: 'model: x' } });
    await say('Keep this', 'sales.csv');
    await say('And?');
    assert.equal(model.requests.length, 2);
    assert.equal(end(run.entries()).outcome, 'failed');
    assert.ok(run.entries().every(({ type }) => type !== 'repaired'));
  });

  test('what keeps a lost file from being looked up is not taken for its absence', async () => {
    begin({ blocks: [text('ok')] }, { fail: { kind: 'not-found', status: 404, message: 'x' } });
    await say('Keep this', 'sales.csv');
    run.world.files.fail = new ApiError({ kind: 'overloaded', status: 529, message: 'busy' });
    await say('And?');
    assert.equal(model.requests.length, 2);
  });
});

function isInputsSent(entry: LogEntry): entry is InputsSent {
  return entry.type === 'inputsSent';
}
