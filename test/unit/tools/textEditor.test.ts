import assert from 'node:assert/strict';
import { NO_WISH } from '../../support/agent.ts';
import { failure, invoke, prepare, run, setupEditor as setup } from './textEditorSetup.ts';

suite('text editor: declaration', () => {
  const { tool } = setup({});

  test('the newest version tells the model where a view is cut', () => {
    assert.deepEqual(tool.declare(undefined, NO_WISH), {
      type: 'text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      max_characters: 100_000,
    });
    assert.deepEqual(tool.declare(tool.versions[0], NO_WISH), tool.declare(undefined, NO_WISH));
  });

  test('the older version has no max_characters', () => {
    assert.deepEqual(tool.declare('text_editor_20250429', NO_WISH), {
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

  test('shows a range, and -1 is the last line [C112]', async () => {
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

  test('is cut at whole lines with a note on how to go on [G10]', async () => {
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

  test('a range of a directory is refused [C112]', async () => {
    const context = setup({ 'src/a.ts': 'x' });
    assert.match(
      await failure(context, { command: 'view', path: 'src', view_range: [1, 2] }),
      /not allowed when `path` is a directory/,
    );
  });

  test('what can not be shown is an error: missing, 60 MB, binary, image [G10]', async () => {
    const context = setup({ big: { text: '', size: 60_000_000 }, bin: { text: '', binary: true }, 'a.png': 'x' });
    assert.equal(await failure(context, { command: 'view', path: 'nope' }), 'Error: File not found');
    assert.match(await failure(context, { command: 'view', path: 'big' }), /60 MB.*sed -n/);
    assert.match(await failure(context, { command: 'view', path: 'bin' }), /binary/);
    assert.match(await failure(context, { command: 'view', path: 'a.png' }), /is an image/);
  });
});
