import * as l10n from '@vscode/l10n';
import { ApiError, CancelledError } from '../core/errors.ts';
import type { Clock, FilesPort } from '../core/ports.ts';
import { callWithin, readJsonObject } from './call.ts';
import type { Client } from './connection.ts';
import { localFailure, requestIdOf, toPortError } from './failure.ts';
import { isFileId, toRemoteFile } from './remoteFile.ts';
import { uploadFile } from './upload.ts';
import { startWatchdog } from './watchdog.ts';

export interface FilesDeps {
  readonly getClient: () => Promise<Client>;
  readonly clock: Clock;
  /** Silence after which a download counts as dead, in milliseconds. */
  readonly inactivityMs: number;
}

/** Files that server tools made, and files to upload. The calls throw `ApiError` (kind `not-found` with code `file_expired`, …) or `CancelledError`. */
export function createFiles(deps: FilesDeps): FilesPort {
  return {
    async metadata(fileId, signal) {
      const client = await clientFor(deps, fileId);
      const body = await callWithin(client, deps.clock, signal, async (inner) =>
        readJsonObject(await client.sdk.files.retrieveMetadata(fileId, {}, { signal: inner }).asResponse(), client),
      );
      return toRemoteFile(fileId, body);
    },
    upload: (source, signal, onSent) => uploadFile(deps, { source, signal, onSent }),
    async content(fileId, signal) {
      return downloadFrom(deps, await clientFor(deps, fileId), signal, ({ sdk }, inner) =>
        sdk.files.download(fileId, {}, { signal: inner }).asResponse(),
      );
    },
    async remove(fileId, signal) {
      await remove(await clientFor(deps, fileId), deps.clock, fileId, signal);
    },
  };
}

/** The body of an answer, chunk by chunk. Throws `ApiError` or `CancelledError`, also in the middle. */
export async function downloadFrom(
  deps: FilesDeps,
  client: Client,
  signal: AbortSignal,
  send: (client: Client, signal: AbortSignal) => Promise<Response>,
): Promise<AsyncIterable<Uint8Array>> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const response = await callWithin(client, deps.clock, signal, (inner) => {
      inner.addEventListener('abort', onAbort, { once: true });
      return send(client, controller.signal);
    });
    return chunksOf(response, { client, deps, signal, controller, onAbort });
  } catch (error) {
    signal.removeEventListener('abort', onAbort);
    throw error;
  }
}

/** A file that is gone already is what was wanted. */
async function remove(client: Client, clock: Clock, fileId: string, signal: AbortSignal): Promise<void> {
  try {
    await callWithin(client, clock, signal, (inner) => client.sdk.files.delete(fileId, {}, { signal: inner }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.kind !== 'not-found') throw error;
  }
}

interface Download {
  readonly client: Client;
  readonly deps: FilesDeps;
  readonly signal: AbortSignal;
  readonly controller: AbortController;
  readonly onAbort: () => void;
}

/** The body chunk by chunk. A body shorter than it was announced is an error, not a short file. */
async function* chunksOf(response: Response, download: Download): AsyncGenerator<Uint8Array> {
  const { client, deps, signal, controller, onAbort } = download;
  const announced = response.headers.has('content-encoding')
    ? NaN
    : Number(response.headers.get('content-length') ?? NaN);
  const reader = response.body?.getReader();
  let silent = false;
  const watchdog = startWatchdog(deps.clock, deps.inactivityMs, () => {
    silent = true;
    controller.abort();
  });
  let received = 0;
  let whole = false;
  try {
    while (reader) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw new CancelledError();
      if (done) break;
      watchdog.alive();
      received += value.byteLength;
      yield value;
    }
    if (received < announced) throw new ShortBody();
    whole = true;
  } catch (error) {
    if (!signal.aborted && !(error instanceof CancelledError)) throw brokenDownload(error, response, client, silent);
    throw toPortError(error, signal, client.context());
  } finally {
    watchdog.dispose();
    signal.removeEventListener('abort', onAbort);
    if (!whole) controller.abort();
  }
}

class ShortBody extends Error {}

function brokenDownload(error: unknown, response: Response, client: Client, silent: boolean): ApiError {
  const requestId = requestIdOf(response.headers);
  const message = l10n.t('The download from {0} broke off before its end.', client.host);
  const context = client.context();
  const failure = localFailure(silent ? 'timeout' : 'stream', message, context);
  const result = new ApiError(requestId === undefined ? failure : { ...failure, requestId });
  result.cause = error;
  return result;
}

async function clientFor(deps: FilesDeps, fileId: string): Promise<Client> {
  if (isFileId(fileId)) return deps.getClient();
  const message = l10n.t('The answer names a file whose id is not valid. It was not asked for.');
  throw new ApiError({ kind: 'invalid-request', message });
}
