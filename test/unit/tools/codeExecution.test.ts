import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codeExecutionTool as tool } from '../../../src/core/tools/codeExecution.ts';

const bashCall = { command: 'python plot.py' };
const createCall = { command: 'create', path: '/tmp/plot.py', file_text: 'print(1)\n' };
const replaceCall = { command: 'str_replace', path: '/tmp/plot.py', old_str: 'a\nb', new_str: 'c' };

const bashResult = (content: object): object => ({
  type: 'bash_code_execution_tool_result',
  tool_use_id: 's',
  content,
});
const editorResult = (content: object): object => ({
  type: 'text_editor_code_execution_tool_result',
  tool_use_id: 's',
  content,
});
const pythonResult = (content: object): object => ({ type: 'code_execution_tool_result', tool_use_id: 's', content });

suite('code execution: calls', () => {
  const titles: readonly (readonly [string, unknown, string])[] = [
    ['bash_code_execution', bashCall, 'Sandbox · python plot.py'],
    ['bash_code_execution', { command: '\n  ls -la\nrm x' }, 'Sandbox · ls -la'],
    ['bash_code_execution', undefined, 'Sandbox · bash'],
    ['text_editor_code_execution', createCall, 'Sandbox · create /tmp/plot.py'],
    ['text_editor_code_execution', { command: 'view', path: 'a.csv' }, 'Sandbox · view a.csv'],
    ['text_editor_code_execution', replaceCall, 'Sandbox · edit /tmp/plot.py'],
    ['text_editor_code_execution', { command: 'create' }, 'Sandbox · create …'],
    ['text_editor_code_execution', {}, 'Sandbox · file'],
    ['code_execution', { code: 'import os\nprint(1)' }, 'Sandbox · import os'],
    ['code_execution', { code: '' }, 'Sandbox · python'],
  ];
  for (const [name, input, title] of titles) {
    test(`${JSON.stringify(input)} is titled ${title}`, () => assert.equal(tool.presentCall(name, input).title, title));
  }

  test('a title is one short line in which nothing is hidden', () => {
    const { title } = tool.presentCall('bash_code_execution', { command: `a\tb\u202Ec\u0007d ${'x'.repeat(500)}` });
    assert.match(title, /^Sandbox · a b\u{FFFD}c d x+$/u);
    assert.ok(title.length < 150);
  });

  test('a command is shown as a terminal, a new file as its text, a replacement as a diff', () => {
    assert.deepEqual(tool.presentCall('bash_code_execution', bashCall).body, {
      kind: 'terminal',
      command: 'python plot.py',
      output: '',
    });
    assert.deepEqual(tool.presentCall('text_editor_code_execution', createCall).body, {
      kind: 'text',
      text: 'print(1)\n',
      language: 'py',
    });
    assert.deepEqual(tool.presentCall('text_editor_code_execution', replaceCall).body, {
      kind: 'diff',
      path: '/tmp/plot.py',
      added: 1,
      removed: 2,
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 1, lines: ['-a', '-b', '+c'] }],
    });
    assert.deepEqual(tool.presentCall('bash_code_execution', {}).body, { kind: 'none' });
  });

  test('is declared in each version without parameters', () => {
    for (const version of tool.versions)
      assert.deepEqual(tool.declare(version), { type: version, name: 'code_execution' });
    assert.equal(tool.versions[0], 'code_execution_20260521');
  });
});

