import type { ToolRow } from '../../protocol/rows.ts';
import { createJsonFieldReader, type JsonFieldReader } from '../base/jsonFields.ts';
import { cutText } from '../base/text.ts';
import type { ToolPresenter } from './live.ts';
import type { RowList } from './rowList.ts';

/** More than this of a streaming tool input is not shown until it is complete. UTF-16 units. */
const PREVIEW_LIMIT = 20_000;
/** Of a streaming input, what a title may be made of. UTF-16 units. */
const TITLE_LIMIT = 1_000;

/** The input of a call that is still being written. */
export interface StreamingInput {
  readonly reader: JsonFieldReader;
  readonly rowId: string;
  shown: number;
  fed: number;
}

export function openInput(rowId: string): StreamingInput {
  return { reader: createJsonFieldReader(), rowId, shown: 0, fed: 0 };
}

/** Shows what one more piece of the raw input adds to its card: title and text. The work is linear in the piece. */
export function growInput(rows: RowList, presenter: ToolPresenter, input: StreamingInput, chunk: string): void {
  const row = rows.get(input.rowId);
  if (row?.kind !== 'tool') return;
  const pieces = input.reader
    .feed(chunk)
    .filter((piece) => piece.key !== 'path' && !(piece.key === 'command' && isEditorCall(row.tool)));
  const text = pieces.map((piece) => piece.text).join('');
  // Titles come from the first fields (command, path); re-reading a long input for them would be quadratic.
  if (input.fed < TITLE_LIMIT) retitle(rows, presenter, row, input.reader.fields());
  input.fed += chunk.length;
  const room = PREVIEW_LIMIT - input.shown;
  if (text === '' || room <= 0) return;
  const shown = cutText(text, room);
  input.shown += text.length;
  const now = rows.get(row.id) as ToolRow;
  if (now.body.kind === 'text') rows.append(row.id, 'output', shown);
  else rows.put({ ...now, body: { kind: 'text', text: shown } });
}

/** `command` of an editor call names the operation and is no text to show. */
function isEditorCall(tool: string): boolean {
  return tool.includes('edit');
}

function retitle(
  rows: RowList,
  presenter: ToolPresenter,
  row: ToolRow,
  fields: Readonly<Record<string, string>>,
): void {
  const title =
    row.place === 'local' ? presenter.clientTitle(row.tool, fields) : presenter.serverCall(row.tool, fields).title;
  if (title !== row.title) rows.put({ ...row, title });
}
