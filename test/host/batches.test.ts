import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { BatchItem } from '../../src/core/batches/batchTypes.ts';
import type { TestApi } from '../../src/extension.ts';
import { MODEL } from '../../src/simulator/models.ts';
import { scripted, scriptPrompt } from '../../src/simulator/scenarios/scripted.ts';
import { startSimulator, type Simulator } from '../../src/simulator/server.ts';

suite('Batches in the editor', () => {
  let simulator: Simulator;
  let api: TestApi;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<TestApi>('loopdock.loopdock');
    assert.ok(extension);
    api = await extension.activate();
    simulator = await startSimulator({ scenario: scripted, batchItemMs: 1 });
    api.services.credentials.useSimulator(simulator);
    await api.services.agent().started;
  });

  suiteTeardown(async () => {
    api.services.credentials.useSimulator(undefined);
    await vscode.commands.executeCommand('loopdock.newSession');
    await simulator.close();
  });

  test('a result opens as a session, with the file that it made, and the same one again', async () => {
    const { controller, batches } = api.services.agent();
    const command = 'printf done > "$OUTPUT_DIR/made.txt"; ls "$OUTPUT_DIR"';
    const prompt = scriptPrompt('Make a file', [{ steps: [{ type: 'bash_code_execution', command }] }]);
    const item: BatchItem = {
      id: 'one',
      label: 'one.txt',
      text: 'Make a file',
      content: [{ type: 'text', text: prompt }],
    };
    const { baseUrl } = await api.services.credentials.connection();
    const tools = [{ type: 'code_execution_20260521', name: 'code_execution' } as const];
    const template = { model: MODEL, maxTokens: 1000, system: [], tools, betas: [] };
    const plan = { title: 'Make', baseUrl, template, items: [{ id: 'one', label: 'one.txt' }], contents: only(item) };
    const { id } = await batches.manager.submit(plan, new AbortController().signal);
    await until(async () => {
      await batches.manager.refresh();
      return (await batches.manager.records()).some((record) => record.id === id && record.state === 'ended');
    });
    const open = () => vscode.commands.executeCommand('loopdock.batches.open', { record: { id }, item: { id: 'one' } });
    await open();
    const { sessionId } = controller.snapshot().state;
    assert.match(controller.snapshot().state.title, /one\.txt · Make/);
    await until(() =>
      Promise.resolve(
        (controller.log()?.entries() ?? []).some(
          (entry) => entry.type === 'attachmentStored' && entry.name === 'made.txt' && entry.hash !== undefined,
        ),
      ),
    );
    await vscode.commands.executeCommand('loopdock.newSession');
    await open();
    assert.equal(controller.snapshot().state.sessionId, sessionId);
    await vscode.commands.executeCommand('loopdock.batches.forget', { record: { id } });
    assert.deepEqual(await batches.manager.records(), []);
  });
});

async function* only(item: BatchItem): AsyncGenerator<BatchItem> {
  yield await Promise.resolve(item);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('it did not come');
}
