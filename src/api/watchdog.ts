import type { Disposable } from '../core/base/disposable.ts';
import type { Clock } from '../core/ports.ts';

/** So much data is life, even where no event is complete yet. A byte now and then is not. */
const BYTES_OF_LIFE = 64 * 1024;
const TICKS = 4;

export interface Watchdog extends Disposable {
  /** Something arrived that counts as life. */
  alive(): void;
  bytes(count: number): void;
}

/**
 * Calls `onSilent` once after `silenceMs` without a sign of life, at most a quarter later. It counts ticks of a timer
 * rather than reading a clock: a clock that jumps, or a machine that slept, must not end a healthy stream.
 */
export function startWatchdog(clock: Clock, silenceMs: number, onSilent: () => void): Watchdog {
  let ticks = 0;
  let unseenBytes = 0;
  let timer = clock.timer(silenceMs / TICKS, tick);

  function tick(): void {
    ticks += 1;
    if (ticks > TICKS) onSilent();
    else timer = clock.timer(silenceMs / TICKS, tick);
  }
  function alive(): void {
    ticks = 0;
    unseenBytes = 0;
  }
  return {
    alive,
    bytes(count) {
      unseenBytes += count;
      if (unseenBytes >= BYTES_OF_LIFE) alive();
    },
    dispose: () => timer.dispose(),
  };
}
