import * as l10n from '@vscode/l10n';
import { ApiError, CancelledError, UserError, messageOf } from '../errors.ts';
import type { InputPort, UploadKey } from '../inputPort.ts';
import type { Clock, FilesPort, Logger, StoredFile } from '../ports.ts';
import { record, type TurnContext } from './context.ts';

export interface FileToUpload {
  readonly name: string;
  readonly mimeType: string;
  readonly hash: string;
  readonly stored: StoredFile;
}

/** What uploading needs. */
export interface UploadPorts {
  readonly inputs: InputPort;
  readonly files: FilesPort;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/**
 * The id of a file at Anthropic: that of an earlier upload of the same content under the same name, where it is still
 * there, or of a new one. Records it. Throws `UserError` (what the user can do about it), `ApiError` or `CancelledError`.
 */
export async function uploadOnce(context: TurnContext, file: FileToUpload, signal: AbortSignal): Promise<string> {
  const key = { baseUrl: context.config.baseUrl, hash: file.hash, name: file.name };
  const fileId = await knownOrUploaded(context, key, () => uploadNow(context, file, signal), signal);
  await recordUpload(context, fileId, file, key);
  return fileId;
}

/** The id of an earlier upload with this key where it is still there, or else that of the new one, which is noted. */
export async function knownOrUploaded(
  ports: UploadPorts,
  key: UploadKey,
  upload: () => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  const known = await stillThere(ports, await ports.inputs.knownUpload(key), signal);
  if (known !== undefined) return known;
  const fileId = await upload();
  await ports.inputs.noteUpload(key, fileId);
  return fileId;
}

async function recordUpload(
  context: TurnContext,
  fileId: string,
  { name, mimeType, stored }: FileToUpload,
  { hash }: UploadKey,
): Promise<void> {
  const isRecorded = context.log
    .entries()
    .some((entry) => entry.type === 'fileUploaded' && entry.fileId === fileId && entry.name === name);
  if (isRecorded) return;
  await record(context, { type: 'fileUploaded', fileId, hash, name, mimeType, size: stored.size });
}

/** An upload can be deleted or expire, and another key may not see it. Whatever keeps us from knowing means: not there. */
async function stillThere(
  { files, logger, clock }: UploadPorts,
  fileId: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (fileId === undefined) return undefined;
  try {
    const { id, expiresAt } = await files.metadata(fileId, signal);
    return isPast(expiresAt, clock) ? undefined : id;
  } catch (error) {
    if (error instanceof CancelledError) throw error;
    logger.info(`An earlier upload can't be used again: ${messageOf(error)}`);
    return undefined;
  }
}

async function uploadNow(
  context: TurnContext,
  { name, mimeType, stored }: FileToUpload,
  signal: AbortSignal,
): Promise<string> {
  const source = { name, mimeType, size: stored.size, read: () => context.inputs.readStored(stored) };
  let shown = -1;
  const onSent = (bytes: number): void => {
    const percent = stored.size === 0 ? 100 : Math.floor((bytes * 100) / stored.size);
    if (percent === shown) return;
    shown = percent;
    context.phase(l10n.t('Uploading {0}: {1} %', name, percent));
  };
  context.phase(l10n.t('Uploading {0}', name));
  try {
    return (await context.files.upload(source, signal, onSent)).id;
  } catch (error) {
    throw explained(error, name);
  }
}

/** What the user can do, where the API's own words do not say. */
function explained(error: unknown, name: string): unknown {
  if (!(error instanceof ApiError) || hasNoFilesApi(error)) return error;
  const { failure } = error;
  if (failure.code === 'storage_quota_exceeded') {
    const text = l10n.t(
      '{0} was not uploaded: the file storage of your organization is full. Delete files in the Claude Console, or send a part of the file.',
      name,
    );
    return new UserError(text, { cause: error });
  }
  return new UserError(l10n.t('{0} was not uploaded: {1}', name, failure.message), { cause: error });
}

/** Gateways and clouds without a Files API answer as if there were no such page. */
export function hasNoFilesApi(error: unknown): boolean {
  return error instanceof ApiError && error.failure.kind === 'not-found';
}

/** Whether a file has expired: its metadata stay to be seen for a while. */
export function isPast(expiresAt: string | undefined, clock: Pick<Clock, 'now'>): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= clock.now();
}
