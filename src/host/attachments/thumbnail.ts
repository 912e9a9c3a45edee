import { readFile } from 'node:fs/promises';
import type { AttachmentPort } from '../../core/ports.ts';
import { isSafeToDecode } from '../../core/base/image.ts';

/** Larger images have no thumbnail: each one travels in every snapshot of the view. */
export const LARGEST_THUMBNAIL_BYTES = 512 * 1024;

/** A data: URI of a stored image, with the type that its bytes have; undefined when it is none or too large. */
export async function thumbnail(store: AttachmentPort, hash: string): Promise<string | undefined> {
  const file = await store.find(hash);
  if (!file?.imageType || file.size > LARGEST_THUMBNAIL_BYTES) return undefined;
  const bytes = await readFile(file.path);
  // A few kilobytes may unfold to a picture that takes the view's memory.
  if (!isSafeToDecode(bytes)) return undefined;
  return `data:${file.imageType};base64,${bytes.toString('base64')}`;
}
