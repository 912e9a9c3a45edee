import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import './support/dom.ts';
import { MarkdownStream } from '../../media/markdown/blocks.ts';
import type { Block } from '../../media/markdown/blocks.ts';

function whole(text: string): readonly Block[] {
  return new MarkdownStream().update(text, false);
}

function html(text: string): string {
  return whole(text)
    .map((block) => (block.kind === 'html' ? block.html : `<pre>${block.html ?? block.code}</pre>`))
    .join('');
}

/** Sanitising is slow in jsdom and proved in a browser; here it's about blocks. */
function quick(): MarkdownStream {
  return new MarkdownStream((unsafe) => unsafe);
}

/** The text in pieces, as deltas come. */
function* prefixes(text: string, step: number): Generator<string> {
  for (let end = step; end < text.length; end += step) yield text.slice(0, end);
}

const corpus = [
  '# Title\n\nA paragraph with `code`,\nover two lines.\n\n## Next\n\ntext',
  '1. one\n2. two\n\n3. loose now\n\n   with a second paragraph\n\nafter the list',
  '1. a\n\n2\n\n2. b',
  '- a\n  - b\n    - c\n\n* other list\n\n- third',
  '> quote\nlazy line\n\n> another\n\ntext',
  '| a | b |\n|---|---:|\n| 1 | 2 |\n| 3 | 4 |\n\nafter',
  'para\n| a | b |\n|---|---|\n| 1 | 2 |',
  'Setext\n===\n\nOther\n---\n\n---\n\nend',
  '```ts\nconst a = 1;\n\n# not a heading\n```\n\nafter\n\n~~~\nplain\n~~~',
  '    indented code\n\n    still the same\n\nafter',
  '- item\n\n  ```js\n  x\n  ```\n- next\n\nend',
  'See [one][a] and [two].\n\nMore.\n\n[a]: https://example.com/a\n[two]: https://example.com/two\n\nlast',
  'a\r\n\r\nb\rc\r\n\r\n- d\r\n- e',
  'unclosed ```\n\n```py\nprint(1)',
];

suite('markdown: streaming', () => {
  test('a finished stream equals one rendering of the whole, for every way to cut it', () => {
    for (const text of corpus) {
      for (const step of [1, 2, 3, 7, 20]) {
        const stream = quick();
        for (const prefix of prefixes(text, step)) stream.update(prefix, true);
        assert.deepEqual(stream.update(text, false), quick().update(text, false), JSON.stringify({ text, step }));
      }
    }
  });

  test('while it streams, it shows what one rendering would show, but for links that are defined later', () => {
    const backward = corpus.filter((text) => !text.includes(']: '));
    for (const text of backward) {
      const stream = quick();
      for (const prefix of [...prefixes(text, 1), text]) {
        const once = quick().update(prefix, true);
        const shown = stream.update(prefix, true).map(withoutHighlight);
        assert.deepEqual(shown, once.map(withoutHighlight), JSON.stringify(prefix));
      }
    }
  });

  test('the same holds for made-up text', () => {
    const piece = fc.constantFrom(
      'a',
      'b c',
      '\n',
      '\n\n',
      '# ',
      '- ',
      '1. ',
      '> ',
      '```',
      '    ',
      '|',
      '---',
      '`',
      '*',
      '[x](y)',
      '==',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const stream = quick();
        let text = '';
        for (const each of pieces) {
          text += each;
          const shown = stream.update(text, true).map(withoutHighlight);
          assert.deepEqual(shown, quick().update(text, true).map(withoutHighlight));
        }
        assert.deepEqual(stream.update(text, false), quick().update(text, false));
      }),
      { numRuns: 300 },
    );
  });

  test('finished blocks stay the same objects', () => {
    const stream = quick();
    const first = stream.update('one\n\ntwo\n\nthr', true);
    const second = stream.update('one\n\ntwo\n\nthree\n\nfour', true);
    assert.equal(second[0], first[0]);
    const last = stream.update('one\n\ntwo\n\nthree\n\nfour', false);
    assert.equal(last[0], first[0]);
    assert.equal(last[1], second[1]);
  });

  test('text that is replaced is drawn anew', () => {
    const stream = quick();
    stream.update('one\n\ntwo\n\nthree', true);
    assert.deepEqual(stream.update('other', true), [{ kind: 'html', html: '<p dir="auto">other</p>\n' }]);
  });
});

suite('markdown: what is rendered', () => {
  test('a link has its address in a data attribute and no href', () => {
    assert.equal(
      html('[a](https://example.com/)'),
      '<p dir="auto"><a data-url="https://example.com/" role="link" tabindex="0" title="https://example.com/">a</a></p>\n',
    );
  });

  test('a link says first where it leads, whatever its title pretends', () => {
    const shown = /title="([^"]*)"/.exec(html('[a](https://example.com/ "https://bank.example\u202e")'))?.[1];
    assert.equal(shown, 'https://example.com/\nhttps://bank.example\\u202e');
  });

  test('a relative link is its text', () => {
    assert.equal(html('see [the file](src/sum.ts)'), '<p dir="auto">see the file</p>\n');
  });

  test('an image is a link to where it is', () => {
    const rendered = html('![chart](https://example.com/x.png)');
    assert.match(rendered, /data-url="https:\/\/example.com\/x.png"[^>]*>chart<\/a>/);
    assert.doesNotMatch(rendered, /<img/);
  });

  test('a bare address becomes a link, a file name does not', () => {
    assert.match(html('https://example.com'), /data-url/);
    assert.doesNotMatch(html('open sum.ts and README.md or 127.0.0.1 or me@example.com'), /data-url/);
  });

  test('HTML is text', () => {
    assert.equal(html('<b onclick=x>hi</b>'), '<p dir="auto">&lt;b onclick=x&gt;hi&lt;/b&gt;</p>\n');
  });

  test('headings go below those of the view', () => {
    assert.match(html('# one'), /^<h3/);
    assert.match(html('###### six'), /^<h6/);
  });

  test('code is highlighted with classes only, and unknown languages stay plain', () => {
    const [block] = whole('```TS\nconst a = "<b>";\n```');
    assert.match(block?.kind === 'code' ? (block.html ?? '') : '', /^<span class="hljs-keyword">const<\/span>/);
    assert.deepEqual(whole('```klingon\n<x>\n```'), [{ kind: 'code', code: '<x>', language: 'klingon' }]);
    for (const language of 'js ts json python bash css html diff yaml sql go rust java c cpp markdown tsx sh'.split(
      ' ',
    )) {
      const [coloured] = whole(`\`\`\`${language}\n# a: 1 "x" // if\n+ <b>select</b> 5 return\n\`\`\``);
      assert.ok(coloured?.kind === 'code' && coloured.html !== undefined, language);
    }
  });

  test('columns are aligned by class', () => {
    const rendered = html('| a | b |\n|---|---:|\n| 1 | 2 |');
    assert.match(rendered, /<td class="align-right" dir="auto">2<\/td>|<td dir="auto" class="align-right">2<\/td>/);
    assert.doesNotMatch(rendered, /style=/);
  });
});

/** Open code has no colours yet; that is the one difference that is meant. */
function withoutHighlight(block: Block): Block {
  return block.kind === 'code' ? { kind: 'code', code: block.code, language: block.language } : block;
}
