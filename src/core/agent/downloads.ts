import * as l10n from '@vscode/l10n';
import { messageOf, UserError } from '../errors.ts';
import type { TurnContext } from './context.ts';
import { record } from './context.ts';

/**
 * Fetches a file that a server tool made into the attachment store, and records it. A failure is recorded too: the
 * answer stays intact and the row can be retried. Rejects only when the log can't be written.
 */
export async function fetchFile(
  context: Pick<TurnContext, 'log' | 'files' | 'attachments' | 'logger' | 'emit' | 'thumbnail'>,
  file: { readonly callId: string; readonly fileId: string; readonly name?: string },
  signal: AbortSignal,
): Promise<void> {
  const { callId, fileId } = file;
  let known = { name: file.name ?? '', mimeType: 'application/octet-stream', size: 0 };
  context.emit({ type: 'download', fileId, callId, name: known.name });
  let stored: { readonly hash: string } | { readonly failure: string };
  try {
    const { name, mimeType, size, downloadable } = await context.files.metadata(fileId, signal);
    known = { name, mimeType, size };
    context.emit({ type: 'download', fileId, callId, name });
    // What was uploaded is not handed out again (Files API, `file_not_downloadable`).
    if (!downloadable)
      throw new UserError(l10n.t('This is an uploaded file. Anthropic does not hand those out again.'));
    const blob = await context.attachments.store(await context.files.content(fileId, signal), signal);
    known = { ...known, size: blob.size };
    stored = { hash: blob.hash };
  } catch (error) {
    context.logger.warn(`The file ${fileId} could not be fetched: ${messageOf(error)}`);
    stored = { failure: signal.aborted ? l10n.t('Stopped') : messageOf(error) };
  }
  await record(context as TurnContext, { type: 'attachmentStored', callId, fileId, ...known, ...stored });
  if (!('hash' in stored)) return;
  const thumbnail = await context.thumbnail(stored.hash).catch(() => undefined);
  if (thumbnail !== undefined) context.emit({ type: 'thumbnail', fileId, thumbnail });
}
