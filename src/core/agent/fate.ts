import { isObject } from '../base/json.ts';
import type { Ids } from '../ports.ts';
import type { LogEntry, ToolStarted } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import type { AnyTool, ClientTool, PreparedCall } from '../tools/tool.ts';

/** What became of an edit whose host ended before its result was recorded. */
export type Fate = 'applied' | 'unchanged';

/** What the ledger keeps of an edit that begins, so that it can be told later whether it took effect. */
export function ledgerOf(prepared: PreparedCall, revised: string | undefined, ids: Ids): Pick<ToolStarted, 'edit'> {
  const { diff } = prepared;
  if (diff === undefined) return {};
  return { edit: { before: print(diff.before, ids), after: print(revised ?? diff.after, ids) } };
}

/**
 * The edits that began and have no result, by what their files hold now. A file that holds neither the text before nor
 * the text after says nothing, and its call is not in the map. Never rejects.
 */
export async function fatesOf(
  entries: readonly LogEntry[],
  tools: readonly AnyTool[],
  ids: Ids,
): Promise<ReadonlyMap<string, Fate>> {
  const { pieces, results, begun } = foldConversation(entries);
  const fates = new Map<string, Fate>();
  for (const block of pieces.flatMap((piece) => (piece.kind === 'answer' ? piece.blocks : []))) {
    if (block.type !== 'tool_use' || results.has(block.id)) continue;
    const edit = begun.get(block.id)?.edit;
    const tool = tools.find((known): known is ClientTool => known.kind === 'client' && known.name === block.name);
    if (!isObject(edit) || tool?.textNow === undefined) continue;
    const text = await tool.textNow(block.input).catch(() => undefined);
    const now = text === undefined ? undefined : print(text, ids);
    if (now === edit.after) fates.set(block.id, 'applied');
    else if (now === edit.before) fates.set(block.id, 'unchanged');
  }
  return fates;
}

/** The same for every line end: a document may have got others since. */
function print(text: string, ids: Ids): string {
  return ids.hash(text.replaceAll('\r\n', '\n'));
}
