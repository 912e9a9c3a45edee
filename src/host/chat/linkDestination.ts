/** What the user is asked about before a link opens: the host as it is really read (punycode, port), or the mail address. */
export function linkDestination(href: string): string {
  const url = new URL(href);
  return url.protocol === 'mailto:' ? url.pathname : url.host;
}
