import { strict as assert } from 'node:assert';
import { allowedLink } from '../../../src/protocol/links.ts';

suite('allowedLink', () => {
  test('takes absolute http, https and mailto links, in their normalised form', () => {
    assert.equal(allowedLink('https://example.com'), 'https://example.com/');
    assert.equal(allowedLink('HTTP://Example.COM/a b'), 'http://example.com/a%20b');
    assert.equal(allowedLink('mailto:someone@example.com'), 'mailto:someone@example.com');
  });

  test('shows an international name as what it is', () => {
    assert.equal(allowedLink('https://ex\u0430mple.com/'), 'https://xn--exmple-4nf.com/');
  });

  for (const link of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    '\u0001javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'command:workbench.action.terminal.new',
    'vscode://publisher.extension/open',
    'vscode-insiders:x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    'ftp://example.com/',
    '//example.com/x',
    '/etc/passwd',
    'src/sum.ts',
    '#top',
    '',
    'https://',
    'https:example.com',
    'mailto:',
    'https://api.example.com@evil.invalid/',
    'https://user:password@example.com/',
    `https://example.com/${'x'.repeat(10_000)}`,
  ]) {
    test(`refuses ${JSON.stringify(link.slice(0, 60))}`, () => assert.equal(allowedLink(link), undefined));
  }
});
