import { allowedLink } from '../../src/protocol/links.ts';

/** The address of the link that was clicked, or activated with Enter; the event is then used up. Links have no `href`: nothing in the view navigates. */
export function linkOfEvent(event: Event): string | undefined {
  if (event.type === 'keydown' && (event as KeyboardEvent).key !== 'Enter') return undefined;
  const target = event.target instanceof Element ? event.target.closest('[data-url]') : null;
  const url = target && allowedLink(target.getAttribute('data-url') ?? '');
  if (!url) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return url;
}
