import assert from 'node:assert/strict';
import { resolveHeaders, headersOfEnvironment, mergeHeaders } from '../../../src/host/customHeaders.ts';
import { adviceFor } from '../../../src/host/connectionAdvice.ts';
import { networkWarnings, proxyCredentials } from '../../../src/host/networkFacts.ts';
import { UserError } from '../../../src/core/errors.ts';

suite('what the environment says about the network', () => {
  test('certificates that are not checked are warned of [XN11]', () => {
    const warnings = networkWarnings({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, true);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /NODE_TLS_REJECT_UNAUTHORIZED/);
    assert.deepEqual(networkWarnings({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, true), []);
  });

  test('a certificate setting that VS Code does not use is named, with what to do [M2]', () => {
    const [warning] = networkWarnings({ NODE_EXTRA_CA_CERTS: '/etc/corp.pem' }, true);
    assert.match(warning ?? '', /NODE_EXTRA_CA_CERTS names \/etc\/corp.pem.*http.systemCertificates/);
    assert.deepEqual(networkWarnings({ NODE_EXTRA_CA_CERTS: '/etc/corp.pem' }, false), []);
  });

  test('passwords of proxies are known, as they are written and as they are meant [XN11]', () => {
    assert.deepEqual(
      [
        ...proxyCredentials({ HTTPS_PROXY: 'http://me:s%40cret-1@proxy.example:8080' }),
        ...proxyCredentials({ http_proxy: 'me:other-secret@proxy.example:8080' }),
        ...proxyCredentials({ HTTPS_PROXY: 'http://proxy.example:8080', ALL_PROXY: ':::' }),
      ],
      ['s%40cret-1', 's@cret-1', 'other-secret', 'other-secret'],
    );
  });
});

suite('headers for a gateway', () => {
  test('take secrets from the environment, so that no settings file holds them [M11]', () => {
    const { headers, secrets } = resolveHeaders(
      { 'x-gw': 'v1 ${env:GW_TOKEN}', 'x-team': 'blue' },
      { GW_TOKEN: 'abc' },
    );
    assert.deepEqual([headers, secrets], [{ 'x-gw': 'v1 abc', 'x-team': 'blue' }, ['v1 abc']]);
  });

  test('with a variable that is not set are refused by name, and nothing is sent', () => {
    assert.throws(
      () => resolveHeaders({ 'x-gw': '${env:GW_TOKEN}' }, {}),
      (error) => error instanceof UserError && /x-gw.*GW_TOKEN/.test(error.message),
    );
  });

  for (const name of ['Host', 'content-length', 'Transfer-Encoding']) {
    test(`can not be ${name}, which belongs to the connection`, () => {
      assert.throws(() => resolveHeaders({ [name]: 'x' }, {}), UserError);
    });
  }

  test('of the settings win over those of the environment, whatever their case', () => {
    const environment = headersOfEnvironment({
      ANTHROPIC_CUSTOM_HEADERS: 'X-Team: red\nX-Other: 1\nnonsense\nhost: evil',
    });
    const merged = mergeHeaders(environment, resolveHeaders({ 'x-team': 'blue' }, {}));
    assert.deepEqual(merged.headers, { 'X-Other': '1', 'x-team': 'blue' });
    assert.equal(merged.authorizes, false);
  });

  for (const name of ['X-API-Key', 'authorization']) {
    test(`named ${name} count as the credential`, () => {
      assert.equal(resolveHeaders({ [name]: 'abc-def-ghi' }, {}).authorizes, true);
      assert.deepEqual(resolveHeaders({ [name]: 'abc-def-ghi' }, {}).secrets, ['abc-def-ghi']);
    });
  }
});

suite('what a failed test of the connection says', () => {
  const failure = { kind: 'connection', message: 'It failed.', requestId: 'req_7' } as const;

  test('names who issued a certificate that is not trusted, and what to do [M1]', () => {
    const certificate = { issuer: 'Contoso Inspection', subject: 'gw', validTo: 'Jan  1 00:00:00 2090 GMT' };
    const text = adviceFor({ ok: false, host: 'gw.example', leg: 'tls', failure }, certificate);
    assert.match(text, /gw\.example was issued by Contoso Inspection.*operating system/);
    const old = { ...certificate, validTo: 'Jan  1 00:00:00 2020 GMT' };
    assert.match(adviceFor({ ok: false, host: 'gw.example', leg: 'tls', failure }, old), /out of date/);
  });

  test('is the other side’s own words and its request id, with the leg and what to do [M7]', () => {
    const text = adviceFor({ ok: false, host: 'gw.example', leg: 'authentication', failure });
    assert.match(text, /^Key: It failed\. \(req_7\) Run "Set API Key"/);
  });
});
