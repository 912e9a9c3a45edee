import assert from 'node:assert/strict';
import { checkBaseUrl } from '../../../src/api/baseUrl.ts';

suite('the base URL', () => {
  const accepted: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'https://api.anthropic.com'],
    ['  ', 'https://api.anthropic.com'],
    ['https://api.anthropic.com/', 'https://api.anthropic.com'],
    ['https://gw.example.com:8443/anthropic//', 'https://gw.example.com:8443/anthropic'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://127.0.0.1:1/x', 'http://127.0.0.1:1/x'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://0x7f.1', 'http://127.0.0.1'],
    ['https://EXAMPLE.com', 'https://example.com'],
  ];
  for (const [text, url] of accepted) {
    test(`takes ${text ?? 'nothing'}`, () => {
      const check = checkBaseUrl(text);
      assert.equal(check.ok && check.url, url);
      assert.equal(check.host, new URL(url).host);
    });
  }

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['http:// to a host that is not this machine', 'http://gw.example.com', /unprotected/],
    ['http:// to a name that only looks like loopback', 'http://localhost.evil.invalid', /unprotected/],
    ['http:// to an address that only looks like loopback', 'http://127.0.0.1.evil.invalid', /unprotected/],
    ['http:// to a private network', 'http://192.168.0.1', /unprotected/],
    ['http:// to all interfaces', 'http://0.0.0.0:80', /unprotected/],
    ['a user name that looks like a host', 'https://api.anthropic.com@evil.invalid', /evil\.invalid/],
    ['a user name and password', 'https://me:pw@gw.example.com', /user name or password/],
    ['an empty user name', 'https://@gw.example.com', /user name or password/],
    ['file:', 'file:///etc/passwd', /not a web address/],
    ['another scheme', 'ftp://gw.example.com', /https/],
    ['a script', 'javascript:alert(1)', /not a web address|https/],
    ['a query', 'https://gw.example.com/?key=1', /query/],
    ['a fragment', 'https://gw.example.com/#x', /query/],
    ['a host name only', 'gw.example.com', /not a web address/],
    ['nonsense', 'https://', /not a web address/],
  ];
  for (const [name, text, problem] of refused) {
    test(`refuses ${name} [XN4]`, () => {
      const check = checkBaseUrl(text);
      assert.ok(!check.ok);
      assert.match(check.problem, problem);
      assert.ok(!check.problem.includes('pw'));
    });
  }

  test('shows a look-alike host as what it is [XN4]', () => {
    assert.equal(checkBaseUrl('https://аpi.anthropic.com').host, 'xn--pi-6kc.anthropic.com');
  });
});
