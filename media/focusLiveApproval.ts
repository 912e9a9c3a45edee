/** Brings the approval that can be answered into view and focuses its card, never one of its buttons. */
export function focusLiveApproval(document: Document): void {
  const card = document.querySelector<HTMLElement>('[data-live-approval]')?.closest<HTMLElement>('[role="article"]');
  card?.focus();
  card?.scrollIntoView?.({ block: 'nearest' });
}
