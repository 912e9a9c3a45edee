import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { inline, readWhole, textBlock } from '../agent/sending.ts';
import { knownOrUploaded, type UploadPorts } from '../agent/uploads.ts';
import type { LocalFile } from '../inputPort.ts';
import type { AttachmentPort } from '../ports.ts';
import type { SentFile } from '../session/entries.ts';
import type { BatchItem } from './batchTypes.ts';

export interface FileItemPorts extends UploadPorts {
  readonly attachments: AttachmentPort;
  /** Where files are uploaded to. */
  readonly baseUrl: () => Promise<string>;
}

/** How the files of a batch go to Claude: shown in the message, or uploaded for the container. */
export type FileUse = 'message' | 'container';

/** Whether a file can be shown in a message at all. */
export function fitsMessage({ content }: LocalFile): boolean {
  return content !== 'binary';
}

/** The item of one file, read and where it goes into the container uploaded. Throws `UserError`, `ApiError` or `CancelledError`. */
export async function itemOfFile(
  ports: FileItemPorts,
  {
    id,
    file,
    prompt,
    use,
  }: { readonly id: string; readonly file: LocalFile; readonly prompt: string; readonly use: FileUse },
  signal: AbortSignal,
): Promise<BatchItem> {
  const { inputs, attachments, files } = ports;
  const { name, mimeType, uri } = file;
  const stored = await attachments.store(inputs.read(file), signal);
  const sent: SentFile = { use: useOf(file, use), name, mimeType, uri, size: stored.size, hash: stored.hash };
  const ask: ContentBlockParam = { type: 'text', text: prompt };
  const base = { id, label: file.path, text: prompt };
  if (sent.use === 'container') {
    const source = { name, mimeType, size: stored.size, read: () => inputs.readStored(stored) };
    const key = { baseUrl: await ports.baseUrl(), hash: stored.hash, name };
    const upload = async (): Promise<string> => (await files.upload(source, signal)).id;
    const fileId = await knownOrUploaded(ports, key, upload, signal);
    const named: ContentBlockParam = { type: 'text', text: `The file is in the container as ${JSON.stringify(name)}.` };
    const content = [{ type: 'container_upload', file_id: fileId } as const, named, ask];
    return { ...base, content, files: [{ ...sent, fileId }] };
  }
  const bytes = await readWhole({ inputs }, stored);
  const block = sent.use === 'text' ? textBlock(name, bytes) : inline(sent, bytes);
  return { ...base, content: [block, ask], files: [sent] };
}

function useOf({ content }: LocalFile, use: FileUse): SentFile['use'] {
  if (use === 'container' || content === 'binary') return 'container';
  return content === 'pdf' ? 'document' : content;
}
