import * as l10n from '@vscode/l10n';
import type { FileHandle } from 'node:fs/promises';
import { isObject, stringAt } from '../../core/base/json.ts';
import { cutText } from '../../core/base/text.ts';
import type { SessionSummary } from '../../protocol/messages.ts';
import type { LogFs } from './logFs.ts';

/** Bytes that are read at each end of a session's file, however large it is. */
const window = 64 * 1024;
const longestTitle = 80;
/** `updated` of a session that can't be read. */
export const unknownTime = new Date(0).toISOString();

/**
 * What the list shows of a session, from the two ends of its file. Undefined for a session without an entry. A file that
 * can't be read is listed under its id. Never rejects.
 */
export async function summarise(fs: LogFs, path: string, id: string): Promise<SessionSummary | undefined> {
  try {
    const file = await fs.open(path, 'r');
    try {
      return await summaryOf(file, id);
    } finally {
      await file.close();
    }
  } catch {
    return { id, title: l10n.t('Unreadable session {0}', id), updated: unknownTime };
  }
}

async function summaryOf(file: FileHandle, id: string): Promise<SessionSummary | undefined> {
  const { size, mtimeMs } = await file.stat();
  const head = await readAt(file, 0, Math.min(size, window));
  const tail =
    size > window ? await readAt(file, Math.max(window, size - window), Math.min(size - window, window)) : '';
  // Without the middle the first line of the tail is only a part, except where the two windows meet.
  const lines = size <= 2 * window ? (head + tail).split('\n') : [...head.split('\n'), ...tail.split('\n').slice(1)];
  const records = lines.map(parse).filter(isObject);
  if (records.length === 1 && records[0]?.['type'] === 'session' && size <= window) return undefined;
  const updated = records.map((record) => stringAt(record, 'at')).findLast((at) => at !== undefined && isTime(at));
  const cut = size > 2 * window ? head.slice(head.lastIndexOf('\n') + 1) : '';
  return { id, title: titleOf(records, cut) ?? id, updated: updated ?? new Date(mtimeMs).toISOString() };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.toString('utf8', 0, filled);
}

function titleOf(records: readonly unknown[], cutLine: string): string | undefined {
  const titles = records.filter((record) => stringAt(record, 'type') === 'titleSet');
  const first = records.find((record) => stringAt(record, 'type') === 'userMessage');
  for (const text of [stringAt(titles.at(-1), 'title'), stringAt(first, 'text'), textOfCut(cutLine)]) {
    const title = cutText((text ?? '').replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim(), longestTitle);
    if (title !== '') return title;
  }
  return undefined;
}

/** The beginning of a first message that is longer than the window. */
function textOfCut(line: string): string | undefined {
  if (!/^\{"id":"[^"]*","parentId":[^,]*,"at":"[^"]*","type":"userMessage"/.test(line)) return undefined;
  const text = /"text":"((?:[^"\\]|\\[^u]|\\u[0-9a-fA-F]{4}){1,200})/.exec(line)?.[1];
  return text === undefined ? undefined : stringAt(parse(`{"text":"${text}"}`), 'text');
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
