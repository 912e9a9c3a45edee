/** Certificates made on the spot: a root that nobody trusts, and what it signs. Enough of X.509 for TLS, and no more. */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export interface Authority extends Certificate {
  /** A certificate for these host names. */
  issue(...hosts: readonly string[]): Certificate;
}

/** A self-signed root of this name. */
export function createAuthority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer = { name, key: own.privateKey };
  const cert = certificate({ subject: name, publicKey: own.publicKey, signer, extensions: [constraints(true)] });
  return {
    ...{ cert, key: pemOfKey(own.privateKey) },
    issue(...hosts) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = [constraints(false), alternativeNames(hosts)];
      const subject = hosts[0] ?? '';
      return {
        cert: certificate({ subject, publicKey: leaf.publicKey, signer, extensions }),
        key: pemOfKey(leaf.privateKey),
      };
    },
  };
}

interface Fields {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly signer: { readonly name: string; readonly key: KeyObject };
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, publicKey, signer, extensions }: Fields): string {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(12)])),
    algorithm,
    nameOf(signer.name),
    sequence(time(-1), time(365)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, signer.key);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(text)))));
}

function constraints(authority: boolean): Buffer {
  const value = authority ? sequence(der(0x01, Buffer.from([0xff]))) : sequence();
  return sequence(oid('2.5.29.19'), der(0x01, Buffer.from([0xff])), der(0x04, value));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  );
  return sequence(oid('2.5.29.17'), der(0x04, sequence(...names)));
}

function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(text));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const septets = [arc & 127];
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift((left & 127) | 128);
    bytes.push(...septets);
  }
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
