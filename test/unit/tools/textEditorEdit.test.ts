import assert from 'node:assert/strict';
import { CancelledError } from '../../../src/core/errors.ts';
import { failure, invoke, never, prepare, run, setupEditor as setup, unchanged } from './textEditorSetup.ts';

suite('text editor: str_replace', () => {
  test('shows the edit before it happens, and writes it', async () => {
    const context = setup({ 'src/a.ts': 'const a = 1;\nconst b = 2;\n' });
    const call = await prepare(context, {
      command: 'str_replace',
      path: 'src/a.ts',
      old_str: 'b = 2',
      new_str: 'b = 3',
    });
    assert.deepEqual(
      call.effects.map((effect) => effect.kind),
      ['read', 'write'],
    );
    assert.deepEqual(call.diff, {
      path: 'src/a.ts',
      before: 'const a = 1;\nconst b = 2;\n',
      after: 'const a = 1;\nconst b = 3;\n',
      exists: true,
    });
    const lines = [' const a = 1;', '-const b = 2;', '+const b = 3;'];
    const hunks = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }];
    const body = { kind: 'diff', path: 'src/a.ts', added: 1, removed: 1, hunks };
    assert.deepEqual(call.preview, body);
    unchanged(context.port, 'src/a.ts', 'const a = 1;\nconst b = 2;\n');
    assert.deepEqual(await invoke(call), {
      content: 'Successfully replaced text at exactly one location.',
      isError: false,
      title: 'Edit src/a.ts',
      body,
    });
    assert.equal(context.port.text('src/a.ts'), 'const a = 1;\nconst b = 3;\n');
  });

  test('without new_str the text is deleted [C113]', async () => {
    const context = setup({ a: 'one\ntwo\n' });
    await run(context, { command: 'str_replace', path: 'a', old_str: 'one\n' });
    assert.equal(context.port.text('a'), 'two\n');
  });

  test('LF text from the model edits a CRLF file and leaves it CRLF', async () => {
    const context = setup({ a: 'one\r\ntwo\r\n' });
    await run(context, { command: 'str_replace', path: 'a', old_str: 'one\ntwo', new_str: '1\n2' });
    assert.equal(context.port.text('a'), '1\r\n2\r\n');
  });

  test('text that is not there: the documented error, the nearest place, nothing written [C111]', async () => {
    const context = setup({ a: 'const total = 1;\nconst b = 2;\n' });
    assert.equal(
      await failure(context, { command: 'str_replace', path: 'a', old_str: 'const totals = 1;', new_str: 'x' }),
      'Error: No match found for replacement. Please check your text and try again.\nThe nearest text is in line 1:\n1: const total = 1;',
    );
    unchanged(context.port, 'a', 'const total = 1;\nconst b = 2;\n');
  });

  test('text that is there twice: the documented error with the lines, nothing written [C111]', async () => {
    const context = setup({ a: 'x = 1\ny\nx = 1\n' });
    assert.equal(
      await failure(context, { command: 'str_replace', path: 'a', old_str: 'x = 1', new_str: 'x' }),
      'Error: Found 2 matches for replacement text. Please provide more context to make a unique match.\nThey begin in lines 1, 3.',
    );
    unchanged(context.port, 'a', 'x = 1\ny\nx = 1\n');
  });

  test('what the failure tells about the file is a read that the policy judges first', async () => {
    const context = setup({ '.env': 'KEY=secret\n' });
    const call = await prepare(context, { command: 'str_replace', path: '.env', old_str: 'KEY=secre7', new_str: '' });
    assert.deepEqual(
      call.effects.map((effect) => effect.kind),
      ['read'],
    );
    await assert.rejects(invoke(call), /KEY=secret/);
  });

  test('the same text twice is an error and no write', async () => {
    const context = setup({ a: 'x\n' });
    assert.match(
      await failure(context, { command: 'str_replace', path: 'a', old_str: 'x', new_str: 'x' }),
      /are the same/,
    );
    unchanged(context.port, 'a', 'x\n');
  });

  test('missing files, directories and texts that can not be edited faithfully are refused [XD14]', async () => {
    const context = setup({ 'src/a': 'x', mixed: { text: 'a\r\nb\n', unfaithful: 'it has mixed line ends' } });
    const edit = { command: 'str_replace', old_str: 'a', new_str: 'c' };
    assert.equal(await failure(context, { ...edit, path: 'nope' }), 'Error: File not found');
    assert.match(await failure(context, { ...edit, path: 'src' }), /is a directory/);
    assert.match(await failure(context, { ...edit, path: 'mixed' }), /mixed line ends.*was not changed/);
    unchanged(context.port, 'mixed', 'a\r\nb\n');
  });

  test('a file that changed since the preview is stale and not written [XD10]', async () => {
    const context = setup({ a: 'one\n' });
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: 'one', new_str: 'two' });
    context.port.files.set('a', { text: 'one more\n' });
    assert.equal(await call.invoke({ signal: never, progress: () => undefined }), 'stale');
    unchanged(context.port, 'a', 'one more\n');
  });

  test('a stopped call writes nothing', async () => {
    const context = setup({ a: 'one\n' });
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: 'one', new_str: 'two' });
    await assert.rejects(invoke(call, { signal: AbortSignal.abort() }), CancelledError);
    unchanged(context.port, 'a', 'one\n');
  });

  test('after a formatter ran the result has the text as it is now', async () => {
    const context = setup({ a: "let x = 'a';\nlet y = 1;\n" });
    context.port.onSave = (_path, text) => text.replaceAll("'", '"');
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: "'a'", new_str: "'b'" });
    const outcome = await invoke(call);
    assert.equal(
      outcome.content,
      'Successfully replaced text at exactly one location.\n' +
        'Saving changed the file further (a formatter or another action on save). The changed places now read:\n' +
        '1: let x = "b";\n2: let y = 1;',
    );
    assert.ok(outcome.body.kind === 'diff' && outcome.body.note === 'Saving changed the file further.');
  });

  test('what the user changed in the diff is what is written, and the model is told', async () => {
    const context = setup({ a: 'one\r\ntwo\r\n' });
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: 'two', new_str: '2' });
    const outcome = await invoke(call, { revised: 'one\ntwo!\n' });
    assert.equal(context.port.text('a'), 'one\r\ntwo!\r\n');
    assert.equal(
      outcome.content,
      'Successfully replaced text at exactly one location.\n' +
        'The user changed the edit before accepting it. What they changed in your proposal:\n' +
        '@@ -1,2 +1,2 @@\n one\n-2\n+two!',
    );
  });

  test('when the user took every change out, nothing is written and the model is told', async () => {
    const context = setup({ a: 'one\n' });
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: 'one', new_str: '1' });
    const outcome = await invoke(call, { revised: 'one\n' });
    assert.ok(outcome.isError);
    assert.match(outcome.content, /took every change out/);
    unchanged(context.port, 'a', 'one\n');
  });

  test('an edit that is not saved says so', async () => {
    const context = setup({ a: 'one\n' });
    context.port.shouldSave = false;
    assert.match(
      await run(context, { command: 'str_replace', path: 'a', old_str: 'one', new_str: '1' }),
      /not saved to disk yet/,
    );
  });

  test('the card says that unsaved changes of the user are there', async () => {
    const context = setup({ a: { text: 'one\n', dirty: true } });
    const call = await prepare(context, { command: 'str_replace', path: 'a', old_str: 'one', new_str: '1' });
    assert.ok(call.preview.kind === 'diff' && call.preview.note?.includes('unsaved changes'));
  });
});

