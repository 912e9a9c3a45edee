import assert from 'node:assert/strict';
import { CancelledError, ToolError } from '../../../src/core/errors.ts';
import { textEditorTool } from '../../../src/core/tools/textEditor.ts';
import type { PreparedCall, ToolOutcome, ToolRun } from '../../../src/core/tools/tool.ts';
import { fakeEditPort, type FakeEditPort, type FakeFile } from '../../support/fakeEditPort.ts';

const never = new AbortController().signal;

function setup(files: Readonly<Record<string, string | FakeFile>>, maxCharacters?: number) {
  const port = fakeEditPort(files);
  return { port, tool: textEditorTool(port, maxCharacters === undefined ? {} : { maxCharacters }) };
}

type Setup = ReturnType<typeof setup>;

function prepare({ tool }: Setup, input: Readonly<Record<string, unknown>>): Promise<PreparedCall> {
  return tool.prepare(tool.input.parse(input), never);
}

async function invoke(call: PreparedCall, run: Partial<ToolRun> = {}): Promise<ToolOutcome> {
  const outcome = await call.invoke({ signal: never, progress: () => undefined, ...run });
  if (outcome === 'stale') throw new Error('stale');
  return outcome;
}

async function run(context: Setup, input: Readonly<Record<string, unknown>>): Promise<string> {
  const { content } = await invoke(await prepare(context, input));
  return String(content);
}

/** The text of the error that the model gets, wherever in the call it arises. */
async function failure(context: Setup, input: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    await run(context, input);
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
  throw new Error('The call did not fail');
}

function unchanged(port: FakeEditPort, path: string, text: string): void {
  assert.deepEqual([port.writes, port.text(path)], [[], text]);
}

suite('text editor: declaration', () => {
  const { tool } = setup({});

  test('the newest version tells the model where a view is cut', () => {
    assert.deepEqual(tool.declare(undefined), {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      max_characters: 100_000,
    });
    assert.deepEqual(tool.declare(tool.versions[0]), tool.declare(undefined));
  });

  test('the older version has no max_characters', () => {
    assert.deepEqual(tool.declare('text_editor_20250429'), {
      type: 'text_editor_20250429',
      name: 'str_replace_based_edit_tool',
    });
  });

  test('only view is read-only', () => {
    assert.equal(tool.readOnly({ command: 'view', path: 'a' }), true);
    assert.equal(tool.readOnly({ command: 'create', path: 'a', file_text: '' }), false);
  });

  test('has a title for any input, with hidden characters made visible', () => {
    for (const input of [undefined, null, 3, [], {}, { command: 'view' }, { command: 5, path: 7 }]) {
      assert.ok(tool.title(input).length > 0);
    }
    assert.equal(tool.title({ command: 'view', path: 'a\u202Eb\n' }), 'Read a\\u{202e}b\\u{a}');
  });
});

suite('text editor: malformed input', () => {
  const { tool } = setup({});
  const cases: [string, unknown, RegExp][] = [
    ['no command', { path: 'a' }, /`command` must be one of/],
    ['a command of older versions', { command: 'undo_edit', path: 'a' }, /`command` must be one of/],
    ['no path', { command: 'view' }, /`path` is required/],
    ['a path that is no string', { command: 'view', path: 3 }, /`path` must be a string/],
    ['an empty path', { command: 'view', path: '' }, /`path` must not be empty/],
    [
      'a range of one number',
      { command: 'view', path: 'a', view_range: [1] },
      /`view_range` must be two whole numbers/,
    ],
    ['a range of fractions', { command: 'view', path: 'a', view_range: [1, 2.5] }, /`view_range` must be two/],
    ['no text to create', { command: 'create', path: 'a' }, /`file_text` is required/],
    ['an empty old_str', { command: 'str_replace', path: 'a', old_str: '' }, /`old_str` must not be empty/],
    [
      'a negative line',
      { command: 'insert', path: 'a', insert_line: -1, insert_text: '' },
      /`insert_line` is required/,
    ],
    ['no text to insert', { command: 'insert', path: 'a', insert_line: 0 }, /`insert_text` is required/],
    ['no object', 'view a', /./],
  ];
  for (const [name, input, message] of cases) {
    test(`names the parameter: ${name}`, () => {
      const parsed = tool.input.safeParse(input);
      assert.ok(!parsed.success);
      assert.match(parsed.error.issues.map((issue) => issue.message).join('\n'), message);
    });
  }

  test('the inserted text may be called new_str, as in older examples', () => {
    const parsed = tool.input.parse({ command: 'insert', path: 'a', insert_line: 0, new_str: 'x' });
    assert.deepEqual(parsed, { command: 'insert', path: 'a', insert_line: 0, insert_text: 'x' });
  });
});

