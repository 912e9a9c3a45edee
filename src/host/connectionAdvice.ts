import * as l10n from '@vscode/l10n';
import type { ConnectionLeg, ConnectionReport } from '../api/testConnection.ts';
import type { PeerCertificate } from '../node/peerCertificate.ts';

type Failed = Extract<ConnectionReport, { readonly ok: false }>;

/**
 * Which leg of the connection failed, what the other side said, and what to do: one sentence each. `certificate` is what
 * the address showed, where the leg is TLS.
 */
export function adviceFor({ leg, host, failure }: Failed, certificate?: PeerCertificate): string {
  const said = failure.requestId === undefined ? failure.message : `${failure.message} (${failure.requestId})`;
  const what = leg === 'tls' && certificate ? certificateText(host, certificate) : said;
  return `${NAME[leg]()}: ${what} ${ADVICE[leg]()}`;
}

function certificateText(host: string, { issuer, validTo }: PeerCertificate): string {
  if (Date.parse(validTo) < Date.now()) {
    return l10n.t('The certificate of {0}, issued by {1}, is out of date since {2}.', host, issuer, validTo);
  }
  return l10n.t('The certificate of {0} was issued by {1}, which VS Code does not trust.', host, issuer);
}

const NAME: Readonly<Record<ConnectionLeg, () => string>> = {
  settings: () => l10n.t('Settings'),
  baseUrl: () => l10n.t('Settings'),
  headers: () => l10n.t('Settings'),
  key: () => l10n.t('Key'),
  dns: () => l10n.t('Name look-up'),
  connect: () => l10n.t('Connection'),
  proxy: () => l10n.t('Proxy'),
  tls: () => l10n.t('Certificate'),
  lost: () => l10n.t('Connection'),
  answer: () => l10n.t('Answer'),
  authentication: () => l10n.t('Key'),
  model: () => l10n.t('Model'),
  messages: () => l10n.t('Messages'),
};

const ADVICE: Readonly<Record<ConnectionLeg, () => string>> = {
  settings: () => l10n.t('Correct "loopdock.baseUrl" or "loopdock.headers".'),
  baseUrl: () => l10n.t('Correct "loopdock.baseUrl".'),
  headers: () => l10n.t('Correct "loopdock.headers".'),
  key: () => l10n.t('Run "Set API Key".'),
  dns: () => l10n.t('Is this machine online, and is "loopdock.baseUrl" right?'),
  connect: () => l10n.t('Is a firewall in between? Behind a proxy, set "http.proxy".'),
  proxy: () => l10n.t('Check "http.proxy" and the user name and password of the proxy.'),
  tls: () =>
    l10n.t(
      'If your company inspects traffic, add its root certificate to the store of the operating system and restart VS Code ("http.systemCertificates" must be on).',
    ),
  lost: () => l10n.t('Try again; if it keeps happening, something on the way cuts connections.'),
  answer: () => l10n.t('Open the address in a browser: a sign-in page of the network may be waiting there.'),
  authentication: () => l10n.t('Run "Set API Key" with a key of this host that may use the API.'),
  model: () => l10n.t('Run "Choose Model", or correct "loopdock.model".'),
  messages: () => l10n.t('Host and key work; what the message says is about the account or the gateway.'),
};
