import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PreviewFile } from '../../src/protocol/preview.ts';
import { MarkdownStream, type Block } from '../markdown/blocks.ts';
import { linkOfEvent } from '../markdown/linkOfEvent.ts';
import { visible } from '../visible.ts';
import { encodingOf } from './encoding.ts';
import { usePage } from './page.ts';
import type { ByteSource } from './source.ts';
import { Failure } from './tablePreview.tsx';
import { useLoaded } from './useLoaded.ts';

/** Of a longer document the beginning is shown. Bytes. */
const MOST_SHOWN = 512 * 1024;

/** A document as it is meant: rendered as answers are, without pictures, markup or links that go anywhere by themselves. */
export function MarkdownPreview({ file, source }: { readonly file: PreviewFile; readonly source: ByteSource }) {
  const { strings, post } = usePage();
  const text = useLoaded(async () => decode(await source.read(0, MOST_SHOWN)), [source]);
  if (text.state === 'failed') return <Failure error={text.error} />;
  if (text.state === 'loading') return <p class="preview-note">{strings.loading}</p>;
  return (
    <>
      <div class="preview-tools">
        <button type="button" class="button button-secondary" onClick={() => post({ type: 'act', action: 'openText' })}>
          {strings.openText}
        </button>
        {file.size > MOST_SHOWN && <span>{strings.beginning}</span>}
      </div>
      <Document text={text.value} />
    </>
  );
}

function Document({ text }: { readonly text: string }) {
  const { post } = usePage();
  const root = useRef<HTMLElement>(null);
  const blocks = useMemo(() => new MarkdownStream().update(text, false), [text]);
  useEffect(() => {
    const document_ = root.current;
    const open = (event: Event): void => {
      const url = linkOfEvent(event);
      if (url !== undefined) post({ type: 'link', url });
    };
    for (const type of ['click', 'auxclick', 'keydown']) document_?.addEventListener(type, open);
    return () => {
      for (const type of ['click', 'auxclick', 'keydown']) document_?.removeEventListener(type, open);
    };
  }, [post]);
  return (
    <article ref={root} class="preview-document markdown" tabIndex={0}>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </article>
  );
}

function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === 'html')
    return <div class="md-block" dir="auto" dangerouslySetInnerHTML={{ __html: block.html }} />;
  return (
    <pre class="code" dir="ltr">
      {block.html === undefined ? (
        <code>{visible(block.code)}</code>
      ) : (
        <code class="hljs" dangerouslySetInnerHTML={{ __html: visible(block.html) }} />
      )}
    </pre>
  );
}

/** By its mark, else as UTF-8; what is none is shown as what it is not. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: true });
}
