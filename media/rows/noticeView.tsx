import { useEffect, useState } from 'preact/hooks';
import type { NoticeRow } from '../../src/protocol/rows.ts';
import { format } from '../../src/protocol/format.ts';
import { duration } from '../format.ts';
import { Icon } from '../icon.tsx';
import { LongText } from '../longText.tsx';
import { useServices } from '../services.ts';
import { label } from '../visible.ts';

const icons = { info: 'info', warning: 'warning', error: 'error' } as const;

/** An error, a retry, a limit or an interruption, with the ways on from there. */
export function NoticeView({ row }: { readonly row: NoticeRow }) {
  const { strings, post } = useServices();
  const severities = {
    info: strings.severityInfo,
    warning: strings.severityWarning,
    error: strings.severityError,
  };
  return (
    <div class={`notice notice-${row.severity}`} {...(row.asks ? { 'data-live-approval': '' } : {})}>
      <p class="notice-title">
        <Icon name={icons[row.severity]} />
        <span class="visually-hidden">{severities[row.severity]}: </span>
        <span dir="auto">{label(row.title)}</span>
      </p>
      {row.detail && (
        <p class="notice-detail" dir="auto">
          <LongText text={row.detail} />
        </p>
      )}
      {row.more && (
        <details class="thinking">
          <summary>{strings.showSummary}</summary>
          <div class="thinking-text" dir="auto">
            <LongText text={row.more} />
          </div>
        </details>
      )}
      {row.until !== undefined && <Countdown until={row.until} />}
      {row.requestId && <p class="notice-request">{format(strings.requestId, row.requestId)}</p>}
      {row.actions.length > 0 && (
        <div class="notice-actions">
          {row.actions.map((action, index) => (
            <button
              key={action.id}
              type="button"
              class={index === 0 && action.id !== 'cancelRetry' ? 'button' : 'button button-secondary'}
              onClick={() => post({ type: 'notice/action', id: row.id, action: action.id })}
            >
              {action.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Seconds until the next attempt, for the eyes: it is no live region. */
function Countdown({ until }: { readonly until: number }) {
  const { strings, language, now } = useServices();
  const [left, setLeft] = useState(() => until - now());
  useEffect(() => {
    const tick = (): void => setLeft(until - now());
    tick();
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [until]);
  const seconds = Math.ceil(left / 1000);
  return (
    <p class="notice-countdown">
      <Icon name="sync" />
      {seconds > 0 ? format(strings.retryIn, duration(seconds * 1000, language)) : strings.retryNow}
    </p>
  );
}
