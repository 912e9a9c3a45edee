import { Component } from 'preact';
import { useRef } from 'preact/hooks';
import { MarkdownStream } from './blocks.ts';
import type { Block } from './blocks.ts';
import { CodeBlock } from './codeBlock.tsx';

interface MarkdownProps {
  readonly text: string;
  /** More text is to come. */
  readonly streaming: boolean;
}

/** Renders markdown of the model, safely, block by block. */
export function Markdown({ text, streaming }: MarkdownProps) {
  const stream = useRef<MarkdownStream | undefined>(undefined);
  stream.current ??= new MarkdownStream();
  const blocks = stream.current.update(text, streaming);
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

/** A finished block is the same object at every update and is then left alone. */
class BlockView extends Component<{ readonly block: Block }> {
  override shouldComponentUpdate(next: { readonly block: Block }): boolean {
    return next.block !== this.props.block;
  }

  override render() {
    const { block } = this.props;
    if (block.kind === 'code') return <CodeBlock code={block.code} language={block.language} html={block.html} />;
    return <div class="md-block" dir="auto" dangerouslySetInnerHTML={{ __html: block.html }} />;
  }
}
