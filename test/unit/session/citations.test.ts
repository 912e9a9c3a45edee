import assert from 'node:assert/strict';
import type { ContentBlock, TextCitation } from '@anthropic-ai/sdk/resources/messages/messages';
import type { LogEntry, NewEntry } from '../../../src/core/session/entries.ts';
import { createTranscript, type Transcript } from '../../../src/core/session/transcript.ts';
import { presenterOf } from '../../../src/core/agent/presenter.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { logOf } from '../../support/logOf.ts';

const page = (url: string, cited = 'words', title: string | null = 'A page'): TextCitation => ({
  type: 'web_search_result_location',
  ...{ url, title, cited_text: cited, encrypted_index: 'x' },
});
const cite = (text: string, ...citations: readonly TextCitation[]): ContentBlock => ({
  type: 'text',
  text,
  citations: [...citations],
});
const plain = (text: string): ContentBlock => ({ type: 'text', text, citations: null });

function answer(blocks: readonly ContentBlock[], messageId = 'm1'): NewEntry[] {
  return blocks.map((block, index) => ({ type: 'assistantBlock', messageId, index, block }));
}

function shown(entries: readonly LogEntry[]): Row[] {
  const transcript = createTranscript(presenterOf([]));
  for (const entry of entries) transcript.apply({ type: 'entry', entry });
  return [...transcript.rows()];
}

function textsOf(rows: readonly Row[]): unknown[] {
  return rows.flatMap((row) => (row.kind === 'text' ? [row.text] : []));
}

suite('what an answer cites', () => {
  test('is marked behind the words, by numbers that lead to the page', () => {
    const rows = shown(logOf(...answer([cite('Tea is green.\n', page('https://a.example.com/t', 'It is "green".'))])));
    assert.deepEqual(textsOf(rows), ['Tea is green. [\\[1\\]](<https://a.example.com/t> "It is \\"green\\".")\n']);
    assert.deepEqual(rows[0]?.kind === 'text' && rows[0].sources, [
      { number: 1, title: 'A page', url: 'https://a.example.com/t', cited: 'It is "green".' },
    ]);
  });

  test('makes one text of neighbouring blocks, and each source has one number in the turn', () => {
    const blocks = [
      plain('First, '),
      cite('green', page('https://a.example.com/')),
      plain(' and '),
      cite('black', page('https://b.example.com/'), page('https://a.example.com/', 'more')),
      plain('.'),
    ];
    const rows = shown(logOf(...answer(blocks)));
    assert.equal(rows.length, 1);
    const marks = [...String(textsOf(rows)[0]).matchAll(/\\\[(\d)\\\]/g)].map(([, number]) => number);
    assert.deepEqual(marks, ['1', '1', '2']);
    assert.deepEqual(rows[0]?.kind === 'text' && rows[0].sources?.map(({ number, url }) => [number, url]), [
      [1, 'https://a.example.com/'],
      [2, 'https://b.example.com/'],
    ]);
  });

  test('is numbered anew in each turn', () => {
    const next: NewEntry = { type: 'userMessage', text: 'And?', content: [{ type: 'text', text: 'And?' }] };
    const one = answer([cite('one', page('https://a.example.com/'))]);
    const two = answer([cite('two', page('https://b.example.com/'))], 'm2');
    const rows = shown(logOf(...one, next, ...two));
    const numbers = rows.flatMap((row) => (row.kind === 'text' ? (row.sources ?? []) : [])).map(({ number }) => number);
    assert.deepEqual(numbers, [1, 1]);
  });

  test('leads nowhere where the source has no address that is one', () => {
    const odd = ['javascript:alert(1)', 'https://a.example.com/> "x" <b', 'data:text/html,x'];
    for (const url of odd) {
      const [text] = textsOf(shown(logOf(...answer([cite('words', page(url))]))));
      assert.equal(text, 'words \\[1\\]');
    }
  });

  test('keeps blocks apart that cite nothing', () => {
    assert.deepEqual(textsOf(shown(logOf(...answer([plain('one'), plain('two')])))), ['one', 'two']);
  });

  test('leaves code and tables as they are where the cited words end with one', () => {
    const url = 'https://a.example.com/';
    const mark = `[\\[1\\]](<${url}> "words")`;
    const marked = (words: string): unknown[] => textsOf(shown(logOf(...answer([cite(words, page(url))]))));
    // Behind the closing fence the mark would make it no fence, and the rest of the answer code.
    assert.deepEqual(marked('```js\nx()\n```\n'), [`\`\`\`js\nx()\n\`\`\`\n\n${mark}\n`]);
    assert.deepEqual(marked('- ~~~\n  x\n  ~~~'), [`- ~~~\n  x\n  ~~~\n\n${mark}`]);
    assert.deepEqual(marked('| a | b |'), [`| a | b ${mark} |`]);
  });

  test('shows cited words with backticks and entities as they are', () => {
    const rows = shown(logOf(...answer([cite('Run `', page('https://a.example.com/', 'a `b` &lt;c'))])));
    assert.deepEqual(textsOf(rows), ['Run ` [\\[1\\]](<https://a.example.com/> "a &#96;b&#96; &amp;lt;c")']);
  });

  test('looks the same live and from the log', () => {
    const blocks = [plain('First, '), cite('green', page('https://a.example.com/')), plain('. Done.')];
    const live = createTranscript(presenterOf([]));
    const entries = logOf(...answer(blocks));
    blocks.forEach((block, index) => grow(live, block, { index, entry: entries[index] }));
    assert.deepEqual(live.rows(), shown(entries));
  });
});

/** A block as it streams, and then its entry. */
function grow(
  live: Transcript,
  block: ContentBlock,
  { index, entry }: { readonly index: number; readonly entry: LogEntry | undefined },
): void {
  assert.ok(block.type === 'text' && entry);
  const opening = { ...block, text: '', citations: block.citations && [] };
  live.apply({ type: 'blockStart', messageId: 'm1', index, block: opening });
  live.apply({ type: 'blockDelta', messageId: 'm1', index, field: 'text', text: block.text });
  const row = live.rows().at(-1);
  assert.ok(row?.kind === 'text' && row.text.endsWith(block.text));
  live.apply({ type: 'entry', entry });
}