suite('code execution: results', () => {
  test('a command shows both streams and the exit code, and failing is not an error of the call', () => {
    const content = { type: 'bash_code_execution_result', stdout: 'out', stderr: 'err\n', return_code: 2, content: [] };
    assert.deepEqual(tool.presentResult('bash_code_execution', bashCall, bashResult(content)), {
      title: 'Sandbox · python plot.py',
      body: { kind: 'terminal', command: 'python plot.py', output: 'out\nerr\n', exitCode: 2 },
      isError: false,
    });
  });

  test('python shows its code, and says when the output is encrypted', () => {
    const plain = { type: 'code_execution_result', stdout: '1\n', stderr: '', return_code: 0, content: [] };
    const secret = {
      type: 'encrypted_code_execution_result',
      encrypted_stdout: 'xx',
      stderr: 'w',
      return_code: 0,
      content: [],
    };
    assert.deepEqual(tool.presentResult('code_execution', { code: 'print(1)' }, pythonResult(plain)).body, {
      kind: 'terminal',
      command: 'print(1)',
      output: '1\n',
      exitCode: 0,
    });
    const { body } = tool.presentResult('code_execution', { code: 'print(1)' }, pythonResult(secret));
    assert.ok(body.kind === 'terminal' && body.output === 'w' && /encrypted/.test(body.note ?? ''));
  });

  test('a view shows the text, or what was looked at', () => {
    const view = (content: object): unknown =>
      tool.presentResult('text_editor_code_execution', { command: 'view', path: 'a.JSON' }, editorResult(content)).body;
    const type = 'text_editor_code_execution_view_result';
    assert.deepEqual(view({ type, file_type: 'text', content: '{}', num_lines: 1 }), {
      kind: 'text',
      text: '{}',
      language: 'json',
    });
    assert.match(JSON.stringify(view({ type, file_type: 'image', content: 'AAAA' })), /image/);
    assert.doesNotMatch(JSON.stringify(view({ type, file_type: 'pdf', content: 'AAAA' })), /AAAA/);
  });

  test('a picture that Claude looked at is shown, where its bytes are one of sane size', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const looked = (content: string): unknown => {
      const result = { type: 'text_editor_code_execution_view_result', file_type: 'image', content };
      const call = { command: 'view', path: 'a.png' };
      return tool.presentResult('text_editor_code_execution', call, editorResult(result)).body;
    };
    assert.deepEqual(looked(png), { kind: 'image', src: `data:image/png;base64,${png}`, name: 'a.png' });
    const none = { kind: 'text', text: 'Claude looked at the image.' };
    for (const data of ['AAAA', '<svg>', '', png.repeat(20_000)]) assert.deepEqual(looked(data), none);
  });

  test('a file that was there before is said to be replaced', () => {
    const titleOf = (is_file_update: boolean): string => {
      const result = editorResult({ type: 'text_editor_code_execution_create_result', is_file_update });
      return tool.presentResult('text_editor_code_execution', createCall, result).title;
    };
    assert.deepEqual(
      [titleOf(false), titleOf(true)],
      ['Sandbox · create /tmp/plot.py', 'Sandbox · replace /tmp/plot.py'],
    );
  });

  test('a creation keeps showing the text', () => {
    const result = editorResult({ type: 'text_editor_code_execution_create_result', is_file_update: false });
    const { body } = tool.presentResult('text_editor_code_execution', createCall, result);
    assert.deepEqual(body, { kind: 'text', text: 'print(1)\n', language: 'py' });
  });

  test('a replacement shows the lines of the result, where it has them', () => {
    const type = 'text_editor_code_execution_str_replace_result';
    const lines = { type, old_start: 3, old_lines: 2, new_start: 3, new_lines: 2, lines: ['context', '-a', '+c'] };
    assert.deepEqual(tool.presentResult('text_editor_code_execution', replaceCall, editorResult(lines)).body, {
      kind: 'diff',
      path: '/tmp/plot.py',
      added: 1,
      removed: 1,
      hunks: [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: [' context', '-a', '+c'] }],
    });
    const none = { type, old_start: null, old_lines: null, new_start: null, new_lines: null, lines: null };
    const { body } = tool.presentResult('text_editor_code_execution', replaceCall, editorResult(none));
    assert.deepEqual(body, tool.presentCall('text_editor_code_execution', replaceCall).body);
  });

  const codes = ['unavailable', 'execution_time_exceeded', 'invalid_tool_input', 'too_many_requests'];
  const failures: readonly (readonly [string, string, unknown, readonly string[]])[] = [
    ['bash_code_execution', 'bash_code_execution_tool_result', bashCall, [...codes, 'output_file_too_large']],
    ['text_editor_code_execution', 'text_editor_code_execution_tool_result', replaceCall, [...codes, 'file_not_found']],
    ['code_execution', 'code_execution_tool_result', { code: 'x' }, codes],
  ];
  test('every error code has a sentence of its own, and an unknown one is named', () => {
    for (const [name, type, input, known] of failures) {
      const sentences = [...known, 'brand_new', ''].map((error_code) => {
        const shown = tool.presentResult(name, input, { type, content: { type: `${type}_error`, error_code } });
        assert.equal(shown.isError, true);
        const sentence =
          shown.body.kind === 'terminal' ? shown.body.note : shown.body.kind === 'text' && shown.body.text;
        assert.ok(typeof sentence === 'string' && sentence.length > 20);
        if (known.includes(error_code)) assert.ok(!sentence.includes('_'), sentence);
        if (error_code === 'brand_new') assert.match(sentence, /brand_new/);
        return sentence;
      });
      assert.equal(new Set(sentences).size, sentences.length);
    }
  });

  test('an error’s own message is shown too', () => {
    const content = {
      type: 'text_editor_code_execution_tool_result_error',
      error_code: 'file_not_found',
      error_message: 'No a.py',
    };
    assert.match(
      JSON.stringify(tool.presentResult('text_editor_code_execution', replaceCall, editorResult(content)).body),
      /No a\.py/,
    );
  });

  test('a result of a kind that is not known is shown as it is', () => {
    const { body, isError } = tool.presentResult(
      'bash_code_execution',
      bashCall,
      bashResult({ type: 'hologram', depth: 3 }),
    );
    assert.ok(!isError && body.kind === 'json' && /hologram/.test(body.json));
  });

  test('a huge output is cut in the middle, and says so', () => {
    const content = {
      type: 'bash_code_execution_result',
      stdout: `A${'x'.repeat(5_000_000)}Z`,
      stderr: '',
      return_code: 0,
      content: [],
    };
    const { body } = tool.presentResult('bash_code_execution', bashCall, bashResult(content));
    assert.ok(body.kind === 'terminal' && body.truncated === true);
    assert.ok(body.output.length < 110_000 && body.output.startsWith('A') && body.output.endsWith('Z'));
  });
});

