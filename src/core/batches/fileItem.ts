import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import { inline, readWhole, textBlock } from '../agent/sending.ts';
import { tokensOf } from '../cost/weight.ts';
import type { InputPort, LocalFile } from '../inputPort.ts';
import type { AttachmentPort, FilesPort } from '../ports.ts';
import type { SentFile } from '../session/entries.ts';
import type { BatchItem } from './batchTypes.ts';

export interface FileItemPorts {
  readonly inputs: InputPort;
  readonly attachments: AttachmentPort;
  readonly files: FilesPort;
}

/** How the files of a batch go to Claude: shown in the message, or uploaded for the container. */
export type FileUse = 'message' | 'container';

/** Images cost about this many tokens, whatever their bytes. */
const IMAGE_TOKENS = 1_500;
/** Of a PDF, where nothing is known but its size. */
const PDF_BYTES_PER_TOKEN = 30;

/** Whether a file can be shown in a message at all. */
export function fitsMessage({ content }: LocalFile): boolean {
  return content !== 'binary';
}

/** About how many tokens a file has in a message. */
export function tokensOfFile({ content, size }: LocalFile, use: FileUse): number {
  if (use === 'container') return 0;
  if (content === 'image') return IMAGE_TOKENS;
  return content === 'pdf' ? Math.ceil(size / PDF_BYTES_PER_TOKEN) : tokensOf(size);
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
    const fileId = (await files.upload(source, signal)).id;
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
