import * as l10n from '@vscode/l10n';

export const DEFAULT_BASE_URL = 'https://api.anthropic.com';

export type BaseUrlCheck =
  | {
      readonly ok: true;
      /** Without a trailing slash. */ readonly url: string;
      /** Host and port. */ readonly host: string;
    }
  /** `problem` is localised and names the host where there is one. */
  | { readonly ok: false; readonly host: string; readonly problem: string };

/**
 * Judges where the key may be sent: https anywhere, http only on this machine; no user name or password in it, no query
 * and no fragment. Empty means Anthropic's own address.
 */
export function checkBaseUrl(text: string | undefined): BaseUrlCheck {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return checkBaseUrl(DEFAULT_BASE_URL);
  const url = parse(trimmed);
  if (!url || url.hostname === '') {
    return { ok: false, host: '', problem: l10n.t('The base URL is not a web address.') };
  }
  const problem = problemOf(url, trimmed);
  if (problem !== undefined) return { ok: false, host: url.host, problem };
  return { ok: true, url: url.href.replace(/\/+$/, ''), host: url.host };
}

function problemOf(url: URL, text: string): string | undefined {
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return l10n.t(
      'The base URL holds a user name or password. Its host would be {0}. Use a header or the key instead.',
      url.host,
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return l10n.t('The base URL must begin with https:// (it begins with {0}).', url.protocol);
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return l10n.t('The base URL uses http:// to {0}: the key would travel unprotected. Use https://.', url.host);
  }
  if (url.search !== '' || url.hash !== '') return l10n.t('The base URL must not have a query or a fragment.');
  return undefined;
}

/** URL parsing has already turned every spelling of an IPv4 address (octal, hex, short) into four decimal numbers. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
