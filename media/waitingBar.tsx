import { useEffect, useState } from 'preact/hooks';
import type { ViewState } from '../src/protocol/messages.ts';
import { format } from '../src/protocol/format.ts';
import { focusLiveApproval } from './focusCard.ts';
import { duration } from './format.ts';
import { Icon } from './icon.tsx';
import { useServices } from './services.ts';

/** What the running turn waits for. Every wait has a visible name; an approval can be jumped to. */
export function WaitingBar({ state }: { readonly state: ViewState }) {
  const { strings } = useServices();
  if (state.waiting > 0) {
    const text = state.waiting === 1 ? strings.waitingOne : format(strings.waitingMany, state.waiting);
    return (
      <div class="waiting waiting-approval">
        <Icon name="bell-dot" />
        <span class="waiting-text">{text}</span>
        <button type="button" class="link-button" onClick={() => focusLiveApproval(document)}>
          {strings.showWaiting}
        </button>
      </div>
    );
  }
  if (!state.busy) return null;
  return (
    <div class="waiting">
      <Icon name="loading" spin />
      <span class="waiting-text">{state.phase || strings.working}</span>
      {state.phaseSince !== undefined && <Elapsed since={state.phaseSince} />}
    </div>
  );
}

/** Shorter waits show no time: it would only flicker. */
const SHOWN_AFTER_MS = 5_000;

/** How long the wait has been, for the eyes: it is no live region. */
function Elapsed({ since }: { readonly since: number }) {
  const { language, now } = useServices();
  const [elapsed, setElapsed] = useState(() => now() - since);
  useEffect(() => {
    const tick = (): void => setElapsed(now() - since);
    tick();
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [since]);
  if (elapsed < SHOWN_AFTER_MS) return null;
  return <span class="waiting-time">{duration(Math.floor(elapsed / 1000) * 1000, language)}</span>;
}
