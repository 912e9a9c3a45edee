import type { ViewState } from '../src/protocol/messages.ts';
import { format } from '../src/protocol/strings.ts';
import { focusLiveApproval } from './focusCard.ts';
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
    </div>
  );
}
