import type { AttachmentStored } from './entries.ts';
import { attachmentRow, attachmentRowId } from './attachmentRow.ts';
import type { RowList } from './rowList.ts';

/** The stored files of each call, newest state. */
export type FilesByCall = Map<string, Map<string, AttachmentStored>>;

/** Shows a file as its newest entry says, below the row of its call, and on the pictures there which file has their numbers. */
export function putAttachment(rows: RowList, calls: FilesByCall, entry: AttachmentStored, below: string): void {
  const known = rows.get(attachmentRowId(entry.fileId));
  const thumbnail = known?.kind === 'attachment' ? known.thumbnail : undefined;
  rows.putBelow(below, attachmentRow(entry, thumbnail));
  showChartData(rows, calls, entry);
}

function showChartData(rows: RowList, calls: FilesByCall, entry: AttachmentStored): void {
  const files = calls.get(entry.callId) ?? new Map<string, AttachmentStored>();
  calls.set(entry.callId, files.set(entry.fileId, entry));
  const all = [...files.values()].filter(({ hash }) => hash !== undefined);
  const pictures = all.filter(isPicture);
  const tables = all.filter(isData);
  for (const picture of pictures) {
    const row = rows.get(attachmentRowId(picture.fileId));
    const data = dataOf(picture, { pictures, tables })?.fileId;
    if (row?.kind !== 'attachment' || row.dataFileId === data) continue;
    const { dataFileId: _, ...rest } = row;
    rows.put(data === undefined ? rest : { ...rest, dataFileId: data });
  }
}

/** The data file of the same name; or the only one, where there is only one picture. */
function dataOf(
  picture: AttachmentStored,
  all: { readonly pictures: readonly AttachmentStored[]; readonly tables: readonly AttachmentStored[] },
): AttachmentStored | undefined {
  const named = all.tables.find(({ name }) => stemOf(name) === stemOf(picture.name));
  return named ?? (all.pictures.length === 1 && all.tables.length === 1 ? all.tables[0] : undefined);
}

function stemOf(name: string): string {
  return name.replace(/\.[^.]*$/, '').toLowerCase();
}

function isPicture({ name, mimeType }: AttachmentStored): boolean {
  return mimeType.startsWith('image/') || /\.(png|jpe?g|gif|webp|svg)$/i.test(name);
}

function isData({ name }: AttachmentStored): boolean {
  return /\.(csv|tsv|json)$/i.test(name);
}
