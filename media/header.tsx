import type { ContainerView, ViewState } from '../src/protocol/messages.ts';
import { format } from '../src/protocol/format.ts';
import { clockTime } from './format.ts';
import { Icon, IconButton } from './icon.tsx';
import { useServices } from './services.ts';
import { label, visible } from './visible.ts';

interface HeaderProps {
  readonly state: ViewState;
  readonly sessionsShown: boolean;
  toggleSessions(): void;
}

/** Title, container and the two ways to another session. */
export function Header({ state, sessionsShown, toggleSessions }: HeaderProps) {
  const { strings, post } = useServices();
  const title = label(state.title) || strings.untitledSession;
  return (
    <header class="header">
      <h1 class="header-title" title={title} dir="auto">
        {title}
      </h1>
      {state.container && <ContainerChip container={state.container} />}
      <div class="header-buttons">
        <IconButton icon="history" label={strings.history} expanded={sessionsShown} onClick={toggleSessions} />
        <IconButton icon="add" label={strings.newSession} onClick={() => post({ type: 'session/new' })} />
      </div>
    </header>
  );
}

function ContainerChip({ container }: { readonly container: ContainerView }) {
  const { strings, language, now } = useServices();
  const expiry = Date.parse(container.expiresAt);
  const expires = Number.isNaN(expiry)
    ? ''
    : expiry <= now()
      ? strings.containerExpired
      : format(strings.containerExpires, clockTime(expiry, language));
  const description = [format(strings.containerLabel, visible(container.id)), expires].filter(Boolean).join(', ');
  return (
    <span class="chip chip-container" title={description}>
      <Icon name="package" />
      <span class="visually-hidden">{description}</span>
      <span aria-hidden="true" class="chip-text">
        {visible(container.id).slice(-6)}
      </span>
    </span>
  );
}
