import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '../src/protocol/rows.ts';
import { format } from '../src/protocol/format.ts';
import { moveFocus } from './feedKeys.ts';
import { Icon } from './icon.tsx';
import { RowView } from './rows/rowView.tsx';
import { useServices } from './services.ts';
import { useStickToEnd } from './stickToEnd.ts';

interface FeedProps {
  readonly rows: readonly Row[];
  readonly busy: boolean;
}

/** Rows in the page at first, and how many more each 'show earlier' brings. */
export const WINDOW = 150;

/** The transcript: its last rows, the earlier ones on demand. */
export function Feed({ rows, busy }: FeedProps) {
  const { strings } = useServices();
  const [earlier, setEarlier] = useState(0);
  const [focused, setFocused] = useState<string>();
  const start = Math.max(0, rows.length - WINDOW - earlier);
  const { scroller, content, atEnd, scrollToEnd } = useStickToEnd(rows);
  useFollowOwnMessage(rows, scrollToEnd);
  const shown = rows.slice(start);
  const current = shown.some((row) => row.id === focused) ? focused : shown.at(-1)?.id;
  return (
    <div class="feed-frame">
      <div class="feed-scroller" ref={scroller}>
        {start > 0 && (
          <button
            type="button"
            class="button button-secondary show-earlier"
            onClick={() => setEarlier(earlier + WINDOW)}
          >
            {format(strings.showEarlier, Math.min(WINDOW, start))}
          </button>
        )}
        <div
          class="feed"
          role="feed"
          aria-busy={busy}
          aria-label={strings.conversation}
          ref={content}
          onKeyDown={moveFocus}
        >
          {shown.map((row, index) => (
            <RowView
              key={row.id}
              row={row}
              position={start + index + 1}
              total={rows.length}
              tabIndex={row.id === current ? 0 : -1}
              onFocus={setFocused}
            />
          ))}
        </div>
      </div>
      {!atEnd && (
        <button type="button" class="button button-secondary jump" onClick={scrollToEnd}>
          <Icon name="arrow-down" /> {strings.jumpToLatest}
        </button>
      )}
    </div>
  );
}

/** Whoever sends a message wants to see it, wherever they had scrolled. */
function useFollowOwnMessage(rows: readonly Row[], scrollToEnd: () => void): void {
  const last = rows.at(-1);
  const lastUserId = last?.kind === 'user' ? last.id : undefined;
  const seen = useRef(lastUserId);
  useLayoutEffect(() => {
    if (lastUserId !== undefined && lastUserId !== seen.current) scrollToEnd();
    seen.current = lastUserId ?? seen.current;
  }, [lastUserId]);
}
