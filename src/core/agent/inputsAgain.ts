import { CancelledError, messageOf } from '../errors.ts';
import type { SentFile } from '../session/entries.ts';
import { foldConversation } from '../session/fold.ts';
import { projectMessages } from '../session/toMessages.ts';
import { containersOf } from './containers.ts';
import { record, type TurnContext } from './context.ts';
import { noteForAgain } from './inputNote.ts';
import { uploadOnce } from './uploads.ts';

/**
 * Puts the user's files into the container once more, where the one that the next request uses does not have them: after a
 * container that was lost or left, and where a listing did not show them. Not in the middle of a paused answer, nor between
 * a program and the results that it waits for. What can't be had any more is said to be so. Throws `CancelledError`, and when
 * the log can't be written.
 */
export async function sendInputsAgain(context: TurnContext, signal: AbortSignal): Promise<void> {
  const { absent, missing } = containersOf(context.log.entries());
  if (absent.length === 0 || !mayAdd(context)) return;
  const files: SentFile[] = [];
  const failed: string[] = [];
  for (const file of absent) {
    const sent = await again(context, file, signal);
    if (sent === undefined) failed.push(file.name);
    else files.push(sent);
  }
  const reason = missing ? 'missing' : 'container';
  const blocks = files.map(({ fileId }) => ({ type: 'container_upload', file_id: fileId ?? '' }) as const);
  const content = [...blocks, { type: 'text', text: noteForAgain({ reason, files, failed }) } as const];
  await record(context, { type: 'inputsSent', reason, files, failed, content });
}

/** Whether a message of ours may stand at the end of the conversation as it is. */
function mayAdd({ log }: TurnContext): boolean {
  const messages = projectMessages(foldConversation(log.entries()));
  if (messages.at(-1)?.role === 'assistant') return isEnded(log.entries());
  const called = messages.at(-2);
  if (called?.role !== 'assistant' || typeof called.content === 'string') return true;
  return !called.content.some((block) => block.type === 'tool_use' && isProgrammatic(block.caller));
}

/** The last answer ended its turn; a paused one would go on. */
function isEnded(entries: readonly { readonly type: string }[]): boolean {
  const last = entries.findLast(({ type }) => type === 'turnEnded' || type === 'turnStarted');
  return last?.type === 'turnEnded';
}

function isProgrammatic(caller: { readonly type: string } | null | undefined): boolean {
  return caller?.type.startsWith('code_execution_') ?? false;
}

async function again(context: TurnContext, file: SentFile, signal: AbortSignal): Promise<SentFile | undefined> {
  try {
    const stored = await context.attachments.find(file.hash);
    if (stored === undefined) return undefined;
    return { ...file, fileId: await uploadOnce(context, { ...file, stored }, signal) };
  } catch (error) {
    if (error instanceof CancelledError || signal.aborted) throw error;
    context.logger.warn(`A file could not be sent to the container again: ${messageOf(error)}`);
    return undefined;
  }
}
