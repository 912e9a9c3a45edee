import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { redact, redactKeys } from '../../../src/core/base/redact.ts';

const KEY = 'sk-ant-api03-AbCdEf0123456789_-xyz';

suite('redaction', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['a key in the middle of a sentence', `The key ${KEY} is wrong`, 'The key [redacted] is wrong'],
    ['a key cut by the server', 'invalid key sk-ant-api03-Ab…', 'invalid key [redacted]…'],
    ['a bearer token', 'sent Bearer abc.def-ghi_123= to it', 'sent Bearer [redacted] to it'],
    ['an authorization header', 'authorization: Bearer abcdef', 'authorization: [redacted]'],
    ['a header object as JSON', '{"X-Api-Key":"hunter2hunter2","a":1}', '{"X-Api-Key":"[redacted]","a":1}'],
    [
      'a header object as Node prints it',
      "{ 'x-api-key': 'hunter2', accept: '*/*' }",
      "{ 'x-api-key': '[redacted]', accept: '*/*' }",
    ],
    ['a header list', `["x-api-key: hunter2"]`, `["x-api-key: [redacted]"]`],
    ['a basic proxy credential', 'Proxy-Authorization: Basic dXNlcjpwYXNz', 'Proxy-Authorization: [redacted]'],
    ['a proxy URL with a password', 'via http://me:pw@proxy:8080/x', 'via http://[redacted]@proxy:8080/x'],
    ['a query parameter', 'GET /v1?api_key=abcdef&x=1', 'GET /v1?api_key=[redacted]'],
    ['a cookie', 'set-cookie: session=abc', 'set-cookie: [redacted]'],
  ];
  for (const [name, text, expected] of cases) {
    test(`takes out ${name}`, () => assert.equal(redact(text), expected));
  }

  const harmless = [
    'authentication_error: invalid x-api-key',
    'The authorization header is missing',
    'See https://docs.example.com/@scope/pkg and mail a@b.example',
    'max_tokens: 1024 is too large',
    'Bearer of bad news',
  ];
  for (const text of harmless) test(`leaves alone: ${text}`, () => assert.equal(redact(text), text));

  test('takes out a given secret in every form in which it travels', () => {
    const secret = 'p/ss "w\\rd+1';
    const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    for (const form of forms) {
      const result = redact(`before ${form} after`, [secret]);
      assert.ok(!result.includes(form.replace(/^"|"$/g, '')), result);
      assert.match(result, /^before .*\[redacted\].* after$/);
    }
  });

  test('takes out the whole of a secret that contains another one', () => {
    assert.equal(redact('tokenABCDEF', ['tokenABC', 'tokenABCDEF']), '[redacted]');
  });

  test('ignores secrets too short to mean anything', () => {
    assert.equal(redact('a cat sat', ['', ' ', 'a', 'at']), 'a cat sat');
  });

  test('never lets a given secret through (property)', () => {
    const secrets = fc.string({ minLength: 4, unit: 'grapheme-ascii' }).filter((text) => text.trim().length >= 4);
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        const without = before.replaceAll(secret, '') + after.replaceAll(secret, '');
        fc.pre(!'[redacted]'.includes(secret) && !without.includes(secret));
        assert.ok(
          !redact(`${before.replaceAll(secret, '')} ${secret} ${after.replaceAll(secret, '')}`, [secret]).includes(
            secret,
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('leaves code about headers alone where only keys are taken out', () => {
    const code = `headers['x-api-key']: process.env.KEY // sk-ant-… ${KEY}`;
    assert.equal(redactKeys(code, []), "headers['x-api-key']: process.env.KEY // sk-ant-… [redacted]");
  });

  test('takes linear time on a long text', () => {
    const started = performance.now();
    for (const unit of ['authorization', 'a://', 'bearer ', '"x-api-key" : ', 'sk-ant-'])
      redact(unit.repeat(20_000), [KEY]);
    assert.ok(performance.now() - started < 3_000);
  });
});
