import type { MessageParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../base/json.ts';
import { ApiError, CancelledError, messageOf, type ApiFailure } from '../errors.ts';
import type { ModelRequest } from '../ports.ts';
import type { ItemChange, ItemRef, LogEntry, SentFile } from '../session/entries.ts';
import { originOf } from '../session/origin.ts';
import { record, type TurnContext } from './context.ts';
import { prefixChangesWith, startOver } from './doctor.ts';
import { isPast, uploadOnce } from './uploads.ts';

/** What Claude reads in the place of a file that is nowhere any more. */
const LOST_FILE = '[The file that was here is no longer available: it was deleted at Anthropic, or has expired.]';

/**
 * After a refusal that may be about a file which was deleted at Anthropic or has expired: looks which of the request's files
 * are gone, uploads them again where this computer has them, and changes the log so that the next request names the new ones.
 * Returns false when all of them are there: the failure is about something else. Throws when the log can't be written.
 */
export async function stepOverLostFiles(
  context: TurnContext,
  request: ModelRequest,
  failure: ApiFailure,
  signal: AbortSignal,
): Promise<boolean> {
  if (failure.kind !== 'not-found' && failure.code !== 'file_expired') return false;
  const uses = fileUses(request.messages);
  const repairs: { target: ItemRef; change: ItemChange }[] = [];
  const names: string[] = [];
  for (const fileId of new Set(uses.map((use) => use.fileId))) {
    if (!(await isGone(context, fileId, signal))) continue;
    const file = sentFile(context.log.entries(), fileId);
    const change = await changeFor(context, file, signal);
    names.push(file?.name ?? fileId);
    repairs.push(...uses.filter((use) => use.fileId === fileId).map(({ target }) => ({ target, change })));
  }
  if (repairs.length === 0) return false;
  const note = l10n.t(
    'At Anthropic these files were gone, and were sent again where this computer has them: {0}',
    names.join(', '),
  );
  const prefixChanged = prefixChangesWith(
    context.log.entries(),
    repairs.map(({ target }) => target),
  );
  await record(context, { type: 'repaired', repairs, note, prefixChanged });
  if (prefixChanged) await startOver(context);
  return true;
}

interface FileUse {
  readonly fileId: string;
  readonly target: ItemRef;
}

function fileUses(messages: readonly MessageParam[]): readonly FileUse[] {
  const blocks = messages.flatMap(({ role, content }) => (role === 'user' && Array.isArray(content) ? content : []));
  return blocks.flatMap((block): FileUse[] => {
    const source: unknown = 'source' in block ? block.source : undefined;
    const fileId = stringAt(block, 'file_id') ?? (isObject(source) ? stringAt(source, 'file_id') : undefined);
    const target = originOf(block);
    return fileId === undefined || target === undefined ? [] : [{ fileId, target }];
  });
}

async function isGone({ files, clock, logger }: TurnContext, fileId: string, signal: AbortSignal): Promise<boolean> {
  try {
    return isPast((await files.metadata(fileId, signal)).expiresAt, clock);
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    if (error instanceof ApiError) return error.failure.kind === 'not-found';
    logger.warn(`A file could not be looked up: ${messageOf(error)}`);
    return false;
  }
}

/** The newest entry that knows what the file was. */
function sentFile(
  entries: readonly LogEntry[],
  fileId: string,
): Pick<SentFile, 'name' | 'mimeType' | 'hash'> | undefined {
  for (const entry of [...entries].reverse()) {
    if (entry.type === 'fileUploaded' && entry.fileId === fileId) return entry;
    const files = entry.type === 'userMessage' || entry.type === 'inputsSent' ? entry.files : undefined;
    const found = files?.find((file) => file.fileId === fileId);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function changeFor(
  context: TurnContext,
  file: Pick<SentFile, 'name' | 'mimeType' | 'hash'> | undefined,
  signal: AbortSignal,
): Promise<ItemChange> {
  const lost = { kind: 'replace', text: LOST_FILE } as const;
  const stored = file === undefined ? undefined : await context.attachments.find(file.hash);
  if (file === undefined || stored === undefined) return lost;
  try {
    const { name, mimeType, hash } = file;
    return { kind: 'fileId', fileId: await uploadOnce(context, { name, mimeType, hash, stored }, signal) };
  } catch (error) {
    if (error instanceof CancelledError || signal.aborted) throw error;
    context.logger.warn(`A file could not be uploaded again: ${messageOf(error)}`);
    return lost;
  }
}
