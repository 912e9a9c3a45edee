import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import type { SourceView } from '../../protocol/rows.ts';
import { stringAt } from '../base/json.ts';
import { cutText } from '../base/text.ts';

/** Numbers of the sources of one turn, by their address or title. */
export type SourceNumbers = Map<string, number>;

const LONGEST_CITED = 400;

/**
 * Markdown of a text block with a mark such as `[1]` behind it for each source that it cites, and these sources. Numbers
 * are given in `numbers` as sources come up. A mark leads to the page, where the source is one.
 */
export function citedText(
  block: Extract<ContentBlock, { type: 'text' }>,
  numbers: SourceNumbers,
): { readonly text: string; readonly sources: readonly SourceView[] } {
  const citations: readonly unknown[] = Array.isArray(block.citations) ? block.citations : [];
  const sources = new Map<number, SourceView>();
  for (const citation of citations) {
    const source = sourceOf(citation, numbers);
    const known = source && sources.get(source.number);
    if (source !== undefined && known === undefined) sources.set(source.number, source);
    else if (source !== undefined && known !== undefined && !known.cited.includes(source.cited))
      sources.set(known.number, { ...known, cited: cutText(`${known.cited} … ${source.cited}`, LONGEST_CITED) });
  }
  if (sources.size === 0) return { text: block.text, sources: [] };
  const found = [...sources.values()].sort((a, b) => a.number - b.number);
  // Behind the words and not behind the line end after them, where it would begin a line of its own.
  const words = block.text.trimEnd();
  return { text: `${withMarks(words, found.map(markOf).join(''))}${block.text.slice(words.length)}`, sources: found };
}

/** A mark behind a closing fence would keep the code block open to the end of the answer; behind a row's end it is no cell. */
function withMarks(words: string, marks: string): string {
  const last = words.slice(words.lastIndexOf('\n') + 1);
  if (/^\s*(?:[>*+-]\s+)*(?:`{3,}|~{3,})/.test(last)) return `${words}\n\n${marks.trimStart()}`;
  return /^\s*\|.*[^\\]\|$/.test(last) ? `${words.slice(0, -1).trimEnd()}${marks} |` : `${words}${marks}`;
}

/** Both lists as one, each source once. */
export function joinSources(before: readonly SourceView[], added: readonly SourceView[]): readonly SourceView[] {
  const numbers = new Set(before.map(({ number }) => number));
  return [...before, ...added.filter(({ number }) => !numbers.has(number))].sort((a, b) => a.number - b.number);
}

function sourceOf(citation: unknown, numbers: SourceNumbers): SourceView | undefined {
  const url = stringAt(citation, 'url') ?? stringAt(citation, 'source');
  const title = stringAt(citation, 'title') ?? stringAt(citation, 'document_title') ?? url;
  const key = url ?? title;
  if (key === undefined || title === undefined) return undefined;
  const number = numbers.get(key) ?? numbers.size + 1;
  numbers.set(key, number);
  const cited = cutText((stringAt(citation, 'cited_text') ?? '').replace(/\s+/g, ' ').trim(), LONGEST_CITED);
  return { number, title: cutText(title, 200), ...(url === undefined ? {} : { url }), cited };
}

function markOf({ number, url, cited }: SourceView): string {
  const mark = `\\[${String(number)}\\]`;
  if (url === undefined || !/^https?:\/\/[^\s<>\\]+$/i.test(url)) return ` ${mark}`;
  // A link's title is where the view looks for the words that a source was cited for.
  // A backtick would close, or open, code of the text around it; an entity would be read as what it names.
  const title = cited.replace(/["\\]/g, '\\$&').replace(/&/g, '&amp;').replace(/`/g, '&#96;');
  return ` [${mark}](<${url}> "${title}")`;
}
