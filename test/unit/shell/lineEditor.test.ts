import assert from 'node:assert/strict';
import { LineEditor, type LineEvent } from '../../../src/node/shell/lineEditor.ts';

const lines = (events: readonly LineEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'line' ? [event.line] : event.kind === 'echo' ? [] : [event.kind]));

suite('Typing into the terminal', () => {
  let editor: LineEditor;
  setup(() => (editor = new LineEditor()));

  test('enters a line, with what was erased gone', () => {
    assert.deepEqual(lines(editor.feed('echo hx\x7fi\r')), ['echo hi']);
    assert.deepEqual(lines(editor.feed('wrong\x15right\r')), ['right']);
    assert.deepEqual(lines(editor.feed('two words\x17word\r')), ['two word']);
    assert.deepEqual(lines(editor.feed('\r')), ['']);
    assert.deepEqual(lines(editor.feed('last\r\x04')), ['last', 'end']);
  });

  test('erases as many cells as a character takes', () => {
    editor.feed('a界😀é');
    const echoes = [1, 2, 3].map(() => editor.feed('\x7f').map((event) => (event.kind === 'echo' ? event.text : '')));
    assert.deepEqual(echoes, [['\b \b'], ['\b \b\b \b'], ['\b \b\b \b']]);
    assert.equal(editor.line, 'a');
  });

  test('runs nothing that was pasted before Enter is pressed', () => {
    assert.deepEqual(lines(editor.feed('echo a\rrm -rf x\recho b')), []);
    assert.deepEqual(lines(editor.feed('\r')), ['echo a\nrm -rf x\necho b']);
  });

  test('recalls earlier lines', () => {
    editor.feed('one\r');
    editor.feed('two\r');
    editor.feed('\x1b[A\x1b[A');
    assert.equal(editor.line, 'one');
    editor.feed('\x1b[B');
    assert.equal(editor.line, 'two');
    editor.feed('\x1b[B');
    assert.equal(editor.line, '');
  });

  test('tells ^C and ^D apart from text and ignores all other keys', () => {
    assert.deepEqual(lines(editor.feed('abc\x03')), ['interrupt']);
    assert.equal(editor.line, '');
    assert.deepEqual(lines(editor.feed('\x04')), ['end']);
    assert.deepEqual(editor.feed('\x1b[3~\x1b[1;5C\x1bOP\x01\x0f\x1b[201~'), []);
    editor.feed('x\x04');
    assert.equal(editor.line, 'x');
  });
});
