import * as vscode from 'vscode';
import { chatPage } from './chat/html.ts';

/** The HTML of a webview of ours: one bundle of `dist` with its style sheet, behind a nonce of its own. */
export function webviewPage(
  webview: vscode.Webview,
  dist: vscode.Uri,
  page: { readonly bundle: 'webview' | 'preview'; readonly title: string; readonly strings: object },
): string {
  const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  return chatPage({
    cspSource: webview.cspSource,
    nonce: Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url'),
    scriptUri: asset(`${page.bundle}.js`),
    styleUri: asset(`${page.bundle}.css`),
    language: vscode.env.language,
    title: page.title,
    strings: page.strings,
  });
}
