import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/core/base/event.ts';
import { CancelledError, UserError } from '../../src/core/errors.ts';
import type { SessionController } from '../../src/core/agent/controllerTypes.ts';
import { ChatView } from '../../src/host/chat/chatView.ts';
import { createGuard } from '../../src/host/guard.ts';
import type { Log } from '../../src/host/log.ts';
import { PROTOCOL_VERSION, type FromWebview, type ToWebview, type ViewState } from '../../src/protocol/messages.ts';

suite('The provider of the chat view', () => {
  test('lets the page load from the build folder only, and keeps nothing while it is hidden [C145]', () => {
    const { webview } = openView();
    const roots = webview.options.localResourceRoots ?? [];
    assert.deepEqual(
      roots.map((uri) => uri.path.split('/').at(-1)),
      ['dist'],
    );
    assert.equal(webview.options.enableCommandUris ?? false, false);
    assert.equal(webview.options.enableForms, false);
    assert.match(webview.html, /default-src 'none'; script-src 'nonce-[\w-]{32}'/);
  });

  test('gives every page another nonce', () => {
    const nonce = (html: string) => /nonce-([\w-]+)/.exec(html)?.[1];
    assert.notEqual(nonce(openView().webview.html), nonce(openView().webview.html));
  });

  test('passes on what fits the protocol, and drops and logs everything else', () => {
    const it = openView();
    it.send({ type: 'turn/stop', extra: 1 });
    for (const bad of [
      null,
      1,
      'ready',
      {},
      { type: 'unknown' },
      { type: 'prompt/submit' },
      { type: 'link/open', url: 7 },
    ]) {
      it.send(bad);
    }
    it.send(JSON.parse('{"type":"turn/stop","__proto__":{"x":1}}'));
    assert.deepEqual(it.received, [{ type: 'turn/stop' }]);
    assert.equal(it.logged.length, 8);
  });

  test('a page of another version is not listened to', () => {
    const it = openView();
    it.send({ type: 'ready', v: PROTOCOL_VERSION + 1 });
    assert.deepEqual(it.received, []);
    it.send({ type: 'ready', v: PROTOCOL_VERSION });
    assert.deepEqual(it.received, [{ type: 'ready', v: PROTOCOL_VERSION }]);
  });

  test('sends a snapshot whenever it is visible again, and nothing while it is not [I8]', () => {
    const it = openView();
    it.show(false);
    it.view.patch({ type: 'patch', rev: 2, ops: [] });
    assert.deepEqual(it.posted, []);
    it.show(true);
    assert.deepEqual(
      it.posted.map(({ type }) => type),
      ['snapshot'],
    );
  });

  test('shows how many approvals wait as a badge, also those that waited before the view opened', () => {
    const it = openView({ waiting: 2 });
    assert.equal(it.badge()?.value, 2);
    it.view.patch({ type: 'patch', rev: 2, ops: [{ op: 'state', state: state(1) }] });
    assert.equal(it.badge()?.value, 1);
    it.view.patch({ type: 'patch', rev: 3, ops: [{ op: 'state', state: state(0) }] });
    assert.equal(it.badge(), undefined);
  });
});

suite('The guard', () => {
  test('never rejects; only what is a bug of ours goes into the log, with its stack', async () => {
    const { log, lines } = memoryLog();
    const guard = createGuard(log);
    await guard('a', () => Promise.reject(new CancelledError()));
    await guard('b', () => {
      throw new UserError('Shown to the user');
    });
    assert.deepEqual(lines, []);
    await guard('c', () => {
      throw new TypeError('Oops');
    });
    assert.match(lines.join(), /c failed .*TypeError: Oops\n\s+at /s);
  });
});

function openView(options: { readonly waiting?: number } = {}) {
  const messages = new Emitter<unknown>();
  const visibility = new Emitter<void>();
  const posted: ToWebview[] = [];
  const received: FromWebview[] = [];
  const { log, lines } = memoryLog();
  const extensionUri = vscode.extensions.getExtension('loopdock.loopdock')?.extensionUri;
  assert.ok(extensionUri);
  const webview = {
    options: {} as vscode.WebviewOptions,
    html: '',
    cspSource: 'https://csp.example',
    asWebviewUri: (uri: vscode.Uri) => uri,
    onDidReceiveMessage: messages.event,
    postMessage: async (message: ToWebview) => posted.push(message) > 0,
  };
  const webviewView = {
    webview,
    visible: true,
    badge: undefined as vscode.ViewBadge | undefined,
    onDidChangeVisibility: visibility.event,
    onDidDispose: () => ({ dispose: () => undefined }),
  };
  const snapshot = () => ({ rev: 1, rows: [], state: state(options.waiting ?? 0) });
  const view = new ChatView({
    extensionUri,
    controller: () => ({ snapshot }) as unknown as SessionController,
    onMessage: (message) => received.push(message),
    guard: createGuard(log),
    log,
  });
  view.resolveWebviewView(webviewView as unknown as vscode.WebviewView);
  return {
    ...{ view, webview, posted, received, logged: lines },
    send: (message: unknown) => messages.fire(message),
    show(visible: boolean) {
      webviewView.visible = visible;
      visibility.fire();
    },
    badge: () => webviewView.badge,
  };
}

function state(waiting: number): ViewState {
  return { waiting } as ViewState;
}

function memoryLog(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (text: string) => void lines.push(text);
  const log: Log = {
    ...{ info: write, warn: write, trace: write, show: () => undefined, opened: false, dispose: () => undefined },
    error: (text, error) => write(`${text} ${error instanceof Error ? String(error.stack) : String(error)}`),
  };
  return { log, lines };
}
