import type { NewEntry } from '../session/entries.ts';
import type { TurnContext } from './context.ts';

/** What a call came to, as the log keeps it. */
export type Result = Omit<Extract<NewEntry, { type: 'toolFinished' }>, 'type' | 'callId'>;

/**
 * How long code in the container waits for a call of its own at most: at 270 s it would get a `TimeoutError`, and the
 * answer would have nobody to go to (Messages API, "Programmatic tool calling").
 */
const LONGEST_WAIT_MS = 200_000;
const TOO_LATE =
  'Error: No answer in time: the user did not decide, or the tool did not end, within 200 seconds. Go on without it.';

/**
 * The result of a call that running code made: it is there in time, an error where it would come too late, and it is text,
 * because code can take nothing else. Rejects as `work` does.
 */
export async function answerInTime(
  { clock }: Pick<TurnContext, 'clock'>,
  work: (signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const limit = new AbortController();
  const clockSays = { late: false };
  const timer = clock.timer(LONGEST_WAIT_MS, () => {
    clockSays.late = true;
    limit.abort();
  });
  const stop = (): void => limit.abort();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    const result = await work(limit.signal);
    if (clockSays.late && result.status === 'cancelled') return { ...result, content: TOO_LATE, status: 'error' };
    return { ...result, content: textOnly(result.content) };
  } finally {
    timer.dispose();
    signal.removeEventListener('abort', stop);
  }
}

function textOnly(content: Result['content']): Result['content'] {
  if (!Array.isArray(content)) return content;
  const texts = content.map((block) =>
    block.type === 'text' ? block.text : `[${block.type}: code in the container can take text only]`,
  );
  return texts.join('\n');
}
