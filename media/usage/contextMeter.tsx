import { useEffect, useRef, useState } from 'preact/hooks';
import type { ViewState } from '../../src/protocol/messages.ts';
import { format } from '../../src/protocol/format.ts';
import { number, percentage, tokenCount } from '../format.ts';
import { useServices } from '../services.ts';
import { UsagePanel } from './usagePanel.tsx';

const PANEL = 'usage-panel';

/** How full the context is, as a ring; a click shows what it holds and what the session has used. */
export function ContextMeter({ state }: { readonly state: ViewState }) {
  const { strings, language } = useServices();
  const { contextTokens, contextLimit, usage } = state;
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => setOpen(false), [state.sessionId]);
  useCloseOutside(open, place, () => setOpen(false));
  if (usage === null || usage.session.requests === 0) return <span class="footer-space" />;
  const about = usage.estimated ? '≈ ' : '';
  const used = about + number(contextTokens, language);
  const label = contextLimit
    ? format(strings.contextOf, used, number(contextLimit, language))
    : format(strings.contextUsed, used);
  const share = contextLimit ? Math.min(1, contextTokens / contextLimit) : undefined;
  const short = about + (share === undefined ? tokenCount(contextTokens, language) : percentage(share * 100, language));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open) return;
    // The panel closes, and nothing else: the turn goes on.
    event.preventDefault();
    setOpen(false);
    place.current?.querySelector('button')?.focus();
  };
  return (
    <span class="footer-space footer-context" ref={place} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="context-button"
        title={label}
        aria-expanded={open}
        aria-controls={open ? PANEL : undefined}
        onClick={() => setOpen(!open)}
      >
        {share !== undefined && <Ring share={share} />}
        <span class="visually-hidden">{label}</span>
        <span aria-hidden="true">{short}</span>
      </button>
      {open && <UsagePanel id={PANEL} usage={usage} label={label} />}
    </span>
  );
}

function Ring({ share }: { readonly share: number }) {
  return (
    <svg class="context-ring" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <circle class="context-ring-track" cx="8" cy="8" r="6" pathLength={100} />
      <circle
        class="context-ring-used"
        cx="8"
        cy="8"
        r="6"
        pathLength={100}
        stroke-dasharray={`${Math.round(share * 100)} 100`}
      />
    </svg>
  );
}

/** A click or the focus elsewhere closes the panel. */
function useCloseOutside(open: boolean, place: { readonly current: HTMLElement | null }, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const listen = (event: Event): void => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) close();
    };
    document.addEventListener('pointerdown', listen);
    document.addEventListener('focusin', listen);
    return () => {
      document.removeEventListener('pointerdown', listen);
      document.removeEventListener('focusin', listen);
    };
  }, [open]);
}
