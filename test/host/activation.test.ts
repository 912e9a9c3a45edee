import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { activate, type TestApi } from '../../src/extension.ts';
import { report } from '../runner/record.ts';

const ROUNDS = 15;
const MOST_MS = 25;

// The first file of the host suite: the extension is not active yet, so its commands can be registered here.
suite('Activation', () => {
  test(`takes little time (median of ${ROUNDS})`, async () => {
    const extension = vscode.extensions.getExtension('loopdock.loopdock');
    assert.equal(extension?.isActive, false, 'it was activated before its view or a command was used');
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { context, dispose } = throwAwayContext(extension);
      const api = activate(context);
      dispose();
      times.push(api?.activationMs ?? Number.NaN);
    }
    const median = [...times].sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    const rounded = times.map((time) => Number(time.toFixed(1)));
    report(`activate(): median ${median.toFixed(2)} ms, first ${String(rounded[0])} ms, all ${rounded.join(' ')}`);
    assert.ok(median < MOST_MS, `${median} ms`);
  });

  test('registers the view and the commands, and makes nothing else', async () => {
    const api = (await vscode.extensions.getExtension('loopdock.loopdock')?.activate()) as TestApi;
    report(`activate() of the extension itself: ${api.activationMs.toFixed(2)} ms`);
    assert.deepEqual(api.atActivation, { agent: false, view: false, api: false, log: false });
    assert.deepEqual(bundlesRead(), [], 'the bundles of the agent or the SDK are loaded');
  });

  test('with the view comes the agent, and the SDK only when a model is asked for', async () => {
    const api = (await vscode.extensions.getExtension('loopdock.loopdock')?.activate()) as TestApi;
    await vscode.commands.executeCommand('loopdock.openChat');
    for (let left = 400; left > 0 && !(api.facts().view && api.facts().agent); left--)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(api.services.agent().controller.snapshot().state.hasKey, false);
    assert.deepEqual(bundlesRead(), ['agent']);
  });
});

/** Which of the bundles that are loaded with their first use have been. */
function bundlesRead(): string[] {
  return Object.keys(require.cache).flatMap((path) => /[\\/]dist[\\/](agent|api)\.js$/.exec(path)?.[1] ?? []);
}

/** As much of a context as `activate` may touch: anything else would throw here. */
function throwAwayContext(extension: vscode.Extension<unknown>): {
  readonly context: vscode.ExtensionContext;
  dispose(): void;
} {
  const subscriptions: vscode.Disposable[] = [];
  const context = {
    subscriptions,
    secrets: {},
    extensionUri: extension.extensionUri,
    extensionMode: vscode.ExtensionMode.Test,
    asAbsolutePath: (path: string) => vscode.Uri.joinPath(extension.extensionUri, path).fsPath,
  };
  return {
    context: context as unknown as vscode.ExtensionContext,
    dispose: () => void vscode.Disposable.from(...subscriptions).dispose(),
  };
}
