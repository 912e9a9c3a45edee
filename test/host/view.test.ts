import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TestApi } from '../../src/extension.ts';
import { englishStrings } from '../../src/protocol/strings.ts';
import { webviewStrings } from '../../src/host/chat/strings.ts';
import { readSettings } from '../../src/host/settings.ts';

const VIEW_DEADLINE_MS = 20_000;

suite('The chat view', () => {
  test('opens by its command', async () => {
    const api = await testApi();
    await vscode.commands.executeCommand('loopdock.openChat');
    await until(() => api.facts().view, 'the view');
    await until(() => api.facts().agent, 'the agent');
    const { state } = api.services.agent().controller.snapshot();
    assert.deepEqual(
      { busy: state.busy, waiting: state.waiting, mode: state.mode },
      { busy: false, waiting: 0, mode: 'ask' },
    );
  });

  test('has the texts of the protocol in English', () => {
    assert.deepEqual(webviewStrings(), englishStrings);
  });

  test('says that there is no key where none is', async () => {
    const { services } = await testApi();
    await services.agent().started;
    assert.equal(services.agent().controller.snapshot().state.hasKey, false);
  });

  test('a prompt without a key ends in a card that offers to set one', async () => {
    const { services } = await testApi();
    const { controller } = services.agent();
    await vscode.commands.executeCommand('loopdock.sendPrompt', 'Hello');
    await until(() => controller.snapshot().rows.some((row) => row.kind === 'notice'), 'a notice');
    const notice = controller.snapshot().rows.find((row) => row.kind === 'notice');
    assert.ok(notice?.kind === 'notice' && notice.actions.some(({ id }) => id === 'setApiKey'));
    await until(() => !controller.snapshot().state.busy, 'the end of the turn');
    await vscode.commands.executeCommand('loopdock.newSession');
    assert.deepEqual(controller.snapshot().rows, []);
  });
});

suite('Settings', () => {
  test('a workspace can not set the base URL, not even through a nested object [XN1]', async () => {
    const { services } = await testApi();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(folder);
    const file = vscode.Uri.joinPath(folder, '.vscode', 'settings.json');
    const evil = 'https://evil.invalid';
    const content = { 'loopdock.baseUrl': evil, loopdock: { baseUrl: evil }, 'loopdock.model': 'seen' };
    await vscode.workspace.fs.writeFile(file, Buffer.from(JSON.stringify(content)));
    try {
      await until(() => readSettings().model === 'seen', 'the settings of the workspace');
      assert.equal(readSettings().baseUrl, '');
      assert.equal((await services.credentials.connection()).baseUrl, 'https://api.anthropic.com');
    } finally {
      await vscode.workspace.fs.delete(file);
      await until(() => readSettings().model === '', 'the end of the settings of the workspace');
    }
  });

  test('the base URL of the user counts, and a refused one is said', async () => {
    const { services } = await testApi();
    const set = async (value: string | undefined) =>
      vscode.workspace.getConfiguration('loopdock').update('baseUrl', value, vscode.ConfigurationTarget.Global);
    try {
      await set('https://gateway.example/');
      assert.equal((await services.credentials.connection()).baseUrl, 'https://gateway.example');
      await set('http://gateway.example');
      await assert.rejects(services.credentials.connection(), /gateway\.example/);
    } finally {
      await set(undefined);
    }
  });

  test('a key is stored for its host only', async () => {
    const { services } = await testApi();
    const { credentials } = services;
    await credentials.store('key-of-the-default-host');
    try {
      assert.equal((await credentials.connection()).credential?.source, 'stored');
      assert.ok(credentials.known().includes('key-of-the-default-host'));
      await vscode.workspace
        .getConfiguration('loopdock')
        .update('baseUrl', 'https://other.example', vscode.ConfigurationTarget.Global);
      assert.equal((await credentials.connection()).credential, undefined);
    } finally {
      await vscode.workspace
        .getConfiguration('loopdock')
        .update('baseUrl', undefined, vscode.ConfigurationTarget.Global);
      await credentials.clear();
    }
  });
});

async function testApi(): Promise<TestApi> {
  const api: unknown = await vscode.extensions.getExtension('loopdock.loopdock')?.activate();
  assert.ok(api, 'there is no test API');
  return api as TestApi;
}

/** Files of the SDK's bundle that this process has read. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + VIEW_DEADLINE_MS;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `${what} did not appear`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
