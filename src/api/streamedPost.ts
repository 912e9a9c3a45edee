import { ApiError, CancelledError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { Client } from './connection.ts';
import { localFailure, timeoutText, toPortError } from './failure.ts';
import { startWatchdog } from './watchdog.ts';

const SILENT = 'silent';
/** Silence ends it, not the clock: large bodies take long. */
const NO_DEADLINE_MS = 24 * 60 * 60 * 1000;

export interface StreamedPost {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body. The next chunk is asked for when the last one went out. */
  readonly chunks: AsyncGenerator<Uint8Array, undefined>;
  readonly signal: AbortSignal;
}

/**
 * Posts a body of ours that is never whole in memory, which the SDK's own ways would make of it, and resolves to what
 * `read` makes of the answer. Throws `ApiError` (after `inactivityMs` of silence too), `CancelledError`, or what `chunks`
 * throws.
 */
export async function streamedPost<T>(
  { clock, inactivityMs }: { readonly clock: Clock; readonly inactivityMs: number },
  client: Client,
  post: StreamedPost,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { path, headers, chunks, signal } = post;
  goOn(signal);
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  const watchdog = startWatchdog(clock, inactivityMs, () => controller.abort(SILENT));
  const body = streamOf(chunks, () => watchdog.alive());
  try {
    const options = { body: body.stream, headers: { ...headers }, signal: controller.signal, timeout: NO_DEADLINE_MS };
    return await read(await client.sdk.post(path, options).asResponse());
  } catch (error) {
    // What kept us from writing it is the reason, whatever the connection says about its end.
    const broken = body.broken();
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

function streamOf(
  chunks: AsyncGenerator<Uint8Array, undefined>,
  alive: () => void,
): { readonly stream: ReadableStream<Uint8Array>; broken(): Error | undefined } {
  let broken: Error | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const step = await chunks.next();
          alive();
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
  return { stream, broken: () => broken };
}
