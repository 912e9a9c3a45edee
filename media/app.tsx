import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { ViewModel } from '../src/protocol/applyOps.ts';
import { Announcer } from './announcer.tsx';
import { Banners } from './banners.tsx';
import { Boundary } from './boundary.tsx';
import { Composer } from './composer.tsx';
import { EmptyState } from './emptyState.tsx';
import { Feed } from './feed.tsx';
import { Header } from './header.tsx';
import { linkOfEvent } from './markdown/linkOfEvent.ts';
import { ServicesProvider, useServices } from './services.ts';
import type { Services } from './services.ts';
import { Sessions } from './sessions.tsx';
import type { Store, View } from './store.ts';
import { WaitingBar } from './waitingBar.tsx';

interface AppProps {
  readonly store: Store;
  readonly services: Services;
  /** Called when the first snapshot is on the page. */
  onDrawn(): void;
}

/** The whole view. Draws `store.view()`, once per frame at most. */
export function App({ store, services, onDrawn }: AppProps) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => store.subscribe(() => redraw(undefined)), [store]);
  const view = store.view();
  const drawn = view.model !== undefined;
  useEffect(() => {
    if (drawn) onDrawn();
  }, [drawn]);
  return (
    <ServicesProvider value={services}>
      <Boundary
        what="view"
        fallback={(retry) => (
          <Failed retry={retry} text={services.strings.viewFailed} label={services.strings.reload} />
        )}
      >
        {view.stale && <Stale />}
        {view.model && <Loaded view={view} model={view.model} />}
        <Announcer announcement={view.announcement} />
      </Boundary>
    </ServicesProvider>
  );
}

function Loaded({ view, model }: { readonly view: View; readonly model: ViewModel }) {
  const { post } = useServices();
  const [showSessions, setShowSessions] = useState(false);
  const { rows, state } = model;
  // Another session was opened, from here or by a command: the list has done its work.
  useLayoutEffect(() => setShowSessions(false), [state.sessionId]);
  const toggleSessions = (): void => {
    if (!showSessions) post({ type: 'session/list' });
    setShowSessions(!showSessions);
  };
  const openLink = (event: Event): void => {
    const url = linkOfEvent(event);
    if (url !== undefined) post({ type: 'link/open', url });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    openLink(event);
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    if (showSessions) setShowSessions(false);
    else if (state.busy) post({ type: 'turn/stop' });
  };
  useDocumentKeys(onKeyDown);
  return (
    <main class="app" onClick={openLink} onAuxClick={openLink}>
      <Header state={state} sessionsShown={showSessions} toggleSessions={toggleSessions} />
      <Banners state={state} />
      {showSessions ? (
        <Sessions sessions={view.sessions} current={state.sessionId} close={() => setShowSessions(false)} />
      ) : rows.length === 0 ? (
        <EmptyState state={state} />
      ) : (
        <Feed key={state.sessionId} rows={rows} busy={state.busy} />
      )}
      <WaitingBar state={state} />
      <Composer view={view} model={model} />
    </main>
  );
}

/** Keys count wherever the focus is, also when what had it is gone. */
function useDocumentKeys(onKeyDown: (event: KeyboardEvent) => void): void {
  const latest = useRef(onKeyDown);
  latest.current = onKeyDown;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => latest.current(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

function Stale() {
  return (
    <p class="banner banner-warning" role="alert">
      {useServices().strings.staleView}
    </p>
  );
}

function Failed({ retry, text, label }: { readonly retry: () => void; readonly text: string; readonly label: string }) {
  const { post } = useServices();
  const reload = (): void => {
    post({ type: 'resync' });
    retry();
  };
  return (
    <div class="view-failed" role="alert">
      <p>{text}</p>
      <button type="button" class="button" onClick={reload}>
        {label}
      </button>
    </div>
  );
}
