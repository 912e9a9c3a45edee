import type { AttachmentRow, AttachmentState } from '../../protocol/rows.ts';
import type { AttachmentStored } from './entries.ts';

export function attachmentRowId(fileId: string): string {
  return `a:${fileId}`;
}

/** The row of a file that is being fetched. */
export function downloadingRow({ fileId, name }: { readonly fileId: string; readonly name: string }): AttachmentRow {
  const id = attachmentRowId(fileId);
  return { kind: 'attachment', id, fileId, name, mimeType: '', size: 0, state: 'downloading' };
}

/** The row of a file as the newest entry about it says; it keeps the thumbnail that it had. */
export function attachmentRow(entry: AttachmentStored, thumbnail: string | undefined): AttachmentRow {
  const { fileId, name, mimeType, size, failure } = entry;
  const state = stateOf(entry);
  return {
    kind: 'attachment',
    id: attachmentRowId(fileId),
    ...{ fileId, name, mimeType, size, state },
    ...(failure === undefined ? {} : { failure }),
    ...(thumbnail === undefined || state !== 'stored' ? {} : { thumbnail }),
  };
}

function stateOf({ hash, deleted }: AttachmentStored): AttachmentState {
  if (deleted !== undefined) return deleted === 'here' ? 'deleted' : 'gone';
  return hash === undefined ? 'failed' : 'stored';
}
