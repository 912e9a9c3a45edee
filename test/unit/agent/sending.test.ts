import assert from 'node:assert/strict';
import { ApiError, UserError } from '../../../src/core/errors.ts';
import type { FileUploaded, LogEntry, UserMessage } from '../../../src/core/session/entries.ts';
import type { UserRow } from '../../../src/protocol/rows.ts';
import { idle, queuedTexts, start, type Run } from '../../support/agentRun.ts';
import { imageBytes } from '../../support/images.ts';
import { INFO, scriptedModel, text, type ScriptedModel } from '../../support/scriptedModel.ts';
import { assertEveryPrefixValid } from '../../support/validRequest.ts';

suite('files of the user', () => {
  let model: ScriptedModel;
  let run: Run;
  setup(() => {
    model = scriptedModel([{ blocks: [text('Seen.')] }, { blocks: [text('Again.')] }]);
    run = start(model);
  });
  const say = async (what: string): Promise<void> => {
    await run.controller.submit(what);
    await run.idle();
    assertEveryPrefixValid(run.entries());
  };
  const attach = (name: string, content: string, fields = {}, use?: 'container' | 'text'): void =>
    run.controller.tray.add(run.world.inputs.file(name, content, fields), use);
  const said = (): UserMessage => run.entries().findLast(isMessage) ?? assert.fail('nothing was said');
  const uploaded = (): readonly FileUploaded[] => run.entries().filter((entry) => entry.type === 'fileUploaded');
  const sentContent = (request = 0): unknown => model.requests[request]?.messages[0]?.content;

  test('a table goes into the container: uploaded, named in the request, and listed by the first command [H2]', async () => {
    attach('sales.csv', 'a,b\n1,2\n');
    await say('Chart it');
    assert.deepEqual(
      run.world.files.uploads.map(({ name, mimeType, text: content }) => [name, mimeType, content]),
      [['sales.csv', 'text/csv', 'a,b\n1,2\n']],
    );
    const content = said().content as readonly { type: string; text?: string; file_id?: string }[];
    assert.deepEqual(content[0], { type: 'container_upload', file_id: 'file_up1' });
    assert.match(content[1]?.text ?? '', /"sales.csv" \(8 bytes, text\/csv\).*\$INPUT_DIR.*ls -la/);
    assert.deepEqual(content[2], { type: 'text', text: 'Chart it' });
    assert.deepEqual(sentContent(), content);
    assert.equal(uploaded()[0]?.fileId, 'file_up1');
    assert.equal(run.controller.snapshot().state.title, 'Chart it');
  });

  test('a model without code execution has no container: it is said before, and nothing is uploaded', async () => {
    const {
      controller,
      world,
      idle: until,
    } = start(scriptedModel([], { ...INFO, serverTools: { code_execution: false } }));
    await controller.refresh();
    controller.tray.add(world.inputs.file('a.csv', 'a,b\n'));
    await until();
    const [input] = controller.snapshot().state.inputs;
    assert.equal(input?.caution, 'noSandbox');
    controller.tray.setUse(input.id, 'text');
    assert.equal(controller.snapshot().state.inputs[0]?.caution, undefined);
    controller.tray.setUse(input.id, 'container');
    await controller.submit('Chart it');
    await until();
    assert.deepEqual(
      [world.files.uploads, controller.snapshot().state.queued],
      [[], [{ text: 'Chart it', files: ['a.csv'] }]],
    );
    assert.match(
      JSON.stringify(controller.snapshot().rows),
      /no code execution here, so there is no container for a\.csv/,
    );
  });

  test('the message shows what went with it, and the tray is empty then', async () => {
    attach('sales.csv', 'a\n');
    assert.deepEqual(
      run.controller.snapshot().state.inputs.map(({ name, use, uses, size }) => ({ name, use, uses, size })),
      [{ name: 'sales.csv', use: 'container', uses: ['container', 'text'], size: 2 }],
    );
    await say('Look');
    const row = run.controller.snapshot().rows.find((known): known is UserRow => known.kind === 'user');
    assert.deepEqual(row?.files, [{ name: 'sales.csv', size: 2, use: 'container' }]);
    assert.deepEqual(run.controller.snapshot().state.inputs, []);
  });

  test('a text in the message is a document of its own, with its name', async () => {
    attach('notes.md', '# Notes', { mimeType: 'text/markdown' });
    await say('Read');
    assert.deepEqual(said().content, [
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '# Notes' }, title: 'notes.md' },
      { type: 'text', text: 'Read' },
    ]);
    assert.deepEqual(run.world.files.uploads, []);
  });

  test('a text without a word in it is said to be so: the API takes no empty document', async () => {
    attach('blank.md', ' \n', { mimeType: 'text/markdown' });
    await say('Read');
    assert.deepEqual(said().content[0], { type: 'text', text: '[blank.md holds nothing but white space.]' });
  });

  test('a small image is in the message itself, a large one is uploaded and named', async () => {
    const png = imageBytes('png', 8, 8).toString('latin1');
    const image = { mimeType: 'image/png', content: 'image' };
    attach('small.png', 'x', image);
    attach('large.png', 'y'.repeat(1024 * 1024 + 1), image);
    assert.ok(png.length > 0);
    await run.controller.submit('See');
    await run.idle();
    const [small, large] = said().content;
    assert.deepEqual(small, {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: Buffer.from('x').toString('base64') },
    });
    assert.deepEqual(large, { type: 'image', source: { type: 'file', file_id: 'file_up1' } });
  });

  test('where the address has no Files API, an image goes into the message all the same', async () => {
    run.world.files.failUploads = new ApiError({ kind: 'not-found', message: 'no such page', status: 404 });
    const content = 'y'.repeat(1024 * 1024 + 1);
    attach('large.pdf', content, { mimeType: 'application/pdf', content: 'pdf' });
    await say('See');
    assert.deepEqual(said().content[0], {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(content).toString('base64') },
      title: 'large.pdf',
    });
  });

  test('the same content under the same name is uploaded once, also in another session, as long as it is there', async () => {
    attach('sales.csv', 'a\n');
    await say('One');
    await run.controller.newSession();
    attach('sales.csv', 'a\n');
    await say('Two');
    assert.equal(run.world.files.uploads.length, 1);
    assert.equal(uploaded()[0]?.fileId, 'file_up1');
    run.world.files.files.delete('file_up1');
    attach('sales.csv', 'a\n');
    await say('Three');
    assert.deepEqual(
      uploaded().map(({ fileId }) => fileId),
      ['file_up1', 'file_up2'],
    );
  });

  test('files of one name have names of their own in the container', async () => {
    attach('data.csv', 'a\n');
    attach('data.csv', 'b\n', { uri: 'file:///w/other/data.csv', stamp: 'b\n' });
    run.world.inputs.texts.set('file:///w/other/data.csv', 'b\n');
    run.world.inputs.texts.set('file:///w/data.csv', 'a\n');
    await say('Compare');
    assert.deepEqual(
      run.world.files.uploads.map(({ name }) => name),
      ['data.csv', 'data (2).csv'],
    );
  });

  test('a file that changed since it was attached keeps the message from going out, and nothing typed is lost', async () => {
    attach('sales.csv', 'a\n');
    run.world.inputs.texts.set('file:///w/sales.csv', 'changed');
    await run.controller.submit('Chart it');
    await run.idle();
    assert.deepEqual(model.requests, []);
    assert.deepEqual(run.controller.snapshot().state.queued, [{ text: 'Chart it', files: ['sales.csv'] }]);
    assert.match(noticeOf(run), /changed/);
    // Taken back into the field, the file is beside it again.
    run.controller.unqueue(0, true);
    assert.equal(run.controller.snapshot().state.inputs.length, 1);
  });

  test('a full storage says what to do, and keeps the message', async () => {
    const failure = { kind: 'invalid-request', message: 'quota', status: 400, code: 'storage_quota_exceeded' } as const;
    run.world.files.failUploads = new ApiError(failure);
    attach('sales.csv', 'a\n');
    await run.controller.submit('Chart it');
    await run.idle();
    assert.match(noticeOf(run), /storage of your organization is full/);
    assert.deepEqual(queuedTexts(run.controller), ['Chart it']);
    assert.deepEqual(uploaded(), []);
  });

  test('stopping during an upload sends nothing, and keeps the message', async () => {
    attach('sales.csv', 'a,b,c,d,e,f\n');
    let phase = '';
    run.world.files.upload = async (_source, signal, onSent) => {
      onSent?.(6);
      phase = run.controller.snapshot().state.phase;
      void run.controller.stop();
      await Promise.resolve();
      throw new UserError(String(signal.aborted));
    };
    await run.controller.submit('Chart it');
    await idle(run.controller);
    assert.equal(phase, 'Uploading sales.csv: 50 %');
    assert.deepEqual(queuedTexts(run.controller), ['Chart it']);
    assert.deepEqual(model.requests, []);
    assert.ok(run.controller.snapshot().rows.every(({ kind }) => kind !== 'notice'));
  });

  test('a blob that was cleaned up during the upload is stored again', async () => {
    attach('sales.csv', 'a\n');
    const { attachments, files } = run.world;
    const { upload } = files;
    const { find, store } = attachments;
    let stored = 0;
    attachments.store = (content, signal) => {
      stored += 1;
      attachments.find = find;
      return store(content, signal);
    };
    files.upload = async (...args) => {
      attachments.find = () => Promise.resolve(undefined);
      return upload(...args);
    };
    await say('Chart it');
    assert.equal(stored, 2);
  });

  test('files that are queued with a message go with that message', async () => {
    await run.controller.submit('first');
    attach('sales.csv', 'a\n');
    await run.controller.submit('second');
    assert.deepEqual(run.controller.snapshot().state.queued, [{ text: 'second', files: ['sales.csv'] }]);
    await run.idle();
    await run.idle();
    assert.deepEqual([said().text, said().files?.map(({ name }) => name)], ['second', ['sales.csv']]);
  });

  test('a file without a word is a message', async () => {
    attach('sales.csv', 'a\n');
    await say('  ');
    assert.equal(said().text, 'Attached: sales.csv');
  });

  test('the tray offers what a file can be sent as, and takes no more than 500 MB', () => {
    const { tray } = run.controller;
    const uses = (fields: object): readonly string[] => {
      tray.add(run.world.inputs.file(JSON.stringify(fields), '', fields));
      return tray.view().at(-1)?.uses ?? [];
    };
    const image = { content: 'image', mimeType: 'image/png' };
    assert.deepEqual(uses({ ...image, size: 10 }), ['image', 'container']);
    assert.deepEqual(uses({ ...image, size: 4_000_000 }), ['container']);
    assert.deepEqual(uses({ content: 'pdf', mimeType: 'application/pdf', size: 10 }), ['document', 'container']);
    assert.deepEqual(uses({ mimeType: 'text/plain', size: 10 }), ['text', 'container']);
    assert.deepEqual(uses({ mimeType: 'text/plain', size: 100_000 }), ['container', 'text']);
    assert.deepEqual(uses({ mimeType: 'text/plain', size: 0 }), ['container']);
    assert.deepEqual(uses({ content: 'binary', mimeType: 'application/zip', size: 10 }), ['container']);
    assert.throws(() => uses({ size: 500 * 1024 * 1024 + 1 }), UserError);
    const [first] = tray.view();
    tray.setUse(first?.id ?? '', 'container');
    tray.setUse(first?.id ?? '', 'document');
    assert.equal(tray.view()[0]?.use, 'container');
    tray.remove(first?.id ?? '');
    assert.equal(tray.view().length, 6);
  });

  test('the same file is not attached twice', () => {
    attach('a.csv', 'a');
    attach('a.csv', 'a');
    assert.equal(run.controller.snapshot().state.inputs.length, 1);
  });
});

function isMessage(entry: LogEntry): entry is UserMessage {
  return entry.type === 'userMessage';
}

function noticeOf({ controller }: Run): string {
  return controller
    .snapshot()
    .rows.flatMap((row) => (row.kind === 'notice' ? [`${row.title} ${row.detail ?? ''}`] : []))
    .join('\n');
}
