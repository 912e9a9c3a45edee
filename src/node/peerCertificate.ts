// Not 'node:https': VS Code puts its own in the place of the bare name only.
import { request } from 'https';
import type { TLSSocket } from 'node:tls';

export interface PeerCertificate {
  /** Who signed it, as people name it: organisation or common name. */
  readonly issuer: string;
  readonly subject: string;
  /** As the certificate writes it. */
  readonly validTo: string;
}

const TIMEOUT_MS = 10_000;

/**
 * The certificate that an https address shows, trusted or not, so that a message can name who is in the way. Nothing of
 * the user's is sent: the connection ends with the handshake. Undefined when there was no handshake. In an extension host
 * `https` is VS Code's, which goes through the proxy of its settings.
 */
export function peerCertificate(url: string): Promise<PeerCertificate | undefined> {
  return new Promise((resolve) => {
    const finish = (found: PeerCertificate | undefined): void => {
      probe.destroy();
      resolve(found);
    };
    const probe = request(url, { method: 'HEAD', rejectUnauthorized: false, timeout: TIMEOUT_MS });
    probe.on('socket', (socket) => {
      const read = (): void => finish(certificateOf(socket as TLSSocket));
      if (certificateOf(socket as TLSSocket)) read();
      else socket.once('secureConnect', read);
    });
    // A tunnelled socket is handed over when its handshake is done; the answer comes too late for anything else.
    probe.on('response', (response) => finish(certificateOf(response.socket as TLSSocket)));
    probe.on('timeout', () => finish(undefined));
    probe.on('error', () => finish(undefined));
    probe.end();
  });
}

function certificateOf(socket: TLSSocket): PeerCertificate | undefined {
  if (typeof socket.getPeerCertificate !== 'function') return undefined;
  const { issuer, subject, valid_to: validTo } = socket.getPeerCertificate();
  // Before the handshake it is an empty object, whatever its type says.
  if ((issuer as unknown) === undefined) return undefined;
  return { issuer: nameOf(issuer), subject: nameOf(subject), validTo };
}

/** An attribute that comes twice is a list. */
function nameOf(name: { readonly O?: unknown; readonly CN?: unknown }): string {
  return [name.O ?? name.CN].flat().map(String).join(', ').slice(0, 200);
}
