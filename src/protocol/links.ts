/** Longest link that is passed on; longer ones are shown as text. */
export const MAX_LINK_LENGTH = 8_192;

/**
 * The one rule for links in anything that the model wrote: absolute http, https or mailto. Returns the URL in its
 * normalised form (what is shown is then what is opened), or undefined for everything else. Both sides use it: the view
 * to decide what becomes a link, the host again before it opens one.
 */
export function allowedLink(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LINK_LENGTH || !/^(?:https?:\/\/|mailto:)/i.test(trimmed)) return undefined;
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    return undefined;
  }
  if (url.protocol === 'mailto:') return url.pathname === '' ? undefined : url.href;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  // A name before `@` only serves to make the host look like another one.
  return url.hostname === '' || url.username !== '' || url.password !== '' ? undefined : url.href;
}
