import * as l10n from '@vscode/l10n';
import { CancelledError, type ApiFailure } from '../errors.ts';
import type { TurnContext } from './context.ts';
import { decideRetry } from './retry.ts';

/** What a failed attempt had shown before it failed. */
export interface Shown {
  readonly blocksFinished: number;
  /** Earlier attempts that broke off after they had shown something. */
  readonly interruptions: number;
  /** Takes away what the attempt had shown, before the wait for the next one. */
  putAway?(): Promise<void>;
}

/** The attempts at one request under the one retry policy. */
export interface Attempts {
  /** The attempt failed. Waits visibly where it may be repeated: `final` when it may not, `cancelled` on abort. */
  failed(failure: ApiFailure, shown: Shown, signal: AbortSignal): Promise<'again' | 'final' | 'cancelled'>;
}

export function createAttempts(context: TurnContext): Attempts {
  const began = context.clock.now();
  let attempt = 0;
  return {
    async failed(failure, shown, signal) {
      attempt += 1;
      const elapsedMs = context.clock.now() - began;
      const random = randomOf(context);
      const { blocksFinished, interruptions } = shown;
      const retry = decideRetry({ failure, attempt, elapsedMs, blocksFinished, interruptions, random });
      if (!retry.retry) return 'final';
      await shown.putAway?.();
      return (await waitVisibly(context, retry.delayMs, failure, signal)) ? 'again' : 'cancelled';
    },
  };
}

/** Waits with a countdown on screen. False when the user stopped meanwhile. */
async function waitVisibly(
  context: TurnContext,
  delayMs: number,
  failure: ApiFailure,
  signal: AbortSignal,
): Promise<boolean> {
  context.phase(l10n.t('Waiting to try again'));
  context.emit({ type: 'retry', until: context.clock.now() + delayMs, failure });
  try {
    await context.clock.sleep(delayMs, signal);
    return true;
  } catch (error) {
    if (error instanceof CancelledError) return false;
    throw error;
  } finally {
    context.emit({ type: 'retry', until: undefined });
  }
}

/** Jitter in [0, 1) from the port of randomness. */
function randomOf(context: TurnContext): number {
  return Number.parseInt(context.ids.hash(context.ids.random()).slice(0, 8), 16) / 2 ** 32;
}
