import * as l10n from '@vscode/l10n';
import type { Disposable } from '../base/disposable.ts';
import type { TurnContext } from './context.ts';

/** Silence after which the view says so, at most twice as much. Long before the request counts as dead. */
const QUIET_MS = 20_000;

export interface QuietWatch extends Disposable {
  /** The API was heard of: an event of any kind, a ping too. */
  heard(): void;
}

/** Says that the API does not respond while it does not, and takes that back when it does. `usual` is the phase without it. */
export function watchQuiet(context: TurnContext, usual: () => string): QuietWatch {
  let heard = false;
  let isQuiet = false;
  let timer = context.clock.timer(QUIET_MS, check);
  function check(): void {
    isQuiet = !heard;
    heard = false;
    if (isQuiet) context.phase(l10n.t('The API is not responding. You can wait or stop'));
    else timer = context.clock.timer(QUIET_MS, check);
  }
  return {
    heard() {
      heard = true;
      if (!isQuiet) return;
      isQuiet = false;
      context.phase(usual());
      timer = context.clock.timer(QUIET_MS, check);
    },
    dispose: () => timer.dispose(),
  };
}