suite('text editor: create and insert', () => {
  test('creates a file that is not there', async () => {
    const context = setup({});
    const call = await prepare(context, { command: 'create', path: 'new/a.ts', file_text: 'x\n' });
    const [effect] = call.effects;
    assert.ok(call.effects.length === 1 && effect?.kind === 'write' && effect.creates);
    assert.equal((await invoke(call)).content, 'File created successfully at: new/a.ts');
    assert.equal(context.port.text('new/a.ts'), 'x\n');
  });

  test('creates an empty file', async () => {
    const context = setup({});
    await run(context, { command: 'create', path: 'empty', file_text: '' });
    assert.equal(context.port.text('empty'), '');
  });

  test('a file that appeared since the preview is stale', async () => {
    const context = setup({});
    const call = await prepare(context, { command: 'create', path: 'a', file_text: 'x' });
    context.port.files.set('a', { text: 'mine' });
    assert.equal(await call.invoke({ signal: never, progress: () => undefined }), 'stale');
    unchanged(context.port, 'a', 'mine');
  });

  test('over an existing file it is an edit of the whole text, shown as a diff', async () => {
    const context = setup({ a: 'one\r\ntwo\r\n' });
    const call = await prepare(context, { command: 'create', path: 'a', file_text: 'one\n2\n' });
    assert.ok(call.preview.kind === 'diff' && call.preview.added === 1 && call.preview.removed === 1);
    assert.equal(call.title, 'Overwrite a');
    await invoke(call);
    assert.equal(context.port.text('a'), 'one\r\n2\r\n');
  });

  test('refuses a directory, a name that ends with a slash, and a text that is there already', async () => {
    const context = setup({ 'src/a': 'x\n' });
    assert.match(await failure(context, { command: 'create', path: 'src', file_text: '' }), /is a directory/);
    assert.match(await failure(context, { command: 'create', path: 'x/', file_text: '' }), /slash/);
    assert.match(await failure(context, { command: 'create', path: 'src/a', file_text: 'x\n' }), /already has exactly/);
  });

  test('inserts after a line [C112]', async () => {
    const context = setup({ a: 'one\ntwo\n' });
    const input = { command: 'insert', path: 'a', insert_line: 1, insert_text: 'new' };
    assert.equal(await run(context, input), 'The file a has been edited.');
    assert.equal(context.port.text('a'), 'one\nnew\ntwo\n');
  });

  test('a line that is not there is an error with the range', async () => {
    const context = setup({ a: 'one\ntwo\n' });
    assert.equal(
      await failure(context, { command: 'insert', path: 'a', insert_line: 9, insert_text: 'x' }),
      'Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 2]',
    );
  });

  test('an outside path is named to the model only as it wrote it', async () => {
    const context = setup({ '/etc/x': 'one\n' });
    const input = { command: 'insert', path: '../etc/x', insert_line: 0, insert_text: 'x' };
    assert.equal(await run(context, input), 'The file ../etc/x has been edited.');
  });
});
