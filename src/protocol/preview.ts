import type { FileKind } from '../core/base/fileKind.ts';
import type { ImageSize, ImageType } from '../core/base/image.ts';

/** The contract between the preview of a file and the host. The page asks for bytes; it reaches nothing by itself. */
export interface PreviewFile {
  /** Shown; never used as a path. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: FileKind;
  readonly imageType?: ImageType;
  readonly pixels?: ImageSize;
  /** Its dimensions are known and bearable: it may be decoded. */
  readonly safe?: boolean;
  readonly credentials?: PreviewCredentials;
}

/** What a file says about where it comes from (C2PA). Nothing of it was verified. */
export interface PreviewCredentials {
  /** Whom the signing certificate names. */
  readonly issuer?: string;
  /** ISO 8601. */
  readonly at?: string;
}

export type PreviewAction = 'saveAs' | 'addToWorkspace' | 'openOutside' | 'openText' | 'reveal';

export type ToPreview =
  | { readonly type: 'file'; readonly file: PreviewFile }
  | { readonly type: 'missing' }
  | { readonly type: 'bytes'; readonly id: number; readonly bytes?: Uint8Array; readonly failure?: string };

export type FromPreview =
  | { readonly type: 'ready' }
  | { readonly type: 'read'; readonly id: number; readonly offset: number; readonly length: number }
  | { readonly type: 'act'; readonly action: PreviewAction }
  /** A link of a document was clicked. */
  | { readonly type: 'link'; readonly url: string }
  | { readonly type: 'log'; readonly text: string };

/** Of one answer, bytes. */
export const MOST_READ = 1024 * 1024;
const LONGEST_LOG = 10_000;
const LONGEST_LINK = 8_000;

/** Checks what the page sent; undefined for everything that is no such message. Never throws. */
export function parseFromPreview(value: unknown): FromPreview | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, id, offset, length, action, text, url } = value as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'ready':
      return { type };
    case 'read':
      return isCount(id) && isCount(offset) && isCount(length) && length <= MOST_READ
        ? { type, id, offset, length }
        : undefined;
    case 'act':
      return isAction(action) ? { type, action } : undefined;
    case 'link':
      return typeof url === 'string' && url.length <= LONGEST_LINK ? { type, url } : undefined;
    case 'log':
      return typeof text === 'string' ? { type, text: text.slice(0, LONGEST_LOG) } : undefined;
    default:
      return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isAction(value: unknown): value is PreviewAction {
  return ['saveAs', 'addToWorkspace', 'openOutside', 'openText', 'reveal'].some((action) => action === value);
}

/** Every text of the page. `{0}` and `{1}` are filled in. */
export interface PreviewStrings {
  readonly saveAs: string;
  readonly addToWorkspace: string;
  readonly openOutside: string;
  readonly openText: string;
  readonly beginning: string;
  readonly reveal: string;
  readonly loading: string;
  readonly missing: string;
  readonly failed: string;
  readonly noPreview: string;
  readonly pdf: string;
  readonly imageTooLarge: string;
  readonly imageOf: string;
  readonly pixels: string;
  readonly fit: string;
  readonly fullSize: string;
  readonly copyImage: string;
  readonly copied: string;
  readonly notCopied: string;
  readonly table: string;
  readonly allRows: string;
  readonly firstRows: string;
  readonly moreColumns: string;
  readonly sheet: string;
  readonly emptyTable: string;
  readonly cell: string;
  readonly notSpreadsheet: string;
  readonly zipTooMany: string;
  readonly zipBomb: string;
  readonly zipEncrypted: string;
  readonly tableTooLarge: string;
  readonly credentials: string;
  readonly credentialsBy: string;
  readonly credentialsAt: string;
  readonly credentialsNote: string;
}
