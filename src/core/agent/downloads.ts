import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages/messages';
import * as l10n from '@vscode/l10n';
import { ApiError, CancelledError, messageOf, UserError } from '../errors.ts';
import type { StoredFile } from '../ports.ts';
import { answeredId } from '../session/toMessages.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { TurnContext } from './context.ts';
import { record } from './context.ts';
import { decideRetry } from './retry.ts';

type Fetching = Pick<TurnContext, 'log' | 'files' | 'attachments' | 'clock' | 'logger' | 'emit' | 'thumbnail'>;

/** No answer waits longer than this for its files; then the row says so, and can be retried. Milliseconds. */
const LONGEST_PAUSE_MS = 30_000;

/** The files that a block brought: a result of a server tool. */
export function filesIn(
  block: ContentBlock,
  tools: readonly AnyTool[],
): readonly { readonly callId: string; readonly fileId: string }[] {
  const callId = answeredId(block);
  if (callId === undefined) return [];
  return tools.flatMap((tool) =>
    tool.kind === 'server' ? tool.fileIds(block).map((fileId) => ({ callId, fileId })) : [],
  );
}

/**
 * Fetches a file that a server tool made into the attachment store, and records it. A download that breaks off begins
 * again by itself, twice at most: the store keeps nothing of a half one. A failure is recorded too: the answer stays
 * intact and the row can be retried. Rejects only when the log can't be written.
 */
export async function fetchFile(
  context: Fetching,
  file: { readonly callId: string; readonly fileId: string; readonly name?: string },
  signal: AbortSignal,
): Promise<void> {
  const { callId, fileId } = file;
  let known = { name: file.name ?? '', mimeType: 'application/octet-stream', size: 0 };
  context.emit({ type: 'download', fileId, callId, name: known.name });
  let stored: { readonly hash: string } | { readonly failure: string };
  try {
    const remote = await patiently(context, signal, () => context.files.metadata(fileId, signal));
    const { name, mimeType, size, downloadable } = remote;
    known = { name, mimeType, size };
    context.emit({ type: 'download', fileId, callId, name });
    // What was uploaded is not handed out again (Files API, `file_not_downloadable`).
    if (!downloadable)
      throw new UserError(l10n.t('This is an uploaded file. Anthropic does not hand those out again.'));
    const blob = await patiently(context, signal, () => download(context, fileId, signal));
    known = { ...known, size: blob.size };
    stored = { hash: blob.hash };
  } catch (error) {
    context.logger.warn(`The file ${fileId} could not be fetched: ${messageOf(error)}`);
    stored = { failure: signal.aborted ? l10n.t('Stopped') : messageOf(error) };
  }
  await record(context as TurnContext, { type: 'attachmentStored', callId, fileId, ...known, ...stored });
  if (!('hash' in stored)) return;
  const thumbnail = await context.thumbnail(stored.hash).catch(() => undefined);
  if (thumbnail !== undefined) context.emit({ type: 'thumbnail', fileId, thumbnail });
}

async function download({ files, attachments }: Fetching, fileId: string, signal: AbortSignal): Promise<StoredFile> {
  return attachments.store(await files.content(fileId, signal), signal);
}

/** Asks the one retry policy after each failure. Rejects with the last one. */
async function patiently<T>({ clock, logger }: Fetching, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  const began = clock.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ApiError) || signal.aborted) throw error;
      const elapsedMs = clock.now() - began;
      const counted = { attempt, elapsedMs, blocksFinished: 0, interruptions: 0, random: 0.5 };
      const decision = decideRetry({ failure: error.failure, ...counted });
      if (!decision.retry || decision.delayMs > LONGEST_PAUSE_MS) throw error;
      logger.info(`A file is asked for again in ${String(decision.delayMs)} ms: ${error.failure.kind}`);
      await clock.sleep(decision.delayMs, signal).catch((reason: unknown) => {
        throw reason instanceof CancelledError ? error : reason;
      });
    }
  }
}
