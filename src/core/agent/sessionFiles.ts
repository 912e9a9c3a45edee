import * as l10n from '@vscode/l10n';
import { UserError } from '../errors.ts';
import type { AttachmentStored, NewEntry } from '../session/entries.ts';
import type { LiveEvent } from '../session/live.ts';
import type { SessionLog } from '../ports.ts';
import { record, type TurnContext } from './context.ts';
import type { ControllerDeps, SessionFiles } from './controllerTypes.ts';
import { fetchFile } from './downloads.ts';
import type { Session } from './session.ts';

type ContextOf = (session: Session, log: SessionLog) => TurnContext;

export function createSessionFiles(shown: () => Session, contextOf: ContextOf): SessionFiles {
  return {
    find: (fileId) => findAttachment(shown().log, fileId),
    async retry(fileId) {
      const session = shown();
      if (session.log !== undefined) await retryFile(session, contextOf(session, session.log), fileId);
    },
    async forget(fileId, deleted) {
      const session = shown();
      const known = findAttachment(session.log, fileId);
      if (session.log === undefined || known === undefined) return;
      await record(contextOf(session, session.log), forgotten(known, deleted));
    },
  };
}

export function findAttachment(log: SessionLog | undefined, fileId: string): AttachmentStored | undefined {
  const entry = log?.entries().findLast((known) => known.type === 'attachmentStored' && known.fileId === fileId);
  return entry?.type === 'attachmentStored' ? entry : undefined;
}

/** What is recorded of a file that the user deleted. */
export function forgotten(file: AttachmentStored, deleted: NonNullable<AttachmentStored['deleted']>): NewEntry {
  const { callId, fileId, name, mimeType, size } = file;
  return { type: 'attachmentStored', callId, fileId, name, mimeType, size, deleted };
}

async function retryFile(session: Session, context: TurnContext, fileId: string): Promise<void> {
  const { left, fetching } = session;
  const known = findAttachment(session.log, fileId);
  if (known === undefined || known.deleted === 'everywhere' || fetching.has(fileId)) return;
  fetching.add(fileId);
  try {
    if (known.hash !== undefined && (await context.attachments.find(known.hash)) !== undefined) return;
    if (context.log.readOnly)
      throw new UserError(l10n.t('Another window writes this session; this one can only read it.'));
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
