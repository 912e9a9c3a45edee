import { useEffect, useRef } from 'preact/hooks';
import type { SessionSummary } from '../src/protocol/messages.ts';
import { shortDate } from './format.ts';
import { IconButton } from './icon.tsx';
import { useServices } from './services.ts';
import { label } from './visible.ts';

interface SessionsProps {
  /** Undefined while the host has not answered. */
  readonly sessions: readonly SessionSummary[] | undefined;
  readonly current: string;
  close(): void;
}

/** The list of sessions, newest first. */
export function Sessions({ sessions, current, close }: SessionsProps) {
  const { strings } = useServices();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  return (
    <section class="sessions" aria-label={strings.history} tabIndex={-1} ref={panel}>
      <div class="sessions-head">
        <h2 class="sessions-title">{strings.history}</h2>
        <IconButton icon="close" label={strings.back} onClick={close} />
      </div>
      {!sessions && <p class="sessions-note">{strings.loading}</p>}
      {sessions?.length === 0 && <p class="sessions-note">{strings.noSessions}</p>}
      {sessions && sessions.length > 0 && (
        <ul class="sessions-list">
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} isCurrent={session.id === current} close={close} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface SessionItemProps {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  close(): void;
}

function SessionItem({ session, isCurrent, close }: SessionItemProps) {
  const { strings, post, language, now } = useServices();
  const open = (): void => {
    if (isCurrent) close();
    else post({ type: 'session/open', id: session.id });
  };
  return (
    <li>
      <button type="button" class="session" aria-current={isCurrent ? 'true' : undefined} onClick={open}>
        <span class="session-title" dir="auto">
          {label(session.title) || strings.untitledSession}
        </span>
        <span class="session-when">
          {isCurrent ? strings.currentSession : shortDate(Date.parse(session.updated), now(), language)}
        </span>
      </button>
    </li>
  );
}