suite('text editor: view', () => {
  test('numbers the lines of a file, and reads without writing', async () => {
    const context = setup({ 'src/a.ts': 'one\r\ntwo\r\n' });
    const call = await prepare(context, { command: 'view', path: 'src/a.ts' });
    assert.equal(call.title, 'Read src/a.ts');
    assert.deepEqual(
      call.effects.map((effect) => effect.kind),
      ['read'],
    );
    assert.equal((await invoke(call)).content, '1: one\n2: two');
  });

  test('shows a range, and -1 is the last line', async () => {
    const context = setup({ a: 'one\ntwo\nthree\n' });
    assert.equal(await run(context, { command: 'view', path: 'a', view_range: [2, 2] }), '2: two');
    assert.equal(await run(context, { command: 'view', path: 'a', view_range: [2, -1] }), '2: two\n3: three');
    assert.equal(await run(context, { command: 'view', path: 'a', view_range: [3, 99] }), '3: three');
  });

  test('refuses ranges that are none', async () => {
    const context = setup({ a: 'one\ntwo\n' });
    assert.match(await failure(context, { command: 'view', path: 'a', view_range: [0, 1] }), /counted from 1/);
    assert.match(
      await failure(context, { command: 'view', path: 'a', view_range: [2, 1] }),
      /not smaller than the start/,
    );
    assert.match(await failure(context, { command: 'view', path: 'a', view_range: [3, -1] }), /The file has 2 lines/);
  });

  test('the text with the unsaved changes is shown, and said to be so', async () => {
    const context = setup({ a: { text: 'typed\n', dirty: true } });
    assert.match(await run(context, { command: 'view', path: 'a' }), /^1: typed\n\[The file has unsaved changes/);
  });

  test('is cut at whole lines with a note on how to go on', async () => {
    const context = setup({ a: 'aaaaaaaa\nbbbbbbbb\ncccccccc\n' }, 25);
    assert.equal(
      await run(context, { command: 'view', path: 'a' }),
      '1: aaaaaaaa\n2: bbbbbbbb\n[Truncated at 25 characters: lines 1-2 of 3 are shown. Continue with `view_range` [3, -1].]',
    );
  });

  test('a single line over the limit is cut inside', async () => {
    const context = setup({ a: `${'x'.repeat(100)}\nlast\n` }, 20);
    const text = await run(context, { command: 'view', path: 'a' });
    assert.match(
      text,
      /^1: x{17}\n\[Line 1 has 103 characters and was cut at 20\..*\]\n\[Truncated.*`view_range` \[2, -1\]\.\]$/s,
    );
  });

  test('half a surrogate pair does not reach the request', async () => {
    assert.equal(await run(setup({ a: 'x\uD83D\n' }), { command: 'view', path: 'a' }), '1: x\uFFFD');
  });

  test('an empty file has a result that is not empty', async () => {
    assert.equal(await run(setup({ a: '' }), { command: 'view', path: 'a' }), 'The file a is empty.');
  });

  test('lists a directory two levels deep without hidden entries and node_modules', async () => {
    const context = setup({
      'src/a.ts': 'x',
      'src/deep/er/b.ts': 'x',
      '.git/config': 'x',
      'node_modules/p/index.js': 'x',
      'src/.env': 'x',
      'README.md': 'x'.repeat(1500),
    });
    assert.equal(
      await run(context, { command: 'view', path: '.' }),
      [
        "Here're the files and directories up to 2 levels deep in ., excluding hidden items and node_modules:",
        'README.md\t1.5 KB',
        'src/',
        'src/a.ts\t1 B',
        'src/deep/',
      ].join('\n'),
    );
  });

  test('a range of a directory is refused', async () => {
    const context = setup({ 'src/a.ts': 'x' });
    assert.match(
      await failure(context, { command: 'view', path: 'src', view_range: [1, 2] }),
      /not allowed when `path` is a directory/,
    );
  });

  test('what can not be shown is an error: missing, 60 MB, binary, image', async () => {
    const context = setup({ big: { text: '', size: 60_000_000 }, bin: { text: '', binary: true }, 'a.png': 'x' });
    assert.equal(await failure(context, { command: 'view', path: 'nope' }), 'Error: File not found');
    assert.match(await failure(context, { command: 'view', path: 'big' }), /60 MB.*sed -n/);
    assert.match(await failure(context, { command: 'view', path: 'bin' }), /binary/);
    assert.match(await failure(context, { command: 'view', path: 'a.png' }), /is an image/);
  });
});

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

  test('without new_str the text is deleted', async () => {
    const context = setup({ a: 'one\ntwo\n' });
    await run(context, { command: 'str_replace', path: 'a', old_str: 'one\n' });
    assert.equal(context.port.text('a'), 'two\n');
  });

  test('LF text from the model edits a CRLF file and leaves it CRLF', async () => {
    const context = setup({ a: 'one\r\ntwo\r\n' });
    await run(context, { command: 'str_replace', path: 'a', old_str: 'one\ntwo', new_str: '1\n2' });
    assert.equal(context.port.text('a'), '1\r\n2\r\n');
  });

  test('text that is not there: the documented error, the nearest place, nothing written', async () => {
    const context = setup({ a: 'const total = 1;\nconst b = 2;\n' });
    assert.equal(
      await failure(context, { command: 'str_replace', path: 'a', old_str: 'const totals = 1;', new_str: 'x' }),
      'Error: No match found for replacement. Please check your text and try again.\nThe nearest text is in line 1:\n1: const total = 1;',
    );
    unchanged(context.port, 'a', 'const total = 1;\nconst b = 2;\n');
  });

  test('text that is there twice: the documented error with the lines, nothing written', async () => {
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

  test('missing files, directories and texts that can not be edited faithfully are refused', async () => {
    const context = setup({ 'src/a': 'x', mixed: { text: 'a\r\nb\n', unfaithful: 'it has mixed line ends' } });
    const edit = { command: 'str_replace', old_str: 'a', new_str: 'c' };
    assert.equal(await failure(context, { ...edit, path: 'nope' }), 'Error: File not found');
    assert.match(await failure(context, { ...edit, path: 'src' }), /is a directory/);
    assert.match(await failure(context, { ...edit, path: 'mixed' }), /mixed line ends.*was not changed/);
    unchanged(context.port, 'mixed', 'a\r\nb\n');
  });

  test('a file that changed since the preview is stale and not written', async () => {
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
    assert.match(String(outcome.content), /took every change out/);
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

  test('inserts after a line', async () => {
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
