import assert from 'node:assert/strict';
import { chatPage } from '../../../src/host/chat/html.ts';

const PARTS = {
  cspSource: 'https://*.vscode-cdn.net',
  nonce: 'N0nce',
  scriptUri: 'https://x.vscode-cdn.net/dist/webview.js',
  styleUri: 'https://x.vscode-cdn.net/dist/webview.css',
  language: 'en',
  title: 'Loopdock',
  strings: { send: 'Send' },
};

suite('The page of the chat view', () => {
  test('has exactly this content security policy', () => {
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(chatPage(PARTS)) ?? [];
    assert.equal(
      policy,
      "default-src 'none'; script-src 'nonce-N0nce'; style-src https://*.vscode-cdn.net; " +
        'img-src https://*.vscode-cdn.net blob: data:; font-src https://*.vscode-cdn.net',
    );
  });

  test('gives every script the nonce, and has no inline style or handler', () => {
    const page = chatPage(PARTS);
    for (const [tag] of page.matchAll(/<script[^>]*>/g)) assert.match(tag, /nonce="N0nce"/);
    assert.doesNotMatch(page, /<style| style=| on\w+=/);
  });

  test('a string that holds markup can not end its block', () => {
    const strings = { a: '</script><script>alert(1)</script>', b: '<!--', c: '\u2028' };
    const page = chatPage({ ...PARTS, strings });
    const [, json] = /id="loopdock-strings"[^>]*>([^<]*)<\/script>/.exec(page) ?? [];
    assert.deepEqual(JSON.parse(json ?? ''), strings);
    assert.equal(page.split('<script').length, 3);
  });

  test('an address or language with quotes stays inside its attribute', () => {
    const page = chatPage({ ...PARTS, language: 'en"><img src=x>', styleUri: 'a"b' });
    assert.doesNotMatch(page, /<img/);
    assert.match(page, /href="a&#34;b"/);
  });
});