suite('code execution: files', () => {
  const id = 'file_011CNha8iCJcU1wXNR6q4V8w';
  const outputs = (...ids: readonly unknown[]): unknown[] =>
    ids.map((file_id) => ({ type: 'bash_code_execution_output', file_id }));

  test('are those of commands and of python, each once [C135]', () => {
    const content = outputs(id, 'file_2', id);
    assert.deepEqual(tool.fileIds(bashResult({ type: 'bash_code_execution_result', content })), [id, 'file_2']);
    assert.deepEqual(tool.fileIds(pythonResult({ type: 'code_execution_result', content })), [id, 'file_2']);
    assert.deepEqual(tool.fileIds(pythonResult({ type: 'encrypted_code_execution_result', content })), [id, 'file_2']);
  });

  test('are only what looks like a file id: it becomes part of a request’s address [C144]', () => {
    const bad = [
      '../x',
      'file_../x',
      'file_',
      `file_${'x'.repeat(300)}`,
      'file_a/content',
      'file_a?b',
      'file_a\n',
      5,
      null,
      {},
    ];
    assert.deepEqual(tool.fileIds(bashResult({ type: 'bash_code_execution_result', content: outputs(...bad) })), []);
  });

  test('are none in an error, a view, or nothing', () => {
    const nothing = [undefined, null, 'x', [], {}, bashResult({ type: 'bash_code_execution_tool_result_error' })];
    for (const result of [...nothing, editorResult({ content: 'file_x' })]) assert.deepEqual(tool.fileIds(result), []);
  });
});

suite('code execution: whatever arrives', () => {
  const names = fc.oneof(fc.constantFrom(...tool.calls), fc.string());
  const keys = [
    'command',
    'path',
    'file_text',
    'old_str',
    'new_str',
    'code',
    'type',
    'content',
    'lines',
    'file_id',
    'stdout',
    'error_code',
  ];
  const types = [
    ...['bash_code_execution_result', 'code_execution_result', 'x_error', 'create', 'encrypted_code_execution_result'],
    ...['view', 'create', 'str_replace'].map((kind) => `text_editor_code_execution_${kind}_result`),
  ];
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(undefined, null, true, 3, 'view', 'create', 'str_replace', ...types),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 6 }),
    ),
  })).value;

  const content = fc.tuple(fc.constantFrom(...types), fc.dictionary(fc.constantFrom(...keys), json));
  const results = fc.oneof(
    json,
    content.map(([type, fields]) => ({ content: { ...fields, type } })),
  );

  test('is presented without a throw, with a title and a body that can be sent', () => {
    fc.assert(
      fc.property(names, json, results, (name, input, result) => {
        const { title, body } = tool.presentCall(name, input);
        const shown = tool.presentResult(name, input, result);
        assert.ok(title.startsWith('Sandbox · ') && !/\n/.test(title));
        assert.deepEqual(JSON.parse(JSON.stringify(body)), body);
        assert.deepEqual(JSON.parse(JSON.stringify(shown)), shown);
        assert.ok(tool.fileIds(result).every((id) => /^file_[\w-]+$/.test(id)));
      }),
      { numRuns: 1000 },
    );
  });

  test('shows every beginning of a streaming input', () => {
    const whole = JSON.stringify(createCall);
    for (let end = 0; end <= whole.length; end++) {
      const partial = /"path":"([^"]*)/.exec(whole.slice(0, end))?.[1];
      const input = partial === undefined ? undefined : { command: 'create', path: partial };
      assert.ok(tool.presentCall('text_editor_code_execution', input).title.startsWith('Sandbox · '));
    }
  });
});
