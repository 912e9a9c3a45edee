import { imageType } from './image.ts';

/** How a file can be looked at. */
export type FileKind = 'image' | 'csv' | 'xlsx' | 'parquet' | 'pdf' | 'media' | 'markdown' | 'text' | 'binary';

const TEXT_KINDS: readonly (readonly [FileKind, readonly string[]])[] = [
  ['csv', ['csv', 'tsv', 'tab']],
  ['markdown', ['md', 'markdown']],
];

/** Bytes from the start of a file that are enough to tell its kind. */
export const KIND_BYTES = 4096;

/**
 * The kind of a file by its first bytes. Its name only decides between kinds that look alike, and what the server says
 * about its type decides nothing: an image is what begins as one, and markup is text.
 */
export function fileKind(name: string, head: Uint8Array): FileKind {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (imageType(head) !== null) return 'image';
  if (begins(head, '%PDF-')) return 'pdf';
  if (begins(head, 'PAR1')) return 'parquet';
  if (begins(head, 'PK\u0003\u0004') && /^xls[xm]$/.test(extension)) return 'xlsx';
  if (isText(head)) return textKind(extension);
  return /^(mp3|wav|ogg|oga|flac|aac|m4a|opus|mp4|webm|m4v|mov|ogv)$/.test(extension) ? 'media' : 'binary';
}

function textKind(extension: string): FileKind {
  return TEXT_KINDS.find(([, names]) => names.includes(extension))?.[0] ?? 'text';
}

function begins(head: Uint8Array, text: string): boolean {
  return Array.from(text).every((char, index) => head[index] === char.charCodeAt(0));
}

/** UTF-8 without NUL, the last character of which may be cut; or UTF-16 that says so. */
function isText(head: Uint8Array): boolean {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return true;
  if (head.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
