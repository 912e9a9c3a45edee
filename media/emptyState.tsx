import type { ViewState } from '../src/protocol/messages.ts';
import { Icon } from './icon.tsx';
import { useServices } from './services.ts';

/** A session without a message: what can be done here, and the offered prompt by one click. */
export function EmptyState({ state }: { readonly state: ViewState }) {
  const { strings, post } = useServices();
  const offered = state.readOnly || state.busy ? '' : state.suggestedPrompt;
  return (
    <div class="empty">
      <Icon name="comment-discussion" />
      <h2 class="empty-title">{strings.emptyTitle}</h2>
      <p class="empty-text">{strings.emptyText}</p>
      {offered && (
        <button
          type="button"
          class="suggestion"
          onClick={() => post({ type: 'prompt/submit', text: state.suggestedPrompt })}
        >
          <span class="suggestion-label">
            <Icon name="sparkle" /> {strings.trySuggestion}
          </span>
          <span class="suggestion-text" dir="auto">
            {offered}
          </span>
        </button>
      )}
    </div>
  );
}
