import { random } from './harness.ts';

/** A streamed answer, as a server sends it. */
export interface StreamWorkload {
  /** The data of every event. */
  readonly data: readonly string[];
  /** One event per item. */
  readonly events: readonly Uint8Array[];
  /** What the texts and inputs of its blocks come to, one per block. */
  readonly contents: readonly string[];
}

export type Kind = 'text' | 'tool' | 'mixed';

const WORDS =
  'the agent reads a file and then writes it again with one line changed because of the test that failed'.split(' ');

/** `size` is in megabytes of content; deltas have about forty characters of text, or fifty of input. */
export function makeStream(kind: Kind, size: number, seed = 1): StreamWorkload {
  const next = random(seed);
  const chars = Math.round(size * 1e6);
  const count = kind === 'mixed' ? 40 : 1;
  const contents = Array.from({ length: count }, (_, index) =>
    isTool(kind, index)
      ? JSON.stringify({ path: 'src/a.ts', file_text: prose(next, chars / count, '\n') })
      : prose(next, chars / count, ' '),
  );
  const data = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
    },
    ...contents.flatMap((content, index) => blockEvents(content, index, isTool(kind, index))),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((event) => JSON.stringify(event));
  const encoder = new TextEncoder();
  const names = data.map((item) => /"type":"([a-z_]+)"/.exec(item)?.[1] ?? '');
  const events = data.map((item, index) => encoder.encode(`event: ${names[index] ?? ''}\ndata: ${item}\n\n`));
  return { data, events, contents };
}

/** The same bytes in pieces of this size. */
export function inChunks(events: readonly Uint8Array[], size: number): readonly Uint8Array[] {
  const all = Buffer.concat(events);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    Uint8Array.prototype.slice.call(all, index * size, (index + 1) * size),
  );
}

function isTool(kind: Kind, index: number): boolean {
  return kind === 'tool' || (kind === 'mixed' && index % 2 === 1);
}

function blockEvents(content: string, index: number, tool: boolean): readonly object[] {
  const block = tool ? { type: 'tool_use', id: `toolu_${index}`, name: 'edit', input: {} } : { type: 'text', text: '' };
  const step = tool ? 50 : 40;
  const deltas = Array.from({ length: Math.ceil(content.length / step) }, (_, at) => {
    const piece = content.slice(at * step, (at + 1) * step);
    return tool ? { type: 'input_json_delta', partial_json: piece } : { type: 'text_delta', text: piece };
  });
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** Words, with a line end now and then and a quote here and there. */
function prose(next: () => number, chars: number, gap: string): string {
  const parts: string[] = [];
  for (let length = 0; length < chars;) {
    const word = WORDS[Math.floor(next() * WORDS.length)] ?? '';
    const dice = next();
    const piece = dice < 0.08 ? `${word}.\n` : dice < 0.1 ? `"${word}"${gap}` : `${word} `;
    parts.push(piece);
    length += piece.length;
  }
  return parts.join('');
}
