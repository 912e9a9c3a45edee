import type { SessionLog, LogStorePort } from '../ports.ts';
import { createTranscript } from '../session/transcript.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Row } from '../../protocol/rows.ts';
import { presenterOf } from './presenter.ts';

/** What the view shows while a session is opened. */
export interface OpeningView {
  show(rows: readonly Row[]): void;
  /** Puts back what was there before. */
  restore(): void;
}

/**
 * Opens a session. Where that takes a while its last rows are shown first, from the end of its file; they are replaced
 * by the caller, who then has the whole. Throws what opening throws; the view is then as it was.
 */
export async function openBehindFirstScreen(
  logs: LogStorePort,
  id: string,
  tools: readonly AnyTool[],
  view: OpeningView | undefined,
): Promise<SessionLog> {
  if (view === undefined) return logs.open(id);
  const rows = await lastRows(logs, id, tools);
  if (rows.length > 0) view.show(rows);
  try {
    return await logs.open(id);
  } catch (error) {
    if (rows.length > 0) view.restore();
    throw error;
  }
}

/** None when what is at the end makes no sense alone. */
async function lastRows(logs: LogStorePort, id: string, tools: readonly AnyTool[]): Promise<readonly Row[]> {
  try {
    const transcript = createTranscript(presenterOf(tools));
    for (const entry of await logs.tail(id)) transcript.apply({ type: 'entry', entry });
    transcript.apply({ type: 'settled' });
    return transcript.rows();
  } catch {
    return [];
  }
}
