import { isObject, type JsonObject } from '../core/base/json.ts';
import { ApiError, CancelledError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { Client } from './connection.ts';
import { localFailure, notTheApiText, requestIdOf, timeoutText, toPortError } from './failure.ts';
import { readLimited } from './fetch.ts';

const CALL_TIMEOUT_MS = 30_000;
const LATE = 'late';
const MAX_JSON_BYTES = 8 * 1024 * 1024;

/**
 * Runs one request that is not a stream under the caller's signal and a deadline. Throws `CancelledError` or `ApiError`,
 * whatever `send` throws.
 */
export async function callWithin<T>(
  client: Client,
  clock: Clock,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal.aborted) throw new CancelledError();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const deadline = clock.timer(CALL_TIMEOUT_MS, () => controller.abort(LATE));
  try {
    return await send(controller.signal);
  } catch (error) {
    if (controller.signal.reason === LATE) {
      throw new ApiError(localFailure('timeout', timeoutText(client.host), client.context()));
    }
    throw toPortError(error, signal, client.context());
  } finally {
    deadline.dispose();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The answer as a JSON object. Throws `ApiError` (kind `protocol`) for everything else, web pages above all. */
export async function readJsonObject(response: Response, client: Client): Promise<JsonObject> {
  const { text, cut } = await readLimited(response, MAX_JSON_BYTES);
  const value = cut ? undefined : parse(text);
  if (isObject(value)) return value;
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const requestId = requestIdOf(response.headers);
  const failure = localFailure('protocol', notTheApiText(client.host, type), client.context());
  throw new ApiError(requestId === undefined ? failure : { ...failure, requestId });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
