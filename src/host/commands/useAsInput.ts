import type { InputFile } from '../../core/agent/tray.ts';
import type { StoredFile } from '../../core/ports.ts';
import { sanitizeFileName } from '../../node/attachments/fileName.ts';
import type { Services } from '../services.ts';

/** Puts a file of the attachment store beside the prompt, as a file that the user attaches. `name` is the server's own. */
export async function useAsInput(
  { agent, view }: Services,
  stored: StoredFile,
  { name, mimeType }: { readonly name: string; readonly mimeType: string },
): Promise<void> {
  const { hash, size, imageType } = stored;
  const clean = sanitizeFileName(name);
  const file: InputFile = {
    ...{ name: clean, path: clean, size, from: { hash } },
    ...(imageType === null
      ? { mimeType, content: contentOf(mimeType) }
      : { mimeType: imageType, content: 'image' as const }),
  };
  agent().controller.tray.add(file);
  await view.focus();
}

function contentOf(mimeType: string): InputFile['content'] {
  if (mimeType === 'application/pdf') return 'pdf';
  return /^text\/|^application\/(?:json|xml)$/.test(mimeType) ? 'text' : 'binary';
}
