import assert from 'node:assert/strict';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { peerCertificate } from '../../../src/node/peerCertificate.ts';
import { createAuthority } from '../../support/certificates.ts';

suite('the certificate of an address', () => {
  test('is read although nobody trusts it, and nothing is asked for [M1]', async () => {
    let requests = 0;
    const server = createServer(createAuthority('Contoso Inspection').issue('127.0.0.1'), (_request, response) => {
      requests += 1;
      response.end();
    });
    const port = await listen(server);
    try {
      const found = await peerCertificate(`https://127.0.0.1:${port}`);
      assert.deepEqual([found?.issuer, found?.subject], ['Contoso Inspection', '127.0.0.1']);
      assert.ok(Date.parse(found?.validTo ?? '') > Date.now());
      assert.equal(requests, 0);
    } finally {
      server.close();
    }
  });

  test('is none where no TLS is spoken, or nothing listens', async () => {
    const server = createPlainServer();
    const port = await listen(server);
    assert.equal(await peerCertificate(`https://127.0.0.1:${port}`), undefined);
    server.close();
    assert.equal(await peerCertificate(`https://127.0.0.1:${port}`), undefined);
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
