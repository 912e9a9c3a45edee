import * as l10n from '@vscode/l10n';
import { UserError } from '../errors.ts';
import type { AttachmentStored } from '../session/entries.ts';
import type { LiveEvent } from '../session/live.ts';
import type { TurnContext } from './context.ts';
import type { ControllerDeps } from './controllerTypes.ts';
import { fetchFile } from './downloads.ts';
import type { Session } from './session.ts';

/** The newest state of a file that a server tool made in this session; undefined for any other id. */
export function findAttachment({ log }: Session, fileId: string): AttachmentStored | undefined {
  const entry = log?.entries().findLast((known) => known.type === 'attachmentStored' && known.fileId === fileId);
  return entry?.type === 'attachmentStored' ? entry : undefined;
}

/**
 * Fetches a file again whose download failed. Does nothing for files that are there, that nobody knows, or that are
 * being fetched. Throws `UserError` where this window may not write the session or the log can't be written.
 */
export async function retryFile(session: Session, context: TurnContext, fileId: string): Promise<void> {
  const { left, fetching } = session;
  const known = findAttachment(session, fileId);
  if (known === undefined || known.hash !== undefined || fetching.has(fileId)) return;
  if (context.log.readOnly)
    throw new UserError(l10n.t('Another window writes this session; this one can only read it.'));
  fetching.add(fileId);
  try {
    await fetchFile(context, known, left);
  } catch (error) {
    if (left.aborted) return;
    // It could not be recorded: the row is again what the log says.
    context.emit({ type: 'entry', entry: known });
    throw error;
  } finally {
    fetching.delete(fileId);
  }
}

/** Gives the stored images of a session their thumbnails, one after the other, as long as the session is shown. */
export async function showThumbnails(
  { log }: Session,
  thumbnail: ControllerDeps['thumbnail'],
  view: { isShown(): boolean; emit(event: LiveEvent): void },
): Promise<void> {
  for (const entry of log?.entries() ?? []) {
    if (!view.isShown()) return;
    if (entry.type !== 'attachmentStored' || entry.hash === undefined) continue;
    const image = await thumbnail(entry.hash).catch(() => undefined);
    if (image !== undefined) view.emit({ type: 'thumbnail', fileId: entry.fileId, thumbnail: image });
  }
}
