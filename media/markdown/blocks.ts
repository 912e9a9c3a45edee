import type { Env, Token } from 'markdown-it';
import { highlightSafely } from './highlightSafely.ts';
import { parser } from './parser.ts';
import { sanitise } from './sanitise.ts';

/** One top-level block of an answer. A block that is finished keeps its identity from one update to the next. */
export type Block =
  | { readonly kind: 'html'; readonly html: string }
  | {
      readonly kind: 'code';
      readonly code: string;
      readonly language: string;
      /** Sanitised; absent where the code is shown plain. */
      readonly html?: string;
    };

interface Group {
  readonly tokens: Token[];
  /** First line, 0-based. */
  readonly line: number;
}

type References = NonNullable<Env['references']>;

/**
 * Markdown that grows. Blocks which can't change any more are rendered once and their source is not looked at again;
 * only the rest is parsed at each update. When the text is finished, the result equals one rendering of the whole.
 */
export class MarkdownStream {
  readonly #clean: typeof sanitise;
  #done: Block[] = [];
  /** Source of `#done`. */
  #doneText = '';
  #references: References = {};
  #finished: { readonly text: string; readonly blocks: readonly Block[] } | undefined;

  /** `clean` makes HTML safe; only tests, to which it doesn't matter, pass another one than the default. */
  constructor(clean: typeof sanitise = sanitise) {
    this.#clean = clean;
  }

  /** Blocks of `text`, which is usually the text of the last call and some more. */
  update(text: string, streaming: boolean): readonly Block[] {
    if (!streaming) return this.#finish(text);
    this.#finished = undefined;
    const source = normalise(text);
    if (!source.startsWith(this.#doneText)) this.#reset();
    const tail = source.slice(this.#doneText.length);
    const env: Env = { references: { ...this.#references } };
    const groups = topLevel(parser.parse(tail, env));
    const kept = countFinished(groups, tail);
    if (kept > 0) this.#keep(groups.slice(0, kept), tail.slice(0, offsetOfLine(tail, groups[kept]?.line ?? 0)));
    const open = groups.slice(kept).map((group) => this.#toBlock(group, env, true));
    return [...this.#done, ...open];
  }

  #finish(text: string): readonly Block[] {
    if (this.#finished?.text === text) return this.#finished.blocks;
    // References may reach back: a definition at the end makes links at the start. So the whole is parsed once more.
    const env: Env = {};
    const groups = topLevel(parser.parse(normalise(text), env));
    const blocks = groups.map((group, index) => reuse(this.#done[index], this.#toBlock(group, env, false)));
    this.#reset();
    this.#finished = { text, blocks };
    return blocks;
  }

  #keep(groups: readonly Group[], source: string): void {
    const env: Env = { references: { ...this.#references } };
    parser.parse(source, env);
    this.#references = env.references ?? {};
    for (const group of groups) this.#done.push(this.#toBlock(group, env, false));
    this.#doneText += source;
  }

  #toBlock({ tokens }: Group, env: Env, open: boolean): Block {
    const first = tokens[0];
    if (first?.type !== 'fence' && first?.type !== 'code_block') {
      return { kind: 'html', html: this.#clean(parser.renderer.render(tokens, parser.options, env)) };
    }
    const language = languageOf(first.info);
    const code = first.content.replace(/\n$/, '');
    // Code that still grows is coloured when it is complete.
    const html = open ? undefined : highlightSafely(code, language, this.#clean);
    return { kind: 'code', code, language, ...(html === undefined ? {} : { html }) };
  }

  #reset(): void {
    this.#done = [];
    this.#doneText = '';
    this.#references = {};
  }
}

/** The first word after the fence, when it looks like a language. */
function languageOf(info: string): string {
  return /^[\w+#.-]{1,30}/.exec(info.trim())?.[0]?.toLowerCase() ?? '';
}

function normalise(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** Blocks are only final when the next one has begun on a line that is itself complete. */
function countFinished(groups: readonly Group[], tail: string): number {
  const partialLine = countLines(tail);
  let finished = 0;
  while (finished + 1 < groups.length && (groups[finished + 1]?.line ?? partialLine) < partialLine) finished++;
  return finished;
}

function topLevel(tokens: readonly Token[]): Group[] {
  const groups: Group[] = [];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0) groups.push({ tokens: [], line: token.map?.[0] ?? 0 });
    groups.at(-1)?.tokens.push(token);
    depth += token.nesting;
  }
  return groups;
}

/** The old block where it says the same, so that nothing is drawn again. */
function reuse(old: Block | undefined, block: Block): Block {
  if (old?.kind === 'html' && block.kind === 'html' && old.html === block.html) return old;
  if (old?.kind === 'code' && block.kind === 'code' && old.code === block.code && old.html === block.html) return old;
  return block;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let i = 0; i < line; i++) at = text.indexOf('\n', at) + 1;
  return at;
}
