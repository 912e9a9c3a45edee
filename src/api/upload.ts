import { randomUUID } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import { stringAt } from '../core/base/json.ts';
import { ApiError, CancelledError, UserError } from '../core/errors.ts';
import type { Clock, RemoteFile, UploadSource } from '../core/ports.ts';
import { readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { localFailure, notTheApiText, timeoutText, toPortError } from './failure.ts';
import { isFileId, toRemoteFile } from './remoteFile.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

/** The most that the Files API takes (413 above it). */
const MOST_BYTES = 500 * 1024 * 1024;
/** A large file over a slow line takes as long as it takes: silence ends it, not time. */
const SILENT = 'silent';
const NO_DEADLINE_MS = 24 * 60 * 60 * 1000;

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
  goOn(signal);
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const watchdog = startWatchdog(deps.clock, deps.inactivityMs, () => controller.abort(SILENT));
  const form = multipart(upload, watchdog);
  try {
    const response = await client.sdk
      .post('/v1/files', {
        body: form.body,
        headers: { 'content-type': form.contentType, 'content-length': String(form.length) },
        signal: controller.signal,
        timeout: NO_DEADLINE_MS,
      })
      .asResponse();
    return await readAnswer(response, client, source);
  } catch (error) {
    // What the file did is the reason, whatever the connection says about its end.
    const broken = form.broken();
    if (broken !== undefined && !signal.aborted) throw broken;
    if (controller.signal.reason === SILENT)
      throw new ApiError(localFailure('timeout', timeoutText(client.host), client.context()));
    throw toPortError(error, signal, client.context());
  } finally {
    watchdog.dispose();
    signal.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw new CancelledError();
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
  readonly body: ReadableStream<Uint8Array>;
  readonly contentType: string;
  /** Bytes of the body. */
  readonly length: number;
  /** What the source threw. */
  broken(): Error | undefined;
}

function multipart({ source, onSent }: Upload, watchdog: Watchdog): Form {
  const boundary = `loopdock-${randomUUID()}`;
  const encoder = new TextEncoder();
  const head = encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${source.name}"\r\n` +
      `Content-Type: ${source.mimeType}\r\n\r\n`,
  );
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  let broken: Error | undefined;
  const chunks = parts(source, { head, tail, onSent, watchdog });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const step = await chunks.next();
          if (step.done) controller.close();
          else controller.enqueue(step.value);
        } catch (error) {
          broken = error instanceof Error ? error : new Error(String(error));
          controller.error(broken);
        }
      },
      async cancel() {
        await chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: head.byteLength + source.size + tail.byteLength,
    broken: () => broken,
  };
}

interface Parts {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly onSent: ((bytes: number) => void) | undefined;
  readonly watchdog: Watchdog;
}

/** A source that is longer or shorter than it said ends the upload before the server could take it for whole. */
async function* parts(
  source: UploadSource,
  { head, tail, onSent, watchdog }: Parts,
): AsyncGenerator<Uint8Array, undefined> {
  yield head;
  let sent = 0;
  for await (const chunk of source.read()) {
    if (sent + chunk.byteLength > source.size) throw changed(source);
    yield chunk;
    sent += chunk.byteLength;
    watchdog.alive();
    onSent?.(sent);
  }
  if (sent < source.size) throw changed(source);
  yield tail;
  return undefined;
}

function changed({ name }: UploadSource): UserError {
  return new UserError(l10n.t('{0} changed while it was read. Nothing of it was kept; attach it again.', name));
}
