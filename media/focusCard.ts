/** Brings the approval that can be answered into view and focuses its card, never one of its buttons. */
export function focusLiveApproval(document: Document): void {
  const approval = document.querySelector<HTMLElement>('[data-live-approval]');
  if (!approval) return;
  const card = focusCard(approval);
  card?.scrollIntoView({ block: 'nearest' });
}

/** Focuses the row that `inside` belongs to. */
export function focusCard(inside: HTMLElement): HTMLElement | null {
  const card = inside.closest<HTMLElement>('[role="article"]');
  card?.focus({ preventScroll: true });
  return card;
}
