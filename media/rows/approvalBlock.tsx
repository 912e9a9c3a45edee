import { useRef, useState } from 'preact/hooks';
import type { ApprovalChoice, ApprovalView } from '../../src/protocol/rows.ts';
import { focusCard } from '../focusCard.ts';
import { Icon } from '../icon.tsx';
import { useServices } from '../services.ts';
import { visible } from '../visible.ts';
import { MessageForm } from './messageForm.tsx';

/** Input in the first moments after a card appears was meant for something else. */
export const GUARD_MS = 500;

/** Asks for a decision. The host knows which call the id stands for; this only sends it back, once. */
export function ApprovalBlock({ approval }: { readonly approval: ApprovalView }) {
  const { strings, post, monotonic } = useServices();
  const [sent, setSent] = useState(false);
  // A second press may come before the next drawing.
  const answered = useRef(false);
  const block = useRef<HTMLDivElement>(null);
  const [writing, setWriting] = useState(false);
  const guarded = useGuard(approval.live, monotonic);
  const answer = (choice: 'allow' | 'deny', message?: string): void => {
    if (answered.current || guarded()) return;
    answered.current = true;
    setSent(true);
    // The buttons are gone in a moment: the focus stays on the card.
    if (block.current?.contains(document.activeElement)) focusCard(block.current);
    post({ type: 'approval/answer', id: approval.id, choice, ...(message ? { message } : {}) });
  };
  const choose = (choice: ApprovalChoice['id']): void => {
    if (guarded()) return;
    if (choice === 'denyWithMessage') setWriting(true);
    else answer(choice);
  };
  return (
    <div
      class={`approval ${approval.live ? 'approval-live' : ''}`}
      role="group"
      ref={block}
      aria-label={strings.approvalLabel}
      {...(approval.live ? { 'data-live-approval': approval.id } : {})}
    >
      <p class="approval-question">
        <Icon name="question" />
        <span dir="auto">{visible(approval.question)}</span>
      </p>
      <p class="approval-rule">{visible(approval.rule)}</p>
      {writing && !sent ? (
        <MessageForm send={(message) => answer('deny', message)} cancel={() => setWriting(false)} />
      ) : (
        <Buttons approval={approval} disabled={!approval.live || sent} choose={choose} />
      )}
      {!approval.live && <p class="approval-note">{strings.approvalWaits}</p>}
      {sent && <p class="approval-note">{strings.approvalAnswered}</p>}
    </div>
  );
}

interface ButtonsProps {
  readonly approval: ApprovalView;
  readonly disabled: boolean;
  choose(choice: ApprovalChoice['id']): void;
}

function Buttons({ approval, disabled, choose }: ButtonsProps) {
  const { strings, post } = useServices();
  return (
    <div class="approval-buttons">
      {approval.choices.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          class={id === 'allow' ? 'button' : 'button button-secondary'}
          disabled={disabled}
          onClick={() => choose(id)}
        >
          {label}
        </button>
      ))}
      {approval.canOpenDiff && (
        <button
          type="button"
          class="button button-secondary"
          onClick={() => post({ type: 'approval/openDiff', id: approval.id })}
        >
          <Icon name="diff" /> {strings.openDiff}
        </button>
      )}
    </div>
  );
}

/** Says whether the card has been answerable for too short a time. The time begins anew when it becomes live. */
function useGuard(live: boolean, monotonic: () => number): () => boolean {
  const since = useRef({ live, at: monotonic() });
  if (since.current.live !== live) since.current = { live, at: monotonic() };
  return () => monotonic() - since.current.at < GUARD_MS;
}
