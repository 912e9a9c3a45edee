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
 * a program and the results that it waits for. A program whose container was lost waits for nothing any more, and every
 * request that still answers it would be refused: Claude is told so. What can't be had any more is said to be so. Throws
 * `CancelledError`, and when the log can't be written.
 */
export async function sendInputsAgain(context: TurnContext, signal: AbortSignal): Promise<void> {
  const { absent, missing } = containersOf(context.log.entries());
  const pending = endOf(context);
  const stranded = pending === 'program' && isLost(context.log.entries());
  if (!stranded && (absent.length === 0 || pending !== 'free')) return;
  const files: SentFile[] = [];
  const failed: string[] = [];
  for (const file of absent) {
    const sent = await again(context, file, signal);
    if (sent === undefined) failed.push(file.name);
    else files.push(sent);
  }
  const reason = missing ? 'missing' : 'container';
  const blocks = files.map(({ fileId }) => ({ type: 'container_upload', file_id: fileId ?? '' }) as const);
  const content = [...blocks, { type: 'text', text: noteForAgain({ reason, files, failed, stranded }) } as const];
  await record(context, { type: 'inputsSent', reason, files, failed, content });
}

/** What the conversation ends with: whether a message of ours may stand there, or what it would come between. */
function endOf({ log }: TurnContext): 'free' | 'pause' | 'program' {
  const messages = projectMessages(foldConversation(log.entries()));
  if (messages.at(-1)?.role === 'assistant') return isEnded(log.entries()) ? 'free' : 'pause';
  const called = messages.at(-2);
  if (called?.role !== 'assistant' || typeof called.content === 'string') return 'free';
  const isPending = called.content.some((block) => block.type === 'tool_use' && isProgrammatic(block.caller));
  return isPending ? 'program' : 'free';
}

/** The container was lost since it was last heard of. */
function isLost(entries: readonly { readonly type: string }[]): boolean {
  return (
    entries.findLast(({ type }) => type === 'containerLost' || type === 'messageFinished')?.type === 'containerLost'
  );
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
