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
      {inChunks(blocks).map((chunk, index) => (
        <Chunk key={index} blocks={chunk} />
      ))}
    </div>
  );
}

/** Blocks that the browser lays out, or leaves out, together. */
const CHUNK = 24;

function inChunks(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const count = Math.ceil(blocks.length / CHUNK);
  return Array.from({ length: count }, (_, index) => blocks.slice(index * CHUNK, (index + 1) * CHUNK));
}

interface ChunkProps {
  readonly blocks: readonly Block[];
}

class Chunk extends Component<ChunkProps> {
  override shouldComponentUpdate({ blocks }: ChunkProps): boolean {
    const drawn = this.props.blocks;
    return blocks.length !== drawn.length || blocks.some((block, index) => block !== drawn[index]);
  }

  override render() {
    return (
      <div class="md-chunk">
        {this.props.blocks.map((block, index) => (
          <BlockView key={index} block={block} />
        ))}
      </div>
    );
  }
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
