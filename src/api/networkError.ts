import * as l10n from '@vscode/l10n';
import { isObject, stringAt } from '../core/base/json.ts';

/** Which part of the way to the API broke. */
export type NetworkLeg = 'dns' | 'connect' | 'tls' | 'proxy' | 'lost';

export interface NetworkProblem {
  readonly leg: NetworkLeg;
  readonly code: string;
  readonly message: string;
  readonly timedOut: boolean;
}

const LEG_BY_CODE: readonly (readonly [RegExp, NetworkLeg])[] = [
  [/^(ENOTFOUND|EAI_\w+|ERR_NAME_NOT_RESOLVED|ERR_NAME_RESOLUTION_FAILED)$/, 'dns'],
  [/PROXY|TUNNEL/, 'proxy'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|SSL|TLS|EPROTO/, 'tls'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EACCES|EPERM)$/, 'connect'],
  [/^(ERR_CONNECTION_REFUSED|ERR_ADDRESS_UNREACHABLE|ERR_INTERNET_DISCONNECTED|ERR_NETWORK_ACCESS_DENIED)$/, 'connect'],
  [/^(ETIMEDOUT|UND_ERR_\w*TIMEOUT|ERR_\w*TIMED_OUT)$/, 'connect'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_\w+|ERR_\w+|HPE_\w+)$/, 'lost'],
];

/** Explains a connection error by the error codes in its chain of causes; undefined when there is none. */
export function describeNetworkError(error: unknown, host: string): NetworkProblem | undefined {
  for (const code of codesOf(error)) {
    const leg = LEG_BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
    if (leg) return { leg, code, message: textFor(leg, code, host), timedOut: /TIMEDOUT|TIMEOUT|TIMED_OUT/.test(code) };
  }
  return undefined;
}

/** The leg that a failure's `code` names. */
export function legOfCode(code: string | undefined): NetworkLeg | undefined {
  return code === undefined ? undefined : LEG_BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
}

/** Whether fetch refused to follow a redirect (`redirect: 'error'`); Node and Chromium word it differently. */
export function isRedirectError(error: unknown): boolean {
  return chainOf(error).some((link) => /redirect/i.test(stringAt(link, 'message') ?? messageText(link)));
}

/** What the innermost cause says, for an error that has no code. */
export function innermostMessage(error: unknown): string {
  const texts = chainOf(error)
    .map(messageText)
    .filter((text) => text !== '');
  return texts.at(-1) ?? String(error);
}

function codesOf(error: unknown): readonly string[] {
  return chainOf(error).flatMap((link) => {
    const chromium = /\bnet::(ERR_[A-Z_]+)/.exec(messageText(link))?.[1];
    const code = isObject(link) && typeof link['code'] === 'string' ? link['code'] : undefined;
    // undici's proxy agent has no code of its own for a tunnel that the proxy refuses.
    const proxy = /\bproxy response \(\d+\)|proxy authentication required/i.test(messageText(link));
    return [proxy ? 'PROXY_REFUSED' : undefined, code, chromium].filter((found) => found !== undefined);
  });
}

/** The error, its causes, and the attempts of an `AggregateError` (one per address of the host). Bounded. */
function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  const waiting: unknown[] = [error];
  while (waiting.length > 0 && chain.length < 12) {
    const link = waiting.shift();
    if (!isObject(link)) continue;
    chain.push(link);
    if (link['cause'] !== undefined) waiting.push(link['cause']);
    if (Array.isArray(link['errors'])) waiting.push(...(link['errors'] as unknown[]).slice(0, 4));
  }
  return chain;
}

function messageText(link: unknown): string {
  return link instanceof Error ? link.message : '';
}

function textFor(leg: NetworkLeg, code: string, host: string): string {
  switch (leg) {
    case 'dns':
      return l10n.t('The address {0} could not be found ({1}). Check the network and the base URL.', host, code);
    case 'connect':
      return l10n.t('{0} could not be reached ({1}). Check the network, the proxy and the base URL.', host, code);
    case 'tls':
      return l10n.t(
        'The connection to {0} is not trusted ({1}). A corporate proxy needs its root certificate on this machine; "Test Connection" says whose certificate it is.',
        host,
        code,
      );
    case 'proxy':
      return l10n.t('The proxy on the way to {0} refused the connection ({1}). Check the proxy settings.', host, code);
    case 'lost':
      return l10n.t('The connection to {0} was lost ({1}).', host, code);
  }
}
