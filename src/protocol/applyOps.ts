import type { Op, ViewState } from './messages.ts';
import type { Row, ToolRow } from './rows.ts';

export interface ViewModel {
  readonly rows: readonly Row[];
  readonly state: ViewState;
}

/**
 * Applies a patch. Both sides use it: the host to keep its copy, the webview to keep what it draws, so that
 * transcript(log + patches) equals the snapshot. Rows that did not change keep their identity. An op on an unknown row
 * is ignored.
 */
export function applyOps(model: ViewModel, ops: readonly Op[]): ViewModel {
  let { state } = model;
  const rows = [...model.rows];
  for (const op of ops) {
    if (op.op === 'state') state = op.state;
    else if (op.op === 'put') put(rows, op.row, op.before);
    else {
      const at = indexOfRow(rows, op.id);
      if (at < 0) continue;
      if (op.op === 'remove') rows.splice(at, 1);
      else rows[at] = appendTo(rows[at] as Row, op.field, op.text);
    }
  }
  return { rows, state };
}

function put(rows: Row[], row: Row, before: string | undefined): void {
  const at = indexOfRow(rows, row.id);
  if (at >= 0) rows[at] = row;
  else {
    const place = before === undefined ? -1 : indexOfRow(rows, before);
    rows.splice(place < 0 ? rows.length : place, 0, row);
  }
}

/** Changes happen at the end, so it is searched from there. */
function indexOfRow(rows: readonly Row[], id: string): number {
  for (let i = rows.length - 1; i >= 0; i--) if (rows[i]?.id === id) return i;
  return -1;
}

/** The row with the text added; the same row where it has no such field. */
export function appendTo(row: Row, field: 'text' | 'output', text: string): Row {
  if (field === 'text') return row.kind === 'text' || row.kind === 'thinking' ? { ...row, text: row.text + text } : row;
  if (row.kind !== 'tool') return row;
  return { ...row, body: appendToBody(row, text) };
}

function appendToBody(row: ToolRow, text: string): ToolRow['body'] {
  if (row.body.kind === 'terminal') return { ...row.body, output: row.body.output + text };
  if (row.body.kind === 'text') return { ...row.body, text: row.body.text + text };
  return row.body;
}
