import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { base64Of } from '../base/base64.ts';
import { toWellFormed } from '../base/text.ts';
import { CancelledError, UserError } from '../errors.ts';
import type { InputPort } from '../inputPort.ts';
import type { ContextPort, StoredFile } from '../ports.ts';
import type { SentFile } from '../session/entries.ts';
import { say } from './contextNotes.ts';
import type { TurnContext } from './context.ts';
import { noteFor } from './inputNote.ts';
import { chooseModel } from './epoch.ts';
import { sendInputsAgain } from './inputsAgain.ts';
import type { Message } from './outbox.ts';
import { checkSandbox } from './sandboxCheck.ts';
import type { ChosenFile } from './tray.ts';
import { hasNoFilesApi, uploadOnce } from './uploads.ts';

/** Larger images and PDFs are uploaded: a request carries its content again each time. Bytes. */
const MOST_INLINE_BYTES = 1024 * 1024;

/** A file with what the message says of it. */
interface Prepared {
  readonly sent: SentFile;
  readonly block: ContentBlockParam;
}

/**
 * Records what the user says, after its files were read and uploaded where that is needed. Until then nothing is recorded
 * but the uploads. Throws `UserError`, `ApiError` or `CancelledError`; the message was not said then.
 */
export async function sendMessage(
  context: TurnContext,
  editorContext: ContextPort,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  if (message.files.some(({ use }) => use === 'container'))
    checkSandbox(message.files, context, await chooseModel(context, signal));
  const prepared: Prepared[] = [];
  for (const chosen of withOwnNames(message.files)) {
    prepared.push(await prepare(context, chosen, signal));
    if (signal.aborted) throw new CancelledError();
  }
  await sendInputsAgain(context, signal);
  const files = prepared.map(({ sent }) => sent);
  const note = noteFor(files);
  const content: ContentBlockParam[] = [
    ...prepared.map(({ block }) => block),
    ...(note === undefined ? [] : [{ type: 'text', text: note } as const]),
    { type: 'text', text: message.text },
  ];
  const said = { text: message.text, content, ...(files.length === 0 ? {} : { files }) };
  await say(context, editorContext, said);
}

/** Two files of one name would be one file in the container. */
function withOwnNames(files: readonly ChosenFile[]): readonly ChosenFile[] {
  const taken = new Set<string>();
  return files.map((chosen) => {
    if (chosen.use !== 'container') return chosen;
    const { name } = chosen.file;
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let own = name;
    for (let nth = 2; taken.has(own.toLowerCase()); nth++) own = `${stem} (${String(nth)})${extension}`;
    taken.add(own.toLowerCase());
    return own === name ? chosen : { ...chosen, file: { ...chosen.file, name: own } };
  });
}

async function prepare(context: TurnContext, { file, use }: ChosenFile, signal: AbortSignal): Promise<Prepared> {
  const { name, mimeType } = file;
  context.phase(l10n.t('Reading {0}', name));
  const stored = await storedOf(context, file, signal);
  const sent: SentFile = {
    ...{ use, name, mimeType, size: stored.size, hash: stored.hash },
    ...('local' in file.from ? { uri: file.from.local.uri } : {}),
  };
  const upload = async (): Promise<string> => {
    const fileId = await uploadOnce(context, { ...sent, stored }, signal);
    // A large upload takes minutes, and until it is in the log a clean-up may take its blob for one that nobody needs.
    if ((await context.attachments.find(stored.hash)) === undefined) await storedOf(context, file, signal);
    return fileId;
  };
  switch (use) {
    case 'text':
      return { sent, block: textBlock(name, await readWhole(context, stored)) };
    case 'container': {
      const fileId = await upload();
      return { sent: { ...sent, fileId }, block: { type: 'container_upload', file_id: fileId } };
    }
    case 'image':
    case 'document': {
      const fileId = stored.size <= MOST_INLINE_BYTES ? undefined : await orInline(upload());
      if (fileId !== undefined) return { sent: { ...sent, fileId }, block: byId(sent, fileId) };
      return { sent, block: inline(sent, await readWhole(context, stored)) };
    }
  }
}

/** A copy of ours: what is sent is what was read, and it can be sent again whatever becomes of the file. */
async function storedOf(
  { attachments, inputs }: TurnContext,
  { from, name }: ChosenFile['file'],
  signal: AbortSignal,
): Promise<StoredFile> {
  if ('local' in from) return attachments.store(inputs.read(from.local), signal);
  const stored = await attachments.find(from.hash);
  if (stored === undefined) throw new UserError(l10n.t('{0} is not stored here any more.', name));
  return stored;
}

/** Where there is no Files API, the content itself goes into the message. */
async function orInline(uploading: Promise<string>): Promise<string | undefined> {
  try {
    return await uploading;
  } catch (error) {
    if (hasNoFilesApi(error)) return undefined;
    throw error;
  }
}

function byId({ use, name }: SentFile, fileId: string): ContentBlockParam {
  const source = { type: 'file', file_id: fileId } as const;
  return use === 'image' ? { type: 'image', source } : { type: 'document', source, title: name };
}

export function inline({ use, name, mimeType }: SentFile, bytes: Uint8Array): ContentBlockParam {
  const data = base64Of(bytes);
  if (use === 'document')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, title: name };
  // The tray offers this use for the four kinds of image alone.
  return { type: 'image', source: { type: 'base64', media_type: mimeType as 'image/png', data } };
}

export function textBlock(name: string, bytes: Uint8Array): ContentBlockParam {
  const data = toWellFormed(new TextDecoder().decode(bytes));
  // The API takes no document without content.
  if (data.trim() === '') return { type: 'text', text: `[${name} holds nothing but white space.]` };
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, title: name };
}

export async function readWhole({ inputs }: { readonly inputs: InputPort }, stored: StoredFile): Promise<Uint8Array> {
  const bytes = new Uint8Array(stored.size);
  let at = 0;
  for await (const chunk of inputs.readStored(stored)) {
    bytes.set(chunk.subarray(0, bytes.length - at), at);
    at += chunk.byteLength;
  }
  return bytes;
}
