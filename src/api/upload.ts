import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { stringAt } from '../core/base/json.ts';
import { ApiError, UserError } from '../core/errors.ts';
import type { Clock, RemoteFile, UploadSource } from '../core/ports.ts';
import { readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { localFailure, notTheApiText } from './failure.ts';
import { isFileId, toRemoteFile } from './remoteFile.ts';
import { streamedPost } from './streamedPost.ts';

/** The most that the Files API takes (413 above it). */
const MOST_BYTES = 500 * 1024 * 1024;

export interface UploadDeps {
  readonly getClient: () => Promise<Client>;
  readonly clock: Clock;
  /** Silence after which an upload counts as dead, in milliseconds. */
  readonly inactivityMs: number;
}

interface Upload {
  readonly source: UploadSource;
  readonly signal: AbortSignal;
  readonly onSent?: ((bytes: number) => void) | undefined;
}

/**
 * Uploads a file as `multipart/form-data` from a stream of ours: the SDK's own way would read a stream into memory first,
 * and says nothing of how far it is. The next chunk is read when the last one went out.
 */
export async function uploadFile(deps: UploadDeps, upload: Upload): Promise<RemoteFile> {
  checkSource(upload.source);
  const client = await deps.getClient();
  const { source, signal } = upload;
  const { contentType, length, chunks } = multipart(upload);
  const headers = { 'content-type': contentType, 'content-length': String(length) };
  return streamedPost(deps, client, { path: '/v1/files', headers, chunks, signal }, (response) =>
    readAnswer(response, client, source),
  );
}

function checkSource({ name, size }: UploadSource): void {
  if (size > MOST_BYTES) {
    const message = l10n.t('{0} is larger than the 500 MB that the Files API takes.', name);
    throw new ApiError({ kind: 'too-large', message });
  }
  // eslint-disable-next-line no-control-regex -- the API's own rule for names
  if (name.length >= 1 && name.length <= 255 && !/[<>:"|?*\\/\u0000-\u001f]/.test(name)) return;
  throw new ApiError({ kind: 'invalid-request', message: l10n.t('The Files API does not take this file name.') });
}

async function readAnswer(response: Response, client: Client, source: UploadSource): Promise<RemoteFile> {
  const body = await readJsonObject(response, client);
  const id = stringAt(body, 'id') ?? '';
  if (isFileId(id)) return { ...toRemoteFile(id, body), size: source.size };
  const type = response.headers.get('content-type') ?? '';
  throw new ApiError(localFailure('protocol', notTheApiText(client.host, type), client.context()));
}

interface Form {
  readonly contentType: string;
  /** Bytes of the body. */
  readonly length: number;
  readonly chunks: AsyncGenerator<Uint8Array, undefined>;
}

function multipart({ source, onSent }: Upload): Form {
  const boundary = `loopdock-${randomUUID()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${source.name}"\r\n` +
      `Content-Type: ${source.mimeType}\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.byteLength + source.size + tail.byteLength,
    chunks: parts(source, { head, tail, onSent }),
  };
}

interface Parts {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly onSent: ((bytes: number) => void) | undefined;
}

/** A source that is longer or shorter than it said ends the upload before the server could take it for whole. */
async function* parts(source: UploadSource, { head, tail, onSent }: Parts): AsyncGenerator<Uint8Array, undefined> {
  yield head;
  let sent = 0;
  for await (const chunk of source.read()) {
    if (sent + chunk.byteLength > source.size) throw changed(source);
    yield chunk;
    sent += chunk.byteLength;
    onSent?.(sent);
  }
  if (sent < source.size) throw changed(source);
  yield tail;
  return undefined;
}

function changed({ name }: UploadSource): UserError {
  return new UserError(l10n.t('{0} changed while it was read. Nothing of it was kept; attach it again.', name));
}
